import FlowModel

/// A plan's information about a step.
public struct StepReading: Sendable, Hashable {
  /// Where the step is in its life.
  public var status: StepStatus
  /// How it ended; nil before.
  public var outcome: Outcome?
  /// Why it did not run; nil when it did.
  public var reason: SkipReason?
  /// Attempts so far.
  public var attempts: Int
  /// The name of its queue.
  public var queue: String
  /// Nanoseconds from the start of the run at which nothing held it back but capacity; nil: never.
  public var readyAtNanoseconds: Int?
  /// … at which its first attempt started; nil: never.
  public var startedAtNanoseconds: Int?
  /// … at which it was finished; nil: not yet.
  public var endedAtNanoseconds: Int?
  /// How long its body continued after its maximum; nil: it did not.
  public var overrunNanoseconds: Int?
  /// Whether it was left behind because it ignored its cancellation.
  public var isAbandoned: Bool
  /// Whether it waited for the gate.
  public var isDeferred: Bool
  /// Whether the gate waited for it.
  public var isBlocking: Bool
  /// Whether it was not finished when the gate timed out.
  public var isLate: Bool
  /// Why it failed; nil when it did not.
  public var failure: StepFailure?
  /// The outcome after `optional` is applied.
  public var conclusion: Outcome?
}

extension Plan {
  /// What is known of a step.
  public subscript(step: StepIndex) -> StepReading {
    let state = states[step]
    let trait = traits[step]
    func time(_ value: Int) -> Int? { value == never ? nil : value }
    return StepReading(
      status: state.status, outcome: outcome(of: step), reason: state.reason, attempts: Int(state.attempt),
      queue: queues[Int(trait.queue)].name, readyAtNanoseconds: time(state.readyAt),
      startedAtNanoseconds: time(state.startedAt), endedAtNanoseconds: time(state.endedAt),
      overrunNanoseconds: particulars.overruns[step], isAbandoned: state.marks.contains(.abandoned),
      isDeferred: trait.flags.contains(.deferred), isBlocking: trait.flags.contains(.blocking),
      isLate: state.marks.contains(.late), failure: particulars.failures[step], conclusion: conclusion(of: step))
  }

  /// When a step was ready, started and was finished, in nanoseconds from the start of the run, `Int.min` where it did
  /// not happen, and how it ended: the part of a reading that costs nothing.
  package func instants(of step: StepIndex) -> StepInstants {
    let state = states[step]
    return StepInstants(
      readyAt: state.readyAt, startedAt: state.startedAt, endedAt: state.endedAt, outcome: state.outcome)
  }

  /// When the gate opened and was ready, in the same way.
  package var gateInstants: (outcome: GateOutcome?, openedAt: Int, readyAt: Int) {
    (readiness.outcome, readiness.openedAt, readiness.readyAt == never ? never : max(readiness.readyAt, activatedAt))
  }

  /// The outcome of a finished step; nil before it is finished.
  func outcome(of step: StepIndex) -> Outcome? {
    let state = states[step]
    return state.marks.contains(.failedAfterReady) ? .failure : state.outcome
  }

  /// The outcome of a finished step, or item of one, after `optional` is applied; nil before it is finished.
  public func conclusion(of step: StepIndex) -> Outcome? {
    let task = task(step)
    let outcome = task.isItem ? self[state: task].outcome : outcome(of: step)
    guard traits[task.step].flags.contains(.optional), outcome == .failure || outcome == .timedOut else {
      return outcome
    }
    return .success
  }

  /// Why the last attempt of a step, or of an item of one, failed; nil: it did not.
  func failure(of step: StepIndex) -> StepFailure? {
    particulars.failures.isEmpty ? nil : particulars.failures[step]
  }

  /// What the status functions say in the `if` of a step whose dependencies are finished.
  public func status(of step: StepIndex) -> StepFacts.StatusFunctions {
    var functions: StepFacts.StatusFunctions = .always
    if traits[step].flags.contains(.final) {
      // The outcome of all steps together, not only of those without dependents.
      if cancelledAt != never { functions.insert(.cancelled) }
      functions.insert(conclusionSoFar(for: step) == .failure ? .failure : cancelledAt == never ? .success : [])
      return functions
    }
    let needs = needs(of: step)
    if needs.allSatisfy({ isSatisfied($0) }) { functions.insert(.success) }
    if needs.contains(where: { !isSatisfied($0) && states[$0].reason != .eventNeverPosted }) {
      functions.insert(.failure)
    }
    if cancelledAt != never { functions.insert(.cancelled) }
    if hasTimedOut { functions.insert(.failure) }
    return functions
  }

