import FlowModel

/// The steps of a workflow that executors run, which hold no thread here.
public struct RemoteSteps: Sendable, Hashable {
  /// The executors, each with how many steps it runs at once at most.
  public var executors: [Executor]
  /// For each step that one of them runs the executor's index.
  public var assignment: [StepIndex: Int]
  /// How often a body that was lost runs again at most, without counting as an attempt of `retry`.
  public var lostAttempts: Int

  /// An executor as the plan knows it: a queue that is as wide as it has slots.
  public struct Executor: Sendable, Hashable {
    /// What reports call it.
    public var name: String
    /// The number of steps that it runs at once.
    public var slots: Int
    /// Whether what its steps take of a machine counts against this one.
    public var countsHere: Bool

    /// An executor of this name and this many slots.
    public init(name: String, slots: Int, countsHere: Bool = false) {
      self.name = name
      self.slots = slots
      self.countsHere = countsHere
    }
  }

  /// Steps by the indices of their executors.
  public init(executors: [Executor], assignment: [StepIndex: Int], lostAttempts: Int = RemoteSteps.usualLostAttempts) {
    self.executors = executors
    self.assignment = assignment
    self.lostAttempts = lostAttempts
  }

  /// How often a body that was lost runs again by default.
  public static let usualLostAttempts = 3
}

// A queue an executor, behind all others, in a pool of its own: pools with threads keep one queue each, so that fast
// paths continue.
extension Plan {
  /// Adds the queues of executors and puts their steps there.
  mutating func arrange(_ remote: RemoteSteps, behind first: Int, _ queues: inout [PlanQueue]) {
    for executor in remote.executors {
      queues.append(PlanQueue(name: executor.name, pool: .remote, width: executor.slots))
    }
    for (step, executor) in remote.assignment { traits[step].queue = UInt16(first + executor) }
  }

  /// Whether an executor runs a step.
  @inline(__always)
  func isRemote(_ step: StepIndex) -> Bool {
    guard remote != nil else { return false }
    return queues[traits[owner(of: step)].queue].pool == .remote
  }

  /// Whether a step could start remotely now.
  var canStartRemotely: Bool { nextRemoteQueue != nil }

  /// The step of the lowest rank that may start remotely now, marked as running, or nil.
  mutating func startNextRemotely(at now: Int) -> (step: StepIndex, attempt: Int)? {
    guard let index = nextRemoteQueue else { return nil }
    return startNext(from: index, at: now)
  }

  /// The items of a step that are about to be run, where `instance` is the first of them to start; nil: it is not, the
  /// step's items come one by one, or it is not an item.
  mutating func takeExpectedItems(startingWith instance: StepIndex) -> (step: StepIndex, items: [Int], atOnce: Int)? {
    guard let (step, item) = position(ofItem: instance), let index = fanOuts.index(of: step),
      fanOuts[index].event == nil, fanOuts.expected.insert(step).inserted
    else { return nil }
    // Items start in order.
    let items =
      [item]
      + fanOuts[index].states.indices[fanOuts[index].next...].filter { fanOuts[index].states[$0].status != .done }
    return (step, items, min(fanOuts[index].width, concurrency))
  }

  /// Whether steps of other pools than this one wait for something that can be done for them: those that wait for a
  /// place of an executor do not.
  func concernsOthers(than pool: Pool) -> Bool {
    if machine != nil { return canStartRemotely || Pool.all.contains { $0 != pool && canStart(in: $0) } }
    guard let remote else { return true }
    if canStartRemotely { return true }
    var waiting = 0
    for queue in queues.suffix(remote.executors.count) { waiting += queue.ready.count }
    return queuedSteps - waiting > queuedSteps(in: pool)
  }

  /// Where the run may have only this many steps, those that stay here and come first by rank go first.
  private var nextRemoteQueue: Int? {
    guard remote != nil, counts.queued > 0, counts.occupied < concurrency else { return nil }
    let best = Self.bestQueue(of: tables, in: concurrency == .max ? .remote : nil, machineReading)
    return best.flatMap { queues[$0].pool == .remote ? $0 : nil }
  }

  /// The body of a task has begun: its maximums count from now on.
  mutating func begin(_ task: PlanTask, _ attempt: UInt8, at now: Int) {
    let beginning = particulars.beginnings[task.index]
    guard isAwaiting(task, attempt: Int(attempt)), isRemote(task.step), beginning?.attempt != attempt else { return }
    particulars.noteBeginning(of: task.index, attempt: attempt, at: now)
    noteEntry(.begun(task.instance, isRemote: true, atNanoseconds: now))
    if task.isItem, particulars.begunFanOuts.insert(task.step).inserted { noteStart(of: PlanTask(task.step), at: now) }
    noteStart(of: task, at: now)
    if traits[task.step].flags.contains(.timed) { setMaximums(task, isFirst: beginning == nil, at: now) }
  }

  /// How long the body of a step may take that has been started remotely and has not begun; nil: it has, or there is no
  /// limit.
  func limitOfUnbegun(_ step: StepIndex, attempt: Int) -> Duration? {
    guard isRemote(step), particulars.beginnings[step]?.attempt != UInt8(attempt) else { return nil }
    let options = options(of: owner(of: step))
    let whole = particulars.beginnings[step] == nil ? options.deadline?.max : nil
    return [whole, options.retry?.attemptDeadline].compactMap { $0 }.min()
  }

  /// Takes in that a body was lost; whether another one makes it good.
  mutating func repeats(_ task: PlanTask, after failure: StepFailure, isFinal: Bool, at now: Int) -> Bool {
    particulars.losses[task.index, default: 0] += 1
    let losses = particulars.losses[task.index] ?? 1
    let state = self[state: task]
    guard !isFinal, options(of: task.step).onInterrupt == .rerun,
      losses <= remote?.lostAttempts ?? RemoteSteps.usualLostAttempts,
      state.attempt < UInt8.max
    else {
      particulars.failures[task.index] = failure
      return false
    }
    particulars.interruptions[task.index, default: 0] += 1
    particulars.noteAttemptEnd(of: task.index, startedAt: state.startedAt, at: now)
    noteRetry(of: task.index, attempt: Int(state.attempt), failure, delayNanoseconds: 0, at: now)
    return true
  }
}
