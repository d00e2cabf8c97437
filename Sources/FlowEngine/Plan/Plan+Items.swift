import FlowModel

// The life of an item, which is that of a step but for what concerns others: it waits for nothing, and nobody waits for it
// but the step that it belongs to.
extension Plan {
  /// Starts the next item of a step that has one and room for it.
  mutating func startItem(of step: StepIndex, at now: Int) -> (step: StepIndex, attempt: Int)? {
    guard let index = fans.index(of: step), let item = fans[index].takeNext() else { return nil }
    let instance = fans[index].firstInstance + StepIndex(item)
    let isFirst = fans[index].states[item].startedAt == never
    fans[index].states[item].status = .running
    fans[index].states[item].attempt += 1
    if isFirst {
      fans[index].states[item].startedAt = now
      fans[index].states[item].readyAt = max(fans[index].states[item].readyAt, states[step].readyAt)
    } else {
      particulars.tries[instance, default: []].noteStart(at: now)
      noteFact(.item(of: step, .begun(StepIndex(item), isRemote: false, atNanoseconds: now)))
    }
    fans[index].running += 1
    fans[index].occupied += 1
    occupy(step)
    if states[step].startedAt == never { noteFirstStart(of: step, at: now) }
    if traits[step].flags.contains(.timed), !isRemote(step) {
      setItemCeilings(item, of: index, isFirst: isFirst, at: now)
    }
    let attempt = Int(fans[index].states[item].attempt)
    if journal?.keepsStarts == true {
      noteFact(.item(of: step, .started(StepIndex(item), attempt: attempt, atNanoseconds: now)))
    }
    if !isRemote(step) { noteItemStart(item, of: index, at: now) }
    refresh(index, at: now)
    return (instance, attempt)
  }

  /// Notes that an attempt of an item started.
  mutating func noteItemStart(_ item: Int, of index: Int, at now: Int) {
    guard detail == .full, fans[index].detail == .full else { return }
    let kind = PlanRecord.Whole.started(
      fans[index].firstInstance + StepIndex(item), attempt: Int(fans[index].states[item].attempt),
      queue: Int(traits[fans[index].step].queue))
    tables.log.pointee.append(.whole(kind), at: now)
  }

  /// The step has begun.
  mutating func noteFirstStart(of step: StepIndex, at now: Int) {
    states[step].attempt = 1
    states[step].startedAt = now
    if !isRemote(step) { noteStart(of: step, at: now) }
    if let limit = options(of: step).fan?.deadline {
      timers.insert(PlanTimer(atNanoseconds: now + limit.nanoseconds, kind: .deadline, step: step, attempt: 0))
    }
  }

  mutating func setItemCeilings(_ item: Int, of index: Int, isFirst: Bool, at now: Int) {
    let instance = fans[index].firstInstance + StepIndex(item)
    let options = options(of: fans[index].step)
    if isFirst, let max = options.deadline?.max {
      timers.insert(PlanTimer(atNanoseconds: now + max.nanoseconds, kind: .deadline, step: instance, attempt: 0))
    }
    if let max = options.retry?.attemptDeadline {
      particulars.attemptStarts[instance] = now
      timers.insert(
        PlanTimer(
          atNanoseconds: now + max.nanoseconds, kind: .deadline, step: instance,
          attempt: fans[index].states[item].attempt))
    }
  }

  // MARK: Bodies

  /// Takes in that the body of an item succeeded and starts the next step or item of a lane.
  mutating func passOnItem(
    _ instance: StepIndex, attempt: Int, in lane: Lane, at now: Int
  ) -> (step: StepIndex, attempt: Int)? {
    if attempt == 1, isOrdinary, let next = advanceItem(from: instance, in: lane, at: now) { return (next, 1) }
    succeeded(instance, attempt: attempt, at: now)
    return hasEffects ? nil : startNext(in: lane, at: now)
  }

