import FlowModel

/// The state of a step.
public struct StepReading: Sendable, Hashable {
  /// The status.
  public var status: StepStatus
  /// The outcome, or nil if the step has not finished.
  public var outcome: Outcome?
  /// The reason why it did not run, or nil if it did.
  public var reason: SkipReason?
  /// The number of attempts so far.
  public var attempts: Int
  /// The name of its queue.
  public var queue: String
  /// The time at which it only waited for capacity, in nanoseconds from the start of the run, or nil if that never
  /// happened.
  public var readyAtNanoseconds: Int?
  /// The time at which its first attempt started, or nil if none did.
  public var startedAtNanoseconds: Int?
  /// The time at which it finished, or nil if it has not.
  public var endedAtNanoseconds: Int?
  /// The time for which its body continued after its maximum, or nil if it did not.
  public var overrunNanoseconds: Int?
  /// True if its body ignored the cancellation and was abandoned.
  public var isAbandoned: Bool
  /// True if it waited for the gate.
  public var isDeferred: Bool
  /// True if the gate waited for it.
  public var isBlocking: Bool
  /// True if it had not finished when the gate timed out.
  public var isLate: Bool
  /// The failure, or nil if it did not fail.
  public var failure: StepFailure?
  /// The outcome after `optional` is applied.
  public var conclusion: Outcome?
}

extension Plan {
  /// The state of a step.
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

  /// The instants at which a step was ready, started and finished, and its outcome. This part of a ``StepReading``
  /// needs no computation.
  package func instants(of step: StepIndex) -> StepInstants {
    let state = states[step]
    return StepInstants(
      readyAt: state.readyAt, startedAt: state.startedAt, endedAt: state.endedAt, outcome: state.outcome)
  }

  /// The outcome of the gate and the instants at which it opened and was ready, or `Int.min`.
  package var gateInstants: (outcome: GateOutcome?, openedAt: Int, readyAt: Int) {
    (readiness.outcome, readiness.openedAt, readiness.readyAt == never ? never : max(readiness.readyAt, activatedAt))
  }

  /// The outcome of a step, or nil if it has not finished.
  func outcome(of step: StepIndex) -> Outcome? {
    let state = states[step]
    return state.marks.contains(.failedAfterReady) ? .failure : state.outcome
  }

  /// The outcome of a step or item after `optional` is applied, or nil if it has not finished.
  public func conclusion(of step: StepIndex) -> Outcome? {
    let task = task(step)
    let outcome = task.isItem ? self[state: task].outcome : outcome(of: step)
    guard traits[task.step].flags.contains(.optional), outcome == .failure || outcome == .timedOut else {
      return outcome
    }
    return .success
  }

  /// The failure of the last attempt of a step or item, or nil if it did not fail.
  func failure(of step: StepIndex) -> StepFailure? {
    particulars.failures.isEmpty ? nil : particulars.failures[step]
  }

