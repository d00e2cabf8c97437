import FlowModel

/// The state of a step at the time of reading.
package struct StepReading: Sendable, Hashable {
  /// The phase of the step, such as waiting or running.
  package var status: StepStatus
  /// The outcome, or nil if the step has not finished.
  package var outcome: Outcome?
  /// The reason why the step was skipped, or nil if it was not.
  package var reason: SkipReason?
  /// The number of attempts so far.
  package var attempts: Int
  /// The name of the queue that the step belongs to.
  package var queue: String
  /// The time at which only a slot was missing for the step to start, in nanoseconds from the start of the run, or nil
  /// if the step was never ready.
  package var readyAtNanoseconds: Int?
  /// The start of the first attempt, or nil if none has started.
  package var startedAtNanoseconds: Int?
  /// The time at which the step finished, or nil if it has not finished.
  package var endedAtNanoseconds: Int?
  /// The time from the step's maximum to the end of its body, or nil if the body ended in time.
  package var overrunNanoseconds: Int?
  /// True if the step's body was abandoned, because it did not end when asked to.
  package var isAbandoned: Bool
  /// True if the step starts only after the gate has opened.
  package var isDeferred: Bool
  /// True if the gate waits for the step.
  package var isBlocking: Bool
  /// True if the step is blocking and had not finished when the gate timed out.
  package var isLate: Bool
  /// The failure of the step or, if it has not finished, of its last failed attempt. Nil if there is none.
  package var failure: StepFailure?
  /// The outcome, except that the failure or timeout of an optional step counts as a success. Nil if the step has not
  /// finished.
  package var conclusion: Outcome?
}