  /// The same for the case that comes most often: nothing is special about the run, the step or the item, and the next to
  /// start is another item of the step, which takes the place that this one leaves. Nil: something is.
  private mutating func advanceItem(from instance: StepIndex, in lane: Lane, at now: Int) -> StepIndex? {
    let (index, item) = fans.fanItem(of: instance)
    let step = fans[index].step
    let (trait, queue) = (traits[step], queues[lane.index])
    guard Int(trait.queue) == lane.index, !trait.flags.contains(.timed), states[step].status == .queued,
      queue.ready.lowest == Int(trait.position), journal?.keepsStarts != true,
      let next = fans[index].advance(from: item, at: now)
    else { return nil }
    endSeries()
    _ = tables.makeUnique()
    let count = settledCount
    journal?.noteSuccess(ofItem: StepIndex(item), of: step, settledBefore: count)
    let following = fans[index].firstInstance + StepIndex(next)
    if detail == .full, fans[index].detail == .full {
      tables.log.pointee.append(.whole(.succeeded(instance, attempt: 1)), at: now)
      tables.log.pointee.append(.whole(.started(following, attempt: 1, queue: lane.index)), at: now)
    }
    if fans[index].startable == nil { refresh(index, at: now) }
    return following
  }

  /// The body of an item returned or threw, or that of a try which had been told to end.
  mutating func takeEndOfItem(_ instance: StepIndex, _ attempt: UInt8, _ ending: Ending, at now: Int) {
    let (index, item) = fans.fanItem(of: instance)
    let step = fans[index].step
    if outstanding.lingering.removeValue(forKey: Attempt(step: instance, attempt: attempt)) != nil {
      vacateItem(of: index)
      noteItemOverrun(instance, attempt, fans[index].states[item].attempt, at: now)
      refresh(index, at: now)
    } else if isAwaitingItem(instance, attempt: Int(attempt)) {
      vacateItem(of: index)
      settleItem(item, of: index, endedBy: ending, at: now)
      refresh(index, at: now)
    } else if outstanding.mainHolder == instance {
      outstanding.mainHolder = nil
      queues[traits[step].queue].occupied -= 1
    }
  }

  private mutating func vacateItem(of index: Int) {
    fans[index].occupied -= 1
    vacate(fans[index].step)
  }

  private mutating func settleItem(_ item: Int, of index: Int, endedBy ending: Ending, at now: Int) {
    let instance = fans[index].firstInstance + StepIndex(item)
    switch ending {
    case .success, .upToDate:
      if !particulars.failures.isEmpty { particulars.failures[instance] = nil }
      succeedItem(item, of: index, at: now)
    case .interrupted(let failure, let isFinal):
      let attempt = Int(fans[index].states[item].attempt)
      if repeats(instance, of: fans[index].step, after: failure, isFinal: isFinal, attempt: attempt, at: now) {
        moveItem(item, of: index, to: .queued)
        fans[index].again.insert(item)
        return
      }
      settleItem(item, of: index, .failure, nil, at: now)
    case .cancelled:
      particulars.failures[instance] = StepFailure(
        code: "error", message: "the item ended as cancelled though nobody cancelled it")
      settleItem(item, of: index, .failure, nil, at: now)
    case .failure(let failure, let isRetryable, let pause):
      particulars.failures[instance] = failure
      if isRetryable, retryItem(item, of: index, pauseNanoseconds: pause, at: now) { return }
      settleItem(item, of: index, .failure, nil, at: now)
    }
  }

  /// Settles a success, or holds it until the item's floor.
  private mutating func succeedItem(_ item: Int, of index: Int, at now: Int) {
    let startedAt = fans[index].states[item].startedAt
    if traits[fans[index].step].flags.contains(.timed),
      let min = options(of: fans[index].step).deadline?.min?.nanoseconds, startedAt + min > now
    {
      moveItem(item, of: index, to: .holding)
      particulars.noteTryEnd(of: fans[index].firstInstance + StepIndex(item), startedAt: startedAt, at: now)
      timers.insert(
        PlanTimer(
          atNanoseconds: startedAt + min, kind: .floor, step: fans[index].firstInstance + StepIndex(item), attempt: 0))
    } else {
      settleItem(item, of: index, .success, nil, at: now)
    }
  }