  /// Whether a body of this attempt should be waited for: it runs and was not abandoned.
  func isAwaiting(_ step: StepIndex, attempt: Int) -> Bool { isAwaiting(task(step), attempt: attempt) }

  @inline(__always)
  func isAwaiting(_ task: PlanTask, attempt: Int) -> Bool {
    self[state: task].status == .running && Int(self[state: task].attempt) == attempt
  }

  /// The bodies that this process runs and the plan awaits: those of steps and of items, each with its attempt. A service that
  /// is ready is not among them.
  var awaitedHere: [(step: StepIndex, attempt: Int)] {
    var found: [(step: StepIndex, attempt: Int)] = []
    for step in graph.workflow.steps.indices.map({ StepIndex($0) }) where states[step].status == .running {
      if isRemote(step) { continue }
      guard let index = fanOuts.index(of: step) else {
        found.append((step, Int(states[step].attempt)))
        continue
      }
      for (item, state) in fanOuts[index].states.enumerated() where state.status == .running {
        found.append((fanOuts[index].firstInstance + StepIndex(item), Int(state.attempt)))
      }
    }
    return found
  }

  /// Whether bodies that were told to end have not returned.
  var hasEndingBodies: Bool { !outstanding.cancelling.isEmpty }

  /// Whether a step, or one of its items, has had an attempt.
  func hasBegun(_ step: StepIndex) -> Bool { states[step].attempt > 0 }

  /// Whether the body of this attempt is a service that continues.
  func isServing(_ step: StepIndex, attempt: Int) -> Bool {
    Int(step) < states.count && Int(states[step].attempt) == attempt && states[step].marks.contains(.serving)
  }

  /// Whether a body of this attempt may be running: it is awaited, serves, or was asked to end.
  func isRunning(_ step: StepIndex, attempt: Int) -> Bool {
    isAwaiting(step, attempt: attempt) || isServing(step, attempt: attempt)
      || outstanding.cancelling[Attempt(step: step, attempt: UInt8(attempt))] != nil
  }

  /// The number of steps that wait for capacity.
  var queuedSteps: Int { counts.queued }

  /// How many steps of a pool wait for capacity.
  func queuedSteps(in pool: Pool) -> Int {
    if hasOnlyBuiltInQueues { return queues[pool.index].ready.count }
    var count = 0
    for queue in queues where queue.pool == pool { count += queue.ready.count }
    return count
  }

  /// The name of a step's queue.
  func queueName(of step: StepIndex) -> String { queues[traits[step].queue].name }

  /// Which threads a step runs on.
  public func pool(of step: StepIndex) -> Pool { queues[traits[owner(of: step)].queue].pool }

  /// The name of an event.
  func eventName(_ index: Int) -> String { events.names[index] }

  /// The gate's minimum and maximum; before activation those that are literals.
  public var gateBounds: GateBounds { readiness.bounds }

  /// How many steps of a pool could start now, as far as capacity goes; of other pools' steps nothing is known.
  func startableSteps(in pool: Pool) -> Int {
    guard counts.queued > 0 else { return 0 }
    var count = 0
    let machine = machineReading
    for index in queues.indices where queues[index].pool == pool {
      let items = fanOuts.isEmpty ? 0 : startableItems(in: index)
      let ready = queues[index].ready.count + items
      count += machine?.startable(index, ready: ready) ?? min(ready, queues[index].width - queues[index].occupied)
    }
    return min(count, concurrency - counts.occupied)
  }

  /// The state of the launch gate.
  public var gate: GateReading {
    // The gate's time starts at activation, so it is not ready before, however early its steps were prewarmed (P8).
    let isReady = readiness.readyAt != never && activatedAt != never
    return GateReading(
      outcome: readiness.outcome, openedAtNanoseconds: readiness.openedAt == never ? nil : readiness.openedAt,
      readyAtNanoseconds: isReady ? max(readiness.readyAt, activatedAt) : nil,
      late: states.indices.filter { states[$0].marks.contains(.late) }.map { StepIndex($0) },
      failed: readiness.outcome == .cancelled ? [] : readiness.failed.sorted())
  }

  /// When the run was activated, in nanoseconds from its start; nil: not yet.
  public var activatedAtNanoseconds: Int? { activatedAt == never ? nil : activatedAt }

  /// Whether the run has been cancelled.
  public var isCancelled: Bool { cancelledAt != never }