extension Plan {
  /// The current state of a step.
  package subscript(step: StepIndex) -> StepReading {
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

  /// Returns the times and outcome of a step. This is cheaper than a ``StepReading``.
  package func instants(of step: StepIndex) -> StepInstants {
    let state = states[step]
    return StepInstants(
      readyAt: state.readyAt, startedAt: state.startedAt, endedAt: state.endedAt, outcome: state.outcome)
  }

  /// The outcome of the gate, the time at which it opened, and the time at which its last blocking step was satisfied.
  /// A time that is not known is `Int.min`.
  package var gateInstants: (outcome: GateOutcome?, openedAt: Int, readyAt: Int) {
    (readiness.outcome, readiness.openedAt, readiness.readyAt == never ? never : max(readiness.readyAt, activatedAt))
  }

  /// Returns the outcome of a step, or nil if it has not finished.
  func outcome(of step: StepIndex) -> Outcome? {
    let state = states[step]
    return state.marks.contains(.failedAfterReady) ? .failure : state.outcome
  }

  /// Returns the conclusion of a step or item: its outcome, except that the failure or timeout of an optional step
  /// counts as a success. Returns nil if it has not finished.
  package func conclusion(of step: StepIndex) -> Outcome? {
    let task = task(step)
    let outcome = task.isItem ? self[state: task].outcome : outcome(of: step)
    guard traits[task.step].flags.contains(.optional), outcome == .failure || outcome == .timedOut else {
      return outcome
    }
    return .success
  }

  func failure(of step: StepIndex) -> StepFailure? {
    particulars.failures.isEmpty ? nil : particulars.failures[step]
  }

  /// Returns the status functions that are true in the `if` of a step whose dependencies have finished.
  package func status(of step: StepIndex) -> StepFacts.StatusFunctions {
    var functions: StepFacts.StatusFunctions = .always
    if traits[step].flags.contains(.final) {
      // In `finally`, status functions consider the outcomes of all steps, not only those of dependencies.
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

  /// True if this attempt is running and the plan waits for its end.
  func isAwaiting(_ step: StepIndex, attempt: Int) -> Bool { isAwaiting(task(step), attempt: attempt) }

  @inline(__always)
  func isAwaiting(_ task: PlanTask, attempt: Int) -> Bool {
    self[state: task].status == .running && Int(self[state: task].attempt) == attempt
  }

  /// The running attempts of steps and items in this process, without services that have reported that they are ready.
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

  /// True if a body that was asked to end has not returned.
  var hasEndingBodies: Bool { !outstanding.cancelling.isEmpty }

  /// True if an attempt of the step, or of one of its items, has started.
  func hasBegun(_ step: StepIndex) -> Bool { states[step].attempt > 0 }

  func isServing(_ step: StepIndex, attempt: Int) -> Bool {
    Int(step) < states.count && Int(states[step].attempt) == attempt && states[step].marks.contains(.serving)
  }

  /// True if the body of this attempt may still be running: its end is awaited, it is a service, or it was asked to end
  /// and has not returned.
  func isRunning(_ step: StepIndex, attempt: Int) -> Bool {
    isAwaiting(step, attempt: attempt) || isServing(step, attempt: attempt)
      || outstanding.cancelling[Attempt(step: step, attempt: UInt8(attempt))] != nil
  }

  /// The number of steps that wait for a slot.
  var queuedSteps: Int { counts.queued }

  /// The number of steps of a pool that wait for a slot.
  func queuedSteps(in pool: Pool) -> Int {
    if hasOnlyBuiltInQueues { return queues[pool.index].ready.count }
    var count = 0
    for queue in queues where queue.pool == pool { count += queue.ready.count }
    return count
  }

  func queueName(of step: StepIndex) -> String { queues[traits[step].queue].name }

  /// The pool that runs a step or item.
  package func pool(of step: StepIndex) -> Pool { queues[traits[owner(of: step)].queue].pool }

  func eventName(_ index: Int) -> String { events.names[index] }

  /// The minimum and maximum of the gate. Before activation, only literal values are known.
  package var gateBounds: GateBounds { readiness.bounds }

  /// The number of steps and items of a pool that could start now.
  func startableSteps(in pool: Pool) -> Int {
    guard counts.queued > 0 else { return 0 }
    if countsMachine, let machine = machineReading {
      return startableSteps(in: pool) { index, ready in machine.startable(index, ready: ready) }
    }
    return startableSteps(in: pool) { index, ready in min(ready, queues[index].width - queues[index].occupied) }
  }

  @inline(__always)
  private func startableSteps(in pool: Pool, _ startable: (_ queue: Int, _ ready: Int) -> Int) -> Int {
    var count = 0
    for index in queues.indices where queues[index].pool == pool {
      let items = fanOuts.isEmpty ? 0 : startableItems(in: index)
      count += startable(index, queues[index].ready.count + items)
    }
    return min(count, concurrency - counts.occupied)
  }

  /// The state of the launch gate.
  public var gate: GateReading {
    // The gate's time starts at activation, so the gate cannot be ready earlier, even if blocking steps were prewarmed
    // (P8).
    let isReady = readiness.readyAt != never && activatedAt != never
    return GateReading(
      outcome: readiness.outcome, openedAtNanoseconds: readiness.openedAt == never ? nil : readiness.openedAt,
      readyAtNanoseconds: isReady ? max(readiness.readyAt, activatedAt) : nil,
      late: states.indices.filter { states[$0].marks.contains(.late) }.map { StepIndex($0) },
      failed: readiness.outcome == .cancelled ? [] : readiness.failed.sorted())
  }

  /// The time of activation, in nanoseconds from the start of the run, or nil if the run is not activated.
  package var activatedAtNanoseconds: Int? { activatedAt == never ? nil : activatedAt }

  /// True if the run has been cancelled.
  package var isCancelled: Bool { cancelledAt != never }

  /// Returns the time of an event's first post in nanoseconds from the start of the run, or nil if it was not posted.
  package func timeOfEvent(_ name: String) -> Int? {
    events.time(of: name)
  }

  /// The posted events, each with the time of its first post and the step that posted it, if known.
  package var firstPosts: [(event: String, atNanoseconds: Int, poster: StepIndex?)] {
    events.names.indices.compactMap { index in
      guard events.times[index] != never else { return nil }
      let poster = events.posters[index]
      return (events.names[index], events.times[index], poster < 0 ? nil : poster)
    }
  }

  /// Returns the attempts of a step or item, or an empty array if there was only one and no minimum delayed its end.
  package func attemptTimes(of step: StepIndex) -> [AttemptTimes] {
    guard var attemptTimes = particulars.attemptTimes[step], let last = attemptTimes.indices.last else { return [] }
    guard attemptTimes[last].endedAt == never else { return attemptTimes }
    attemptTimes[last].endedAt = self[state: task(step)].endedAt
    return attemptTimes
  }

  /// Returns the time at which a worker first began the body of a remote step or item, or `Int.min` if none has.
  /// Returns nil for a local one.
  package func beginning(of step: StepIndex) -> Int? {
    particulars.beginnings[step]?.firstAt ?? (isRemote(step) ? never : nil)
  }

  /// The queues with a limited width, each with that width.
  package var queueWidths: [(name: String, width: Int)] {
    queues.filter { $0.width != .max && $0.base == nil }.map { ($0.name, $0.width) }
  }

  /// Returns the posts of an event: the first `Limits.events` posts if it repeats, otherwise only the first one.
  package func posts(of event: String) -> [EventPost] {
    guard let index = events.indices[event] else { return [] }
    let times = events.repeated[Int(index)]?.times ?? [events.times[Int(index)]].filter { $0 != never }
    return times.enumerated().map { EventPost(event: event, number: $0 + 1, atNanoseconds: $1) }
  }

  /// Returns the number of the next post of an event, or nil if that post will be ignored.
  func numberOfNextPost(of event: String) -> Int? {
    guard let index = events.indices[event] else { return 1 }
    if let posts = events.repeated[Int(index)] { return posts.count < Limits.events ? posts.count + 1 : nil }
    return events.times[Int(index)] == never ? 1 : nil
  }

  /// Returns a post of a repeating event by its number. Returns nil if it was not posted or is not one of the first
  /// `Limits.events`.
  func post(_ number: Int, of event: String) -> EventPost? {
    guard let index = events.indices[event], let times = events.repeated[Int(index)]?.times,
      times.indices.contains(number - 1)
    else { return nil }
    return EventPost(event: event, number: number, atNanoseconds: times[number - 1])
  }

  /// Returns the steps with an `after` that names the event.
  func waiters(for event: String) -> [StepIndex] { events.indices[event].map { events.waiters[Int($0)] } ?? [] }
}

extension Plan {
  /// True if a step belongs to `finally`.
  package func isFinal(_ step: StepIndex) -> Bool { traits[step].flags.contains(.final) }

  /// The steps that have failed or timed out and are not optional, in file order.
  package var failedSteps: [StepIndex] {
    states.indices.map { StepIndex($0) }.filter {
      let outcome = outcome(of: $0)
      return (outcome == .failure || outcome == .timedOut) && !traits[$0].flags.contains(.optional)
    }
  }

  /// Returns the conclusion that the included workflow of `step` would have if it ended now, or that of the run if the
  /// step belongs to no included workflow.
  package func conclusionSoFar(for step: StepIndex) -> RunConclusion {
    graph.workflow.scope(of: step).map { conclusionSoFar(inScope: $0) } ?? runConclusion()
  }
}

/// The times at which a step became ready, started and finished. A time is `Int.min` if the transition has not
/// happened.
package struct StepInstants: Sendable {
  package var readyAt: Int
  package var startedAt: Int
  package var endedAt: Int
  /// The outcome, or nil if the step has not finished.
  package var outcome: Outcome?
}

/// The state of the launch gate at the time of reading.
public struct GateReading: Sendable, Hashable {
  /// The outcome, or nil while the gate is closed.
  public var outcome: GateOutcome?
  /// The time at which the gate opened, in nanoseconds from the start of the run, or nil if it has not.
  public var openedAtNanoseconds: Int?
  /// The time at which the last blocking step was satisfied, but no earlier than activation. Nil before activation, or
  /// if a blocking step has not been satisfied.
  package var readyAtNanoseconds: Int?
  /// The blocking steps that had not finished when the gate reached its maximum.
  package var late: [StepIndex]
  /// The blocking steps that ended unsatisfied before the gate opened, in file order. Empty if the run was cancelled
  /// before the gate opened.
  package var failed: [StepIndex]
}
