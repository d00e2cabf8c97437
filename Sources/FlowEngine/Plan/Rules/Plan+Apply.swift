import FlowModel

extension Plan {
  /// Applies an event that happens at `now`, in nanoseconds from the start of the run. Afterwards, the driver carries
  /// out the effects and starts the steps that the plan offers.
  package mutating func apply(_ event: PlanEvent, at now: Int) {
    guard endedAt == nil else { return }
    mutate {
      $0.takeIn(event, at: now)
      $0.followUp(at: now)
    }
  }

  private mutating func takeIn(_ event: PlanEvent, at now: Int) {
    switch event {
    case .started(let prewarm): start(prewarm: prewarm, at: now)
    case .activated(let resolution): activate(resolution, at: now)
    case .ended(let step, let attempt, let ending): takeEnd(of: task(step), UInt8(attempt), ending, at: now)
    case .begun(let step, let attempt): begin(task(step), UInt8(attempt), at: now)
    case .ready(let step, let attempt): reportReady(task(step), UInt8(attempt), at: now)
    case .decided(let step, let decision):
      let task = task(step)
      if task.isItem { decide(item: task, decision, at: now) } else { decide(step, decision, at: now) }
    case .expanded(let step, let expansion): takeIn(expansion, of: step, at: now)
    case .posted(let name): post(name, at: now)
    case .announcedEventDone: outstanding.announcedEvents -= 1
    case .needsTimeToEnd(let step, let attempt, let time): extendGrace(task(step), attempt, by: time, at: now)
    case .expectsFromOutside(let change): outstanding.expectedFromOutside += change
    case .handledPost(let step): outstanding.unhandledPosts[step, default: 0] -= 1
    case .outsideSourceClosed:
      outstanding.outsideSourceIsOpen = false
      if graph.workflow.keepsServices { hasKeptServices = true }
    case .timePassed: handleTimers(at: now)
    case .gateOpened(let opened): openGate(opened, at: now)
    case .cancelled: cancel(at: now)
    case .keptLongEnough: endKeeping()
    }
  }

  /// Records that the body of a step succeeded. The effect is the same as that of applying `ended` with `success`, but
  /// this function is faster.
  package mutating func succeeded(_ step: StepIndex, attempt: Int, at now: Int) {
    guard endedAt == nil else { return }
    mutate { plan in
      let task = plan.task(step)
      if plan.isAwaiting(task, attempt: attempt) {
        plan.vacate(task)
        plan.succeed(task, at: now)
        plan.refresh(task, at: now)
      } else {
        plan.takeEnd(of: task, UInt8(attempt), .success, at: now)
      }
      plan.followUp(at: now)
    }
  }

  /// Handles the consequences of any change: finishes collected steps, starts time limits, releases steps that wait for
  /// bodies, for all other steps or for an idle run, and checks whether the run has ended.
  mutating func followUp(at now: Int) {
    if !outstanding.collected.isEmpty { finishCollected(at: now) }
    if cancelledAt != never { beginCleanupTime(at: now) }
    if !outstanding.awaitingBodies.isEmpty { releaseAfterBodies(at: now) }
    if outstanding.mainHolder != nil { limitMainHold(at: now) }
    guard counts.busy == 0 else { return }
    releaseFinalSteps(at: now)
    releaseIdle(at: now)
    if counts.queued + counts.running == 0 { checkIdle(at: now) }
  }

  private mutating func start(prewarm: Bool, at now: Int) {
    hasStarted = true
    isPrewarming = prewarm
    leaveOutUnselected(at: now)
    // Steps without dependencies come first in topological order.
    for step in graph.topologicalOrder {
      if graph.dependencyCounts[Int(step)] > 0 { break }
      if states[step].open == 0, states[step].status == .waiting { release(step, at: now) }
    }
    guard prewarm else { return }
    for index in states.indices
    where traits[index].flags.isSuperset(of: [.disabled, .prewarm]) && states[index].status == .waiting {
      collect(StepIndex(index), .skipped, .disabled)
    }
  }

  mutating func activate(_ resolution: Resolution, at now: Int) {
    guard activatedAt == never, cancelledAt == never else { return }
    activatedAt = now
    isPrewarming = false
    readiness.bounds = resolution.gate
    readiness.countsFrom = now
    limitRun(from: now)
    noteEntry(.activated(resolution, atNanoseconds: now))
    resolvedDeferrals = resolution.deferred
    note(.partial(.activated), at: now)
    if !resolution.deferred.isEmpty { rearrange(resolution) }
    for step in resolution.disabled {
      traits[step].flags.insert(.disabled)
      if let entry = entryAhead(of: step) {
        traits[entry].flags.insert(.timed)
      } else {
        skipDisabled(step)
      }
    }
    finishCollected(at: now)
    for step in outstanding.failedBeforeActivation where states[step].status == .waiting {
      failDependency(of: step, neverPosted: false, at: now)
    }
    outstanding.failedBeforeActivation.removeAll()
    finishCollected(at: now)
    let held = outstanding.heldForActivation
    outstanding.heldForActivation.removeAll()
    for step in held where states[step].status == .held {
      move(step, to: .waiting)
      release(step, at: now)
    }
    post(LifecycleEvent.activate.rawValue, at: now)
    if !readiness.failed.isEmpty {
      decideGate(.failed, at: now)
    } else if counts.blocking == 0 {
      decideGate(.ready, at: now)
    }
  }

  /// Records that a step or item posts an event, and applies the post.
  package mutating func post(_ name: String, by step: StepIndex, at now: Int) {
    let poster = owner(of: step)
    // Ignore the post, because a service that keeps posting would prevent the run from ending.
    if outstanding.serving.contains(poster), hasStoppedKeeping, !mayPostAtEnd(poster) { return }
    if endedAt == nil { events.note(poster: poster, of: name) }
    apply(.posted(name), at: now)
  }

  mutating func post(_ name: String, at now: Int) {
    let event = events.index(of: name)
    let isFirst = events.times[event] == never
    let number = events.notePost(of: event, at: now)
    guard isFirst || number != nil else { return }
    if isFirst { events.times[event] = now }
    if isFirst || number ?? 0 <= Limits.events {
      let poster = isFirst ? events.posters[event] : -1
      noteEntry(.posted(name, by: poster < 0 ? .outside : .step(poster), atNanoseconds: now))
    }
    note(.partial(.posted(event: event, number: number)), at: now)
    guard cancelledAt == never else { return }
    if let number {
      effects.append(.posted(EventPost(event: name, number: number, atNanoseconds: now)))
      if outstanding.countsUnhandledPosts { notePost(toBeHandled: name) }
      for index in fanOuts.following(event) { takePosts(index, at: now) }
    }
    guard isFirst else { return }
    for step in events.waiters[event] where states[step].status == .waiting { countDown(step, at: now) }
  }

  /// Adds a post to the unhandled posts of each unfinished service that follows the event and posts events from outside
  /// the run.
  private mutating func notePost(toBeHandled event: String) {
    for (step, fact) in facts where fact.isFedFromOutside && fact.followedEvents.contains(event) {
      guard states[step].status != .done || outstanding.serving.contains(step) else { continue }
      outstanding.unhandledPosts[step, default: 0] += 1
    }
  }
}
