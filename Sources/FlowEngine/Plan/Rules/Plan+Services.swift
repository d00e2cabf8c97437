import FlowModel

// A service counts as finished once it is ready, and continues to run. Services stop before the services that they
// depend on: those of an included file when its other steps have finished, all others at the end of the run.
extension Plan {
  /// Finishes the step of a service that has reported that it is ready, and adds it to the serving steps.
  mutating func reportReady(_ task: PlanTask, _ attempt: UInt8, at now: Int) {
    guard !task.isItem, isAwaiting(task, attempt: Int(attempt)), traits[task.step].flags.contains(.service) else {
      return
    }
    vacate(task)
    states[task.step].marks.insert(.serving)
    outstanding.serving.insert(task.step)
    succeed(task, at: now)
  }

  mutating func failAfterReady(_ step: StepIndex, _ failure: StepFailure, at now: Int) {
    states[step].marks.insert(.failedAfterReady)
    noteEntry(.failedAfterReady(step, failure, atNanoseconds: now))
  }

  /// Handles the end of a service that had reported that it was ready.
  mutating func endService(_ step: StepIndex, _ ending: Ending, at now: Int) {
    states[step].marks.remove(.serving)
    let isFileEnding = outstanding.endingFiles.contains { servicesOfFiles[$0]?.contains(step) == true }
    let wasAskedTo = isFileEnding || outstanding.stopping.contains(step)
    noteStop(ofService: step, at: now)
    guard case .failure(let failure, _, _) = ending, !isClosing, !wasAskedTo else { return }
    particulars.failures[step] = failure
    if states[step].status == .done {
      guard states[step].outcome == .success else { return }
      failAfterReady(step, failure, at: now)
      if hasEndedForGood(step) { withdraw(from: step, at: now) }
    } else {
      finish(step, .failure, nil, at: now)
    }
  }

  /// True if a command service has ended on its own after it was ready, and is not optional. Steps that depend on it
  /// cannot continue.
  func hasEndedForGood(_ step: StepIndex) -> Bool {
    states[step].marks.contains(.failedAfterReady) && facts[step]?.isCommandService == true
      && !traits[step].flags.contains(.optional)
  }

  // MARK: Stopping

  /// Stops the services in `services` that no other service in the set depends on, directly or indirectly.
  mutating func stopServices(among services: Set<StepIndex>, at now: Int) {
    for step in last(of: services) where outstanding.stopping.insert(step).inserted {
      effects.append(.cancel(step, attempt: Int(states[step].attempt)))
      timers.insert(
        PlanTimer(atNanoseconds: now + grace(step), kind: .grace, step: step, attempt: states[step].attempt))
    }
  }

  private func last(of services: Set<StepIndex>) -> [StepIndex] {
    guard services.count > 1 else { return Array(services) }
    var leadsToService = [Bool](repeating: false, count: states.count)
    var found: [StepIndex] = []
    for step in graph.topologicalOrder.reversed() {
      let isService = services.contains(step)
      if isService, !leadsToService[Int(step)] { found.append(step) }
      guard isService || leadsToService[Int(step)] else { continue }
      for need in needs(of: step) { leadsToService[Int(need)] = true }
    }
    return found.sorted()
  }

  /// Handles a service that has stopped or was abandoned: asks the next services of its file to stop, and releases the
  /// file's exit after the last one.
  mutating func noteStop(ofService step: StepIndex, at now: Int) {
    outstanding.serving.remove(step)
    outstanding.stopping.remove(step)
    for exit in outstanding.endingFiles.sorted() {
      let serving = serving(inFileEndingIn: exit)
      guard serving.isEmpty else {
        stopServices(among: serving, at: now)
        continue
      }
      outstanding.endingFiles.remove(exit)
      if states[exit].status == .waiting { countDown(exit, at: now) }
    }
  }

  // MARK: Included files

  /// The command services of included files, by the exit of the file.
  static func servicesOfFiles(_ workflow: Workflow, _ facts: [StepIndex: StepFacts]) -> [StepIndex: [StepIndex]] {
    guard !workflow.scopes.isEmpty, facts.values.contains(where: \.isCommandService) else { return [:] }
    var found: [StepIndex: [StepIndex]] = [:]
    for scope in workflow.scopes {
      let services = scope.members.filter { facts[$0]?.isCommandService == true }
      if !services.isEmpty { found[scope.exit] = services }
    }
    return found
  }

  /// Returns the ready services of an included file, which is named by its exit.
  func serving(inFileEndingIn exit: StepIndex) -> Set<StepIndex> {
    Set((servicesOfFiles[exit] ?? []).filter { outstanding.serving.contains($0) })
  }

  /// Asks the services of an included file to stop. Returns true if there are any; the exit then waits for them.
  mutating func endsServices(ofFileEndingIn exit: StepIndex, at now: Int) -> Bool {
    guard !servicesOfFiles.isEmpty else { return false }
    let serving = serving(inFileEndingIn: exit)
    guard !serving.isEmpty else { return false }
    states[exit].open = 1
    outstanding.endingFiles.insert(exit)
    stopServices(among: serving, at: now)
    return true
  }

