import FlowModel

/// The steps of a workflow that run on executors, without threads of this process.
package struct RemoteSteps: Sendable, Hashable {
  /// The executors, each with its number of slots.
  package var executors: [Executor]
  /// For each remote step, the index of its executor in ``executors``.
  package var assignment: [StepIndex: Int]
  /// The maximum number of times that a step runs again after its body was lost. These repetitions do not count as
  /// attempts of `retry`.
  package var lostAttempts: Int

  /// An executor, which the plan treats as a queue whose width is the number of slots.
  package struct Executor: Sendable, Hashable {
    /// The name of the executor in reports.
    package var name: String
    /// The maximum number of steps that the executor runs at once.
    package var slots: Int
    /// True if its steps run on this machine, so that their requests count against this machine's capacity.
    package var countsHere: Bool

    package init(name: String, slots: Int, countsHere: Bool = false) {
      self.name = name
      self.slots = slots
      self.countsHere = countsHere
    }
  }

  package init(executors: [Executor], assignment: [StepIndex: Int], lostAttempts: Int = RemoteSteps.usualLostAttempts) {
    self.executors = executors
    self.assignment = assignment
    self.lostAttempts = lostAttempts
  }

  /// The default value of ``lostAttempts``.
  package static let usualLostAttempts = 3
}

// Each executor has one queue after all others, in the pool `remote`. So a pool with threads still has only one queue,
// as fast paths require.
extension Plan {
  mutating func arrange(_ remote: RemoteSteps, behind first: Int, _ queues: inout [PlanQueue]) {
    for executor in remote.executors {
      queues.append(PlanQueue(name: executor.name, pool: .remote, width: executor.slots))
    }
    for (step, executor) in remote.assignment { traits[step].queue = UInt16(first + executor) }
  }

  @inline(__always)
  func isRemote(_ step: StepIndex) -> Bool {
    guard remote != nil else { return false }
    return queues[traits[owner(of: step)].queue].pool == .remote
  }

  var canStartRemotely: Bool { nextRemoteQueue != nil }

  mutating func startNextRemotely(at now: Int) -> (step: StepIndex, attempt: Int)? {
    guard let index = nextRemoteQueue else { return nil }
    return startNext(from: index, at: now)
  }

  /// Returns the unfinished items of a fan-out when its first one starts, so that the executor can prepare for them.
  /// Returns nil for all other instances, and for fan-outs that follow an event.
  mutating func takeExpectedItems(startingWith instance: StepIndex) -> (step: StepIndex, items: [Int], atOnce: Int)? {
    guard let (step, item) = position(ofItem: instance), let index = fanOuts.index(of: step),
      fanOuts[index].event == nil, fanOuts.expected.insert(step).inserted
    else { return nil }
    let items =
      [item]
      + fanOuts[index].states.indices[fanOuts[index].next...].filter { fanOuts[index].states[$0].status != .done }
    return (step, items, min(fanOuts[index].width, concurrency))
  }

  /// True if a step of another pool may be ready to start. Steps that wait for a slot of an executor do not count.
  func concernsOthers(than pool: Pool) -> Bool {
    if machine != nil { return canStartRemotely || Pool.all.contains { $0 != pool && canStart(in: $0) } }
    guard let remote else { return true }
    if canStartRemotely { return true }
    var waiting = 0
    for queue in queues.suffix(remote.executors.count) { waiting += queue.ready.count }
    return queuedSteps - waiting > queuedSteps(in: pool)
  }

  /// The queue of the next remote step, or nil if no remote step may start. If the number of steps that run at once is
  /// limited, a remote step may start only if no local step that could start has a lower rank.
  private var nextRemoteQueue: Int? {
    guard remote != nil, counts.queued > 0, counts.occupied < concurrency else { return nil }
    let best = Self.bestQueue(of: tables, in: concurrency == .max ? .remote : nil, machineReading)
    return best.flatMap { queues[$0].pool == .remote ? $0 : nil }
  }

  /// Records that a worker has begun the body of a remote task. Its maximums count from now on.
  mutating func begin(_ task: PlanTask, _ attempt: UInt8, at now: Int) {
    let beginning = particulars.beginnings[task.index]
    guard isAwaiting(task, attempt: Int(attempt)), isRemote(task.step), beginning?.attempt != attempt else { return }
    particulars.noteBeginning(of: task.index, attempt: attempt, at: now)
    noteEntry(.begun(task.instance, isRemote: true, atNanoseconds: now))
    if task.isItem, particulars.begunFanOuts.insert(task.step).inserted { noteStart(of: PlanTask(task.step), at: now) }
    noteStart(of: task, at: now)
    if traits[task.step].flags.contains(.timed) { setMaximums(task, isFirst: beginning == nil, at: now) }
  }

  /// Returns the time limit of a remote body that has not begun on a worker. Returns nil for a local body, or if the
  /// body has begun or has no limit.
  func limitOfUnbegun(_ step: StepIndex, attempt: Int) -> Duration? {
    guard isRemote(step), particulars.beginnings[step]?.attempt != UInt8(attempt) else { return nil }
    let options = options(of: owner(of: step))
    let whole = particulars.beginnings[step] == nil ? options.deadline?.max : nil
    return [whole, options.retry?.attemptDeadline].compactMap { $0 }.min()
  }

  /// Handles a lost body. Returns true if the task runs again, or false after recording its failure.
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
    noteEntry(.lost(task.instance, attempt: Int(state.attempt), failure, atNanoseconds: now))
    noteRetry(of: task.index, attempt: Int(state.attempt), failure, delayNanoseconds: 0, at: now)
    return true
  }
}