  private mutating func retryItem(_ item: Int, of index: Int, pauseNanoseconds: Int, at now: Int) -> Bool {
    let (step, state) = (fans[index].step, fans[index].states[item])
    let instance = fans[index].firstInstance + StepIndex(item)
    let pause = pause(
      options(of: step), after: state, interruptions: particulars.interruptions[instance], asked: pauseNanoseconds,
      at: now
    ) { [jitter] in
      // Not by the instance, which depends on which step's items were known first.
      jitter(StepIndex(truncatingIfNeeded: Int(step) &+ (item &+ 1) &* 1_000_003), Int(state.attempt))
    }
    guard let pause else { return false }
    moveItem(item, of: index, to: .retrying)
    particulars.noteTryEnd(of: instance, startedAt: state.startedAt, at: now)
    let failure = particulars.failures[instance]
    noteFact(.item(of: step, .tried(StepIndex(item), attempt: Int(state.attempt), failure, atNanoseconds: now)))
    noteRetry(of: instance, attempt: Int(state.attempt), failure, delayNanoseconds: pause, at: now)
    timers.insert(PlanTimer(atNanoseconds: now + pause, kind: .retry, step: instance, attempt: state.attempt))
    return true
  }

  /// Takes an item from the status it has to another, and keeps the counts of its step true.
  mutating func moveItem(_ item: Int, of index: Int, to status: StepStatus) {
    func count(_ status: StepStatus, _ change: Int) {
      switch status {
      case .running: fans[index].running += change
      case .retrying: fans[index].retrying += change
      case .holding: fans[index].holding += change
      case .deciding: fans[index].deciding += change
      case .done: fans[index].unsettled -= change
      case .waiting, .held, .queued: break
      }
    }
    count(fans[index].states[item].status, -1)
    fans[index].states[item].status = status
    count(status, 1)
  }

  /// Ends an item. What follows for its step ``refresh(_:at:)`` works out.
  mutating func settleItem(_ item: Int, of index: Int, _ outcome: Outcome, _ reason: SkipReason?, at now: Int) {
    guard fans[index].states[item].status != .done else { return }
    let step = fans[index].step
    let instance = fans[index].firstInstance + StepIndex(item)
    moveItem(item, of: index, to: .done)
    fans[index].states[item].outcome = outcome
    fans[index].states[item].reason = reason
    fans[index].states[item].endedAt = now
    if outcome == .failure || outcome == .timedOut {
      if traits[step].flags.contains(.optional) {
        fans[index].hasOptionalFailure = true
      } else {
        fans[index].failed += 1
      }
    }
    if journal != nil, outcome != .skipped || reason == .condition {
      noteEnd(ofItem: item, of: index)
    }
    guard detail != .none else { return }
    if outcome != .success {
      note(.partial(.ended(instance, outcome)), at: now)
    } else if detail == .full, fans[index].detail == .full {
      tables.log.pointee.append(
        .whole(.succeeded(instance, attempt: Int(fans[index].states[item].attempt))), at: now)
    }
  }

  private mutating func noteEnd(ofItem item: Int, of index: Int) {
    let (step, state) = (fans[index].step, fans[index].states[item])
    if state.outcome == .success {
      let count = settledCount
      journal?.noteSuccess(ofItem: StepIndex(item), of: step, settledBefore: count)
      return
    }
    let failure = particulars.failures[fans[index].firstInstance + StepIndex(item)]
    noteFact(.item(of: step, .settled(SettledStep(StepIndex(item), state, state.outcome ?? .cancelled), failure)))
  }

  // MARK: Time

  /// Tells the body of an item to end and keeps its capacity until it does, at most for the grace.
  mutating func tellItemToEnd(_ item: Int, of index: Int, at now: Int) {
    let instance = fans[index].firstInstance + StepIndex(item)
    let attempt = fans[index].states[item].attempt
    effects.append(.cancel(instance, attempt: Int(attempt)))
    outstanding.lingering[Attempt(step: instance, attempt: attempt)] = now
    timers.insert(
      PlanTimer(atNanoseconds: now + Self.graceNanoseconds, kind: .grace, step: instance, attempt: attempt))
  }