  // MARK: A service that has ended on its own

  /// Cancels the running steps that depend on a service that has ended, directly or indirectly, and skips those that
  /// have not started. Services that are ready continue, and so do steps of `finally` and steps whose `if` calls a
  /// status function.
  private mutating func withdraw(from service: StepIndex, at now: Int) {
    guard cancelledAt == never else { return }
    let failure = StepFailure(
      code: Self.serviceEndedCode,
      message: "the service '\(graph.workflow.steps[Int(service)].id)', which the step needs, has ended")
    var isReached = [Bool](repeating: false, count: states.count)
    isReached[Int(service)] = true
    for step in graph.topologicalOrder where isReached[Int(step)] {
      for edge in successorEdges(of: step) {
        let successor = graph.successors[edge]
        if !traits[successor].flags.contains(.final) { isReached[Int(successor)] = true }
      }
      if step != service { withdraw(step, failure, at: now) }
    }
    finishCollected(at: now)
  }

  private mutating func withdraw(_ step: StepIndex, _ failure: StepFailure, at now: Int) {
    let status = states[step].status
    guard status != .done else { return }
    let flags = traits[step].flags
    if flags.contains(.exit) {
      outstanding.withdrawnFiles.insert(step)
      particulars.failures[step] = failure
    }
    guard flags.isDisjoint(with: [.seesStatus, .exit]) else {
      states[step].marks.insert(.dependencyFailed)
      return
    }
    if states[step].attempt == 0, status != .running {
      collect(step, .skipped, .upstreamFailed)
    } else {
      particulars.failures[step] = failure
      end(step, at: now)
    }
  }

  /// The failure code of steps that are cancelled because a service they need has ended.
  static let serviceEndedCode = "service-ended"

  // MARK: Keeping services

  /// True while only `keep: services` keeps the run from ending. It stays true while steps run for events that are
  /// posted in the meantime.
  package var isKeepingServices: Bool { hasBegunKeeping && mayKeepServices }

  /// True if `keep: services` is all that keeps the run from ending: nothing is in progress, and all unfinished steps
  /// wait for events or belong to `finally`. In addition, a service must be running, or a step must wait for further
  /// posts of an event.
  var waitsWithServices: Bool {
    guard mayKeepServices else { return false }
    if counts.unsettled != outstanding.finalSteps.count(where: { states[$0].status != .done }) {
      guard counts.isStill, outstanding.endingFiles.isEmpty, outstanding.awaitingBodies.isEmpty,
        outstanding.announcedEvents <= 0, readiness.outcome != nil || !isGateAwaited
      else { return false }
      if isFollowingEvents { return true }
    }
    return outstanding.serving.contains { !traits[$0].flags.contains(.final) && graph.workflow.scope(of: $0) == nil }
  }

  /// Begins to wait with the services if only they keep the run from ending. Returns true if they do.
  @discardableResult
  mutating func beginKeeping() -> Bool {
    guard waitsWithServices else { return false }
    hasBegunKeeping = true
    return true
  }

  /// True if the gate opens at its maximum, or if steps outside `finally` wait for it.
  private var isGateAwaited: Bool {
    readiness.bounds.maximumNanoseconds != nil
      || readiness.deferredSteps.contains { !traits[$0].flags.contains(.final) && states[$0].status != .done }
  }

  /// True if `keep: services` may keep the run from ending. False in a forecast, because nothing would end the wait.
  private var mayKeepServices: Bool {
    graph.workflow.keepsServices && !outstanding.outsideServicesEnd && !hasKeptServices && !isClosing
      && cancelledAt == never && activatedAt != never && !hasLostService
  }

  /// True if a run with `keep: services` no longer waits for its services. After that, their posts start no further
  /// steps.
  var hasStoppedKeeping: Bool { graph.workflow.keepsServices && (hasKeptServices || hasLostService) }

  /// True if a service of the workflow itself has failed or timed out and is not optional.
  private var hasLostService: Bool {
    facts.contains { step, fact in
      guard fact.isService, traits[step].flags.isDisjoint(with: [.final, .optional]),
        graph.workflow.scope(of: step) == nil
      else { return false }
      return outcome(of: step) == .failure || outcome(of: step) == .timedOut
    }
  }

  /// True if a step waits for further posts of the event whose posts are its items.
  private var isFollowingEvents: Bool {
    fanOuts.following().contains {
      states[fanOuts[$0].step].status == .held && !traits[fanOuts[$0].step].flags.contains(.final)
    }
  }

  /// Ends the wait of a run that was kept for its services. No further events are expected from outside the run.
  mutating func endKeeping() {
    hasKeptServices = true
    outstanding.outsideSourceIsOpen = false
    outstanding.announcedEvents = min(outstanding.announcedEvents, 0)
  }
}