  /// The status functions that are true in the `if` of a step whose dependencies have finished.
  public func status(of step: StepIndex) -> StepFacts.StatusFunctions {
    var functions: StepFacts.StatusFunctions = .always
    if traits[step].flags.contains(.final) {
      // The outcome of all steps together, not only of the dependencies.
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

  /// True if this attempt is running and was not abandoned.
  func isAwaiting(_ step: StepIndex, attempt: Int) -> Bool { isAwaiting(task(step), attempt: attempt) }

  @inline(__always)
  func isAwaiting(_ task: PlanTask, attempt: Int) -> Bool {
    self[state: task].status == .running && Int(self[state: task].attempt) == attempt
  }

  /// The bodies of steps and items that run in this process and have not ended, each with its attempt. Services that
  /// are ready are not included.
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

  /// True if bodies that were asked to end have not returned.
  var hasEndingBodies: Bool { !outstanding.cancelling.isEmpty }

  /// True if a step or one of its items has had an attempt.
  func hasBegun(_ step: StepIndex) -> Bool { states[step].attempt > 0 }

  /// True if this attempt is a service that is ready and still running.
  func isServing(_ step: StepIndex, attempt: Int) -> Bool {
    Int(step) < states.count && Int(states[step].attempt) == attempt && states[step].marks.contains(.serving)
  }

  /// True if the body of this attempt may be running: it is awaited, serves, or was asked to end.
  func isRunning(_ step: StepIndex, attempt: Int) -> Bool {
    isAwaiting(step, attempt: attempt) || isServing(step, attempt: attempt)
      || outstanding.cancelling[Attempt(step: step, attempt: UInt8(attempt))] != nil
  }

  /// The number of steps that wait for capacity.
  var queuedSteps: Int { counts.queued }

  /// The number of steps of a pool that wait for capacity.
  func queuedSteps(in pool: Pool) -> Int {
    if hasOnlyBuiltInQueues { return queues[pool.index].ready.count }
    var count = 0
    for queue in queues where queue.pool == pool { count += queue.ready.count }
    return count
  }

  /// The name of a step's queue.
  func queueName(of step: StepIndex) -> String { queues[traits[step].queue].name }

  /// The pool that runs a step.
  public func pool(of step: StepIndex) -> Pool { queues[traits[owner(of: step)].queue].pool }

  /// The name of an event.
  func eventName(_ index: Int) -> String { events.names[index] }

  /// The gate's minimum and maximum. Before activation, only literals are known.
  public var gateBounds: GateBounds { readiness.bounds }

  /// The number of steps of a pool for which there is capacity now.
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
    // The gate's time starts at activation, so it is never ready before, even if its steps were prewarmed (P8).
    let isReady = readiness.readyAt != never && activatedAt != never
    return GateReading(
      outcome: readiness.outcome, openedAtNanoseconds: readiness.openedAt == never ? nil : readiness.openedAt,
      readyAtNanoseconds: isReady ? max(readiness.readyAt, activatedAt) : nil,
      late: states.indices.filter { states[$0].marks.contains(.late) }.map { StepIndex($0) },
      failed: readiness.outcome == .cancelled ? [] : readiness.failed.sorted())
  }

  /// The time of activation, in nanoseconds from the start of the run, or nil if the run is not activated.
  public var activatedAtNanoseconds: Int? { activatedAt == never ? nil : activatedAt }

  /// True if the run has been cancelled.
  public var isCancelled: Bool { cancelledAt != never }

  /// The time of an event's first post, in nanoseconds from the start of the run, or nil if it has not been posted.
  public func timeOfEvent(_ name: String) -> Int? {
    events.time(of: name)
  }

  /// The events that were posted, in the order of their first mention, with the time of the first post and its step, if
  /// known.
  package var firstPosts: [(event: String, atNanoseconds: Int, poster: StepIndex?)] {
    events.names.indices.compactMap { index in
      guard events.times[index] != never else { return nil }
      let poster = events.posters[index]
      return (events.names[index], events.times[index], poster < 0 ? nil : poster)
    }
  }

  /// The attempts of a step or item that had several, or an empty array.
  package func attemptTimes(of step: StepIndex) -> [AttemptTimes] {
    guard var attemptTimes = particulars.attemptTimes[step], let last = attemptTimes.indices.last else { return [] }
    guard attemptTimes[last].endedAt == never else { return attemptTimes }
    attemptTimes[last].endedAt = self[state: task(step)].endedAt
    return attemptTimes
  }

  /// The time at which the body of a remote step or item first began, or `Int.min` if it has not. Nil if it is not
  /// remote.
  package func beginning(of step: StepIndex) -> Int? {
    particulars.beginnings[step]?.firstAt ?? (isRemote(step) ? never : nil)
  }

  /// The limited queues with their widths.
  package var queueWidths: [(name: String, width: Int)] {
    queues.filter { $0.width != .max && $0.base == nil }.map { ($0.name, $0.width) }
  }

  /// The posts of an event so far: the first `Limits.events` posts if it repeats, otherwise only the first post.
  public func posts(of event: String) -> [EventPost] {
    guard let index = events.indices[event] else { return [] }
    let times = events.repeated[Int(index)]?.times ?? [events.times[Int(index)]].filter { $0 != never }
    return times.enumerated().map { EventPost(event: event, number: $0 + 1, atNanoseconds: $1) }
  }

  /// The number that the next post of an event would have, or nil if it would not count.
  func numberOfNextPost(of event: String) -> Int? {
    guard let index = events.indices[event] else { return 1 }
    if let posts = events.repeated[Int(index)] { return posts.count < Limits.events ? posts.count + 1 : nil }
    return events.times[Int(index)] == never ? 1 : nil
  }

  /// A post of a repeating event by its number, or nil if it has not been posted.
  func post(_ number: Int, of event: String) -> EventPost? {
    guard let index = events.indices[event], let times = events.repeated[Int(index)]?.times,
      times.indices.contains(number - 1)
    else { return nil }
    return EventPost(event: event, number: number, atNanoseconds: times[number - 1])
  }

  /// The steps that wait for an event, or have waited for it.
  func waiters(for event: String) -> [StepIndex] { events.indices[event].map { events.waiters[Int($0)] } ?? [] }
}

extension Plan {
  /// True if a step is in `finally`.
  public func isFinal(_ step: StepIndex) -> Bool { traits[step].flags.contains(.final) }

  /// The steps that have failed or timed out so far and are not optional, in file order.
  public var failedSteps: [StepIndex] {
    states.indices.map { StepIndex($0) }.filter {
      let outcome = outcome(of: $0)
      return (outcome == .failure || outcome == .timedOut) && !traits[$0].flags.contains(.optional)
    }
  }

  /// The conclusion of the run if nothing else happens; for a step of an included workflow, that of the workflow.
  public func conclusionSoFar(for step: StepIndex) -> RunConclusion {
    graph.workflow.scope(of: step).map { conclusionSoFar(inScope: $0) } ?? runConclusion()
  }
}

/// The instants at which a step was ready, started and finished, each `Int.min` if it did not happen.
package struct StepInstants: Sendable {
  package var readyAt: Int
  package var startedAt: Int
  package var endedAt: Int
  /// The outcome, or nil if the step has not finished.
  package var outcome: Outcome?
}

/// The state of the gate.
public struct GateReading: Sendable, Hashable {
  /// The outcome, or nil while the gate is closed.
  public var outcome: GateOutcome?
  /// The time at which the gate opened, in nanoseconds from the start of the run, or nil if it did not.
  public var openedAtNanoseconds: Int?
  /// The time at which the last blocking step was satisfied, or nil if that did not happen.
  public var readyAtNanoseconds: Int?
  /// The blocking steps that had not finished at the maximum.
  public var late: [StepIndex]
  /// The blocking steps that ended unsatisfied before the gate opened, in file order.
  public var failed: [StepIndex]
}
