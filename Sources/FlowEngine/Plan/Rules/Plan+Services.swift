import FlowModel

// Services: they are finished for all others once they are ready, and go on. They stop in the reverse order of their needs, those
// of an included file when the rest of it has finished, all others when the rest of the run has.
extension Plan {
  /// A service reported ready: it is finished for all others, and continues.
  mutating func reportReady(_ task: PlanTask, _ attempt: UInt8, at now: Int) {
    guard !task.isItem, isAwaiting(task, attempt: Int(attempt)), traits[task.step].flags.contains(.service) else {
      return
    }
    vacate(task)
    states[task.step].marks.insert(.serving)
    outstanding.serving.insert(task.step)
    succeed(task, at: now)
  }

  /// A service that its dependents saw ready has failed.
  mutating func failAfterReady(_ step: StepIndex, _ failure: StepFailure, at now: Int) {
    states[step].marks.insert(.failedAfterReady)
    noteEntry(.failedAfterReady(step, failure, atNanoseconds: now))
  }

  /// The body of a service that was ready has returned or thrown.
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

  /// Whether a step is a command that kept running, was ready and has ended by itself, so that the steps that need it cannot
  /// continue.
  func hasEndedForGood(_ step: StepIndex) -> Bool {
    states[step].marks.contains(.failedAfterReady) && facts[step]?.isCommandService == true
      && !traits[step].flags.contains(.optional)
  }

  // MARK: Stopping

  /// Asks those of these services to stop that no other one of them needs, directly or through other steps.
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

  /// A service has stopped, or is not waited for any more: the next ones may stop, and the end of its file continues.
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

  /// The services that are commands in included files, by the step that ends the file.
  static func servicesOfFiles(_ workflow: Workflow, _ facts: [StepIndex: StepFacts]) -> [StepIndex: [StepIndex]] {
    guard !workflow.scopes.isEmpty, facts.values.contains(where: \.isCommandService) else { return [:] }
    var found: [StepIndex: [StepIndex]] = [:]
    for scope in workflow.scopes {
      let services = scope.members.filter { facts[$0]?.isCommandService == true }
      if !services.isEmpty { found[scope.exit] = services }
    }
    return found
  }

  private func serving(inFileEndingIn exit: StepIndex) -> Set<StepIndex> {
    Set((servicesOfFiles[exit] ?? []).filter { outstanding.serving.contains($0) })
  }

  /// Asks the services of an included file to stop whose other steps have all finished; returns whether there are any. The end of
  /// the file then waits for them.
  mutating func endsServices(ofFileEndingIn exit: StepIndex, at now: Int) -> Bool {
    guard !servicesOfFiles.isEmpty else { return false }
    let serving = serving(inFileEndingIn: exit)
    guard !serving.isEmpty else { return false }
    states[exit].open = 1
    outstanding.endingFiles.insert(exit)
    stopServices(among: serving, at: now)
    return true
  }

  // MARK: A service that has ended by itself

  /// Cancels the steps that need a service which has ended, directly or through other steps, and skips those that have not begun.
  /// Steps that ask how those before them ended continue, and so do services that are ready.
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

  /// The code of a service that ended before it was asked to, and of the steps that it took with it.
  static let serviceEndedCode = "service-ended"

  // MARK: Keeping services

  /// Whether the run waits with its services, as `keep: services` asks for: all other steps have finished, those of `finally` have
  /// not begun, and no service has ended for good that is not optional.
  package var isKeepingServices: Bool {
    guard graph.workflow.keepsServices, !hasKeptServices, !isClosing, cancelledAt == never, activatedAt != never,
      counts.unsettled == outstanding.finalSteps.count(where: { states[$0].status != .done })
    else { return false }
    var isAnyServing = false
    for (step, fact) in facts where fact.isCommandService && !traits[step].flags.contains(.final) {
      guard graph.workflow.scope(of: step) == nil else { continue }
      if outstanding.serving.contains(step) {
        isAnyServing = true
      } else if !traits[step].flags.contains(.optional), outcome(of: step) == .failure || outcome(of: step) == .timedOut
      {
        return false
      }
    }
    return isAnyServing
  }
}