  /// Handles what is due for an item.
  mutating func handleItemTimer(_ timer: PlanTimer, at now: Int) {
    let (index, item) = fans.fanItem(of: timer.step)
    let state = fans[index].states[item]
    switch timer.kind {
    case .deadline where timer.attempt == 0: timeOutItem(item, of: index, at: now)
    case .deadline: timeOutItemAttempt(item, of: index, timer.attempt, at: now)
    case .retry:
      guard state.status == .retrying, state.attempt == timer.attempt else { return }
      moveItem(item, of: index, to: .queued)
      fans[index].again.insert(item)
    case .floor: if state.status == .holding { settleItem(item, of: index, .success, nil, at: now) }
    case .grace: abandonItem(item, of: index, timer.attempt, at: now)
    case .cleanupLimit, .mainLimit, .runLimit: return
    }
    refresh(index, at: now)
  }

  private mutating func timeOutItem(_ item: Int, of index: Int, at now: Int) {
    switch fans[index].states[item].status {
    case .running:
      particulars.ceilingTimes[fans[index].firstInstance + StepIndex(item)] = now
      tellItemToEnd(item, of: index, at: now)
      settleItem(item, of: index, .timedOut, nil, at: now)
    case .retrying: settleItem(item, of: index, .timedOut, nil, at: now)
    case .queued:
      var again = Heap<Int>()
      while let other = fans[index].again.first {
        fans[index].again.removeFirst()
        if other != item { again.insert(other) }
      }
      fans[index].again = again
      settleItem(item, of: index, .timedOut, nil, at: now)
    case .waiting, .held, .deciding, .holding, .done: break
    }
  }

  private mutating func timeOutItemAttempt(_ item: Int, of index: Int, _ attempt: UInt8, at now: Int) {
    let state = fans[index].states[item]
    guard state.status == .running, state.attempt == attempt else { return }
    let instance = fans[index].firstInstance + StepIndex(item)
    tellItemToEnd(item, of: index, at: now)
    let limit = options(of: fans[index].step).retry?.attemptDeadline.map(DurationText.format) ?? ""
    particulars.failures[instance] = StepFailure(
      code: "attempt-deadline", message: "try \(attempt) took longer than \(limit)")
    if !retryItem(item, of: index, pauseNanoseconds: 0, at: now) {
      particulars.ceilingTimes[instance] = now
      settleItem(item, of: index, .timedOut, nil, at: now)
    }
  }

  private mutating func abandonItem(_ item: Int, of index: Int, _ attempt: UInt8, at now: Int) {
    let instance = fans[index].firstInstance + StepIndex(item)
    guard outstanding.lingering.removeValue(forKey: Attempt(step: instance, attempt: attempt)) != nil else { return }
    noteItemOverrun(instance, attempt, fans[index].states[item].attempt, at: now)
    fans[index].states[item].marks.insert(.abandoned)
    fans[index].occupied -= 1
    let step = fans[index].step
    if queues[traits[step].queue].lane == .main {
      outstanding.mainHolder = instance
      counts.occupied -= 1
    } else {
      vacate(step)
    }
  }

  private mutating func noteItemOverrun(_ instance: StepIndex, _ attempt: UInt8, _ current: UInt8, at now: Int) {
    guard let ceiling = particulars.ceilingTimes[instance], current == attempt else { return }
    particulars.overruns[instance] = now - ceiling
  }

  // MARK: Reading

  func isAwaitingItem(_ instance: StepIndex, attempt: Int) -> Bool {
    let (index, item) = fans.fanItem(of: instance)
    let state = fans[index].states[item]
    return state.status == .running && Int(state.attempt) == attempt
  }

  /// The instant at which an item, this try of it, or all of them time out; nil: never.
  func ceilingOfItem(_ instance: StepIndex) -> Int? {
    let (index, item) = fans.fanItem(of: instance)
    let (step, state) = (fans[index].step, fans[index].states[item])
    guard state.startedAt != never else { return nil }
    let options = options(of: step)
    let start = isRemote(step) ? particulars.beginnings[instance]?.firstAt : state.startedAt
    let whole = start.flatMap { start in options.deadline?.max.map { start + $0.nanoseconds } }
    let single = options.retry?.attemptDeadline.map {
      (particulars.attemptStarts[instance] ?? state.startedAt) + $0.nanoseconds
    }
    let fan = options.fan?.deadline.map { states[step].startedAt + $0.nanoseconds }
    return [whole, single, fan].compactMap { $0 }.min()
  }
}
