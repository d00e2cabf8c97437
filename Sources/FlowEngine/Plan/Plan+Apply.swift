import FlowModel

extension Plan {
  /// Takes in what happened at `now`, nanoseconds from the start of the run. Effects and ready steps follow from it.
  public mutating func apply(_ event: PlanEvent, at now: Int) {
    guard endedAt == nil else { return }
    endSeries()
    _ = tables.makeUnique()
    switch event {
    case .started(let prewarm): start(prewarm: prewarm, at: now)
    case .activated(let resolution): activate(resolution, at: now)
    case .finished(let step, let attempt, let ending): finish(step, UInt8(attempt), ending, at: now)
    case .ready(let step, let attempt): reportReady(step, UInt8(attempt), at: now)
    case .decided(let step, let decision): decide(step, decision, at: now)
    case .posted(let name): post(name, at: now)
    case .announcedEventDone: announcedEvents -= 1
    case .outsideSourceClosed: outsideSourceIsOpen = false
    case .timePassed: handleTimers(at: now)
    case .gateOpened(let outcome): openGate(outcome, at: now)
    case .cancelled: cancel(at: now)
    }
    followUp(at: now)
  }

  /// Takes in that the body of a step succeeded at `now`; the same as applying `finished` with `success`, for the case
  /// that comes most often.
  public mutating func succeeded(_ step: StepIndex, attempt: Int, at now: Int) {
    guard endedAt == nil else { return }
    endSeries()
    _ = tables.makeUnique()
    let place = Int(step)
    if states[place].status == .running, Int(states[place].attempt) == attempt {
      givePlaceBack(step)
      succeed(step, at: now)
    } else {
      finish(step, UInt8(attempt), .success, at: now)
    }
    followUp(at: now)
  }

  /// What follows from any change: cascades, idle steps, the end.
  mutating func followUp(at now: Int) {
    if !unsettledSkips.isEmpty { settleCollected(at: now) }
    if mainHolder != nil { limitMainHold(at: now) }
    guard busyCount == 0 else { return }
    releaseIdle(at: now)
    if queuedCount + runningCount == 0 { checkQuiet(at: now) }
  }

  private mutating func start(prewarm: Bool, at now: Int) {
    hasStarted = true
    isPrewarming = prewarm
    // Those without needs come first.
    for index in graph.topologicalOrder {
      if graph.needCounts[Int(index)] > 0 { break }
      if states[Int(index)].open == 0, states[Int(index)].status == .waiting { release(index, at: now) }
    }
    guard prewarm else { return }
    for index in states.indices
    where traits[index].flags.isSuperset(of: [.disabled, .prewarm]) && states[index].status == .waiting {
      collect(StepIndex(index), .skipped, .disabled)
    }
  }

  private mutating func activate(_ resolution: Resolution, at now: Int) {
    guard activatedAt == never, cancelledAt == never else { return }
    activatedAt = now
    isPrewarming = false
    gateHasCeiling = resolution.gateHasCeiling
    note(.activated, 0, at: now)
    if !resolution.deferred.isEmpty { rearrange(resolution) }
    for index in resolution.disabled {
      traits[Int(index)].flags.insert(.disabled)
      if states[Int(index)].status == .waiting || states[Int(index)].status == .held {
        collect(index, .skipped, .disabled)
      }
    }
    settleCollected(at: now)
    for step in failedBeforeActivation where states[Int(step)].status == .waiting {
      failNeed(of: step, neverPosted: false, at: now)
    }
    failedBeforeActivation.removeAll()
    settleCollected(at: now)
    let held = heldForActivation
    heldForActivation.removeAll()
    for index in held where states[Int(index)].status == .held {
      states[Int(index)].status = .waiting
      release(index, at: now)
    }
    post(LifecycleEvent.activate.rawValue, at: now)
    if !gateFailed.isEmpty {
      decideGate(.failed, at: now)
    } else if blockingCount == 0 {
      decideGate(.ready, at: now)
    }
  }

  /// Arranges anew after expressions put steps off: those not yet released wait for the gate too.
  private mutating func rearrange(_ resolution: Resolution) {
    let before = traits.map(\.flags)
    let queued = states.indices.filter { states[$0].status == .queued }
    let taken = zip(queues.indices, queues.map(\.taken))
    arrange(resolution)
    for (index, count) in taken { queues[index].taken = count }
    for index in states.indices where traits[index].flags.contains(.deferred) && !before[index].contains(.deferred) {
      switch states[index].status {
      case .waiting: states[index].open += 1
      case .held:
        states[index].status = .waiting
        states[index].open += 1
        heldForActivation.removeAll { $0 == StepIndex(index) }
      default: break
      }
    }
    gateFailed.removeAll { [traits] step in !traits[Int(step)].flags.contains(.blocking) }
    isAnyBlockingUnsatisfied = !gateFailed.isEmpty
    for index in queued { queues[Int(traits[index].queue)].ready.insert(Int(traits[index].position)) }
  }

  private mutating func post(_ name: String, at now: Int) {
    let event = Int(index(ofEvent: name))
    guard eventTimes[event] == never else { return }
    eventTimes[event] = now
    note(.posted, StepIndex(event), at: now)
    guard cancelledAt == never else { return }
    for step in eventWaiters[event] where states[Int(step)].status == .waiting { countDown(step, at: now) }
  }

  private mutating func decide(_ step: StepIndex, _ decision: Decision, at now: Int) {
    guard states[Int(step)].status == .deciding else { return }
    decidingCount -= 1
    states[Int(step)].status = .waiting
    switch decision {
    case .run:
      if cancelledAt != never { states[Int(step)].marks.insert(.cleanup) }
      admit(step, at: now)
    case .fail(let failure):
      failures[step] = failure
      collect(step, .failure, nil)
    case .skip:
      let marks = states[Int(step)].marks
      let reason: SkipReason =
        cancelledAt != never
        ? .runCancelled
        : marks.contains(.needFailed)
          ? .upstreamFailed : marks.contains(.needNeverPosted) ? .eventNeverPosted : .condition
      collect(step, .skipped, reason)
    }
  }
}