  /// When an event was first posted, in nanoseconds from the start of the run; nil: not yet.
  public func timeOfEvent(_ name: String) -> Int? {
    events.time(of: name)
  }

  /// The events that were posted, in the order of their first mention: when first, and by which step where that is known.
  package var firstPosts: [(event: String, atNanoseconds: Int, poster: StepIndex?)] {
    events.names.indices.compactMap { index in
      guard events.times[index] != never else { return nil }
      let poster = events.posters[index]
      return (events.names[index], events.times[index], poster < 0 ? nil : poster)
    }
  }

  /// When each attempt of a step, or of an item, began and ended that had several; empty: it had one, or none.
  package func attemptTimes(of step: StepIndex) -> [AttemptTimes] {
    guard var attemptTimes = particulars.attemptTimes[step], let last = attemptTimes.indices.last else { return [] }
    guard attemptTimes[last].endedAt == never else { return attemptTimes }
    attemptTimes[last].endedAt = self[state: task(step)].endedAt
    return attemptTimes
  }

  /// When the body of a step, or of an item, first began elsewhere; `Int.min`: it has not; nil: it is none for executors.
  package func beginning(of step: StepIndex) -> Int? {
    particulars.beginnings[step]?.firstAt ?? (isRemote(step) ? never : nil)
  }

  /// How many steps of each queue run at once, where that is limited.
  package var queueWidths: [(name: String, width: Int)] {
    queues.filter { $0.width != .max && $0.base == nil }.map { ($0.name, $0.width) }
  }

  /// The posts of an event so far, the first `Limits.events` of them: each where it repeats, else the first.
  public func posts(of event: String) -> [EventPost] {
    guard let index = events.indices[event] else { return [] }
    let times = events.repeated[Int(index)]?.times ?? [events.times[Int(index)]].filter { $0 != never }
    return times.enumerated().map { EventPost(event: event, number: $0 + 1, atNanoseconds: $1) }
  }

  /// The number that the next post of an event would have; nil: it would not count.
  func numberOfNextPost(of event: String) -> Int? {
    guard let index = events.indices[event] else { return 1 }
    if let posts = events.repeated[Int(index)] { return posts.count < Limits.events ? posts.count + 1 : nil }
    return events.times[Int(index)] == never ? 1 : nil
  }

  /// A post of an event that repeats, by its number; nil: it has not come.
  func post(_ number: Int, of event: String) -> EventPost? {
    guard let index = events.indices[event], let times = events.repeated[Int(index)]?.times,
      times.indices.contains(number - 1)
    else { return nil }
    return EventPost(event: event, number: number, atNanoseconds: times[number - 1])
  }

  /// The steps that wait for an event, or did.
  func waiters(for event: String) -> [StepIndex] { events.indices[event].map { events.waiters[Int($0)] } ?? [] }
}

extension Plan {
  /// Whether a step is in `finally`.
  public func isFinal(_ step: StepIndex) -> Bool { traits[step].flags.contains(.final) }

  /// The steps that have failed or timed out so far and are not optional, in file order.
  public var failedSteps: [StepIndex] {
    states.indices.map { StepIndex($0) }.filter {
      let outcome = outcome(of: $0)
      return (outcome == .failure || outcome == .timedOut) && !traits[$0].flags.contains(.optional)
    }
  }

  /// How the run would conclude if nothing else happened; to a step of an included workflow, that workflow.
  public func conclusionSoFar(for step: StepIndex) -> RunConclusion {
    graph.workflow.scope(of: step).map { conclusionSoFar(inScope: $0) } ?? runConclusion()
  }
}

/// When a step was ready, started and was finished; `Int.min` where it did not happen.
package struct StepInstants: Sendable {
  package var readyAt: Int
  package var startedAt: Int
  package var endedAt: Int
  /// How it ended; nil before.
  package var outcome: Outcome?
}

/// A plan's information about the gate.
public struct GateReading: Sendable, Hashable {
  /// How it opened; nil while it is closed.
  public var outcome: GateOutcome?
  /// Nanoseconds from the start of the run; nil: it did not open.
  public var openedAtNanoseconds: Int?
  /// When the last blocking step was satisfied; nil: that did not happen.
  public var readyAtNanoseconds: Int?
  /// Blocking steps that were not finished at the maximum.
  public var late: [StepIndex]
  /// Blocking steps that ended unsatisfied before the gate opened, in file order.
  public var failed: [StepIndex]
}
