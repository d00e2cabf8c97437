import FlowModel

// The life of an item, which is that of a step but for what concerns others: it waits for nothing, and no step waits for it
// but the step that it belongs to.
extension Plan {
  /// Starts the next item of a step that has one and room for it.
  mutating func startItem(of step: StepIndex, at now: Int) -> (step: StepIndex, attempt: Int)? {
    guard let index = fanOuts.index(of: step), let item = fanOuts[index].takeNext() else { return nil }
    let instance = fanOuts[index].firstInstance + StepIndex(item)
    let isFirst = fanOuts[index].states[item].startedAt == never
    fanOuts[index].states[item].status = .running
    fanOuts[index].states[item].attempt += 1
    if isFirst {
      fanOuts[index].states[item].startedAt = now
      fanOuts[index].states[item].readyAt = max(fanOuts[index].states[item].readyAt, states[step].readyAt)
    } else {
      particulars.attemptTimes[instance, default: []].noteStart(at: now)
      noteEntry(.item(of: step, .begun(StepIndex(item), isRemote: false, atNanoseconds: now)))
    }
    fanOuts[index].running += 1
    fanOuts[index].occupied += 1
    occupy(step)
    if states[step].startedAt == never { noteFirstStart(of: step, at: now) }
    if traits[step].flags.contains(.timed), !isRemote(step) {
      setItemMaximums(item, of: index, isFirst: isFirst, at: now)
    }
    let attempt = Int(fanOuts[index].states[item].attempt)
    if journal?.keepsStarts == true {
      noteEntry(.item(of: step, .started(StepIndex(item), attempt: attempt, atNanoseconds: now)))
    }
    if !isRemote(step) { noteItemStart(item, of: index, at: now) }
    refresh(index, at: now)
    return (instance, attempt)
  }

  /// Notes that an attempt of an item started.
  mutating func noteItemStart(_ item: Int, of index: Int, at now: Int) {
    guard detail == .full, fanOuts[index].detail == .full else { return }
    let kind = PlanRecord.Whole.started(
      fanOuts[index].firstInstance + StepIndex(item), attempt: Int(fanOuts[index].states[item].attempt),
      queue: Int(traits[fanOuts[index].step].queue))
    tables.log.pointee.append(.whole(kind), at: now)
  }

  /// The step has begun.
  mutating func noteFirstStart(of step: StepIndex, at now: Int) {
    states[step].attempt = 1
    states[step].startedAt = now
    if !isRemote(step) { noteStart(of: step, at: now) }
    if let limit = options(of: step).fanOut?.deadline {
      timers.insert(PlanTimer(atNanoseconds: now + limit.nanoseconds, kind: .deadline, step: step, attempt: 0))
    }
  }

  mutating func setItemMaximums(_ item: Int, of index: Int, isFirst: Bool, at now: Int) {
    let instance = fanOuts[index].firstInstance + StepIndex(item)
    let options = options(of: fanOuts[index].step)
    if isFirst, let max = options.deadline?.max {
      timers.insert(PlanTimer(atNanoseconds: now + max.nanoseconds, kind: .deadline, step: instance, attempt: 0))
    }
    if let max = options.retry?.attemptDeadline {
      particulars.attemptStarts[instance] = now
      timers.insert(
        PlanTimer(
          atNanoseconds: now + max.nanoseconds, kind: .deadline, step: instance,
          attempt: fanOuts[index].states[item].attempt))
    }
  }

  // MARK: Bodies

  /// The body of an item returned or threw, or that of an attempt which had been asked to end.
  mutating func takeEndOfItem(_ instance: StepIndex, _ attempt: UInt8, _ ending: Ending, at now: Int) {
    let (index, item) = fanOuts.fanOutItem(of: instance)
    let step = fanOuts[index].step
    if outstanding.cancelling.removeValue(forKey: Attempt(step: instance, attempt: attempt)) != nil {
      vacateItem(of: index)
      noteItemOverrun(instance, attempt, fanOuts[index].states[item].attempt, at: now)
      refresh(index, at: now)
    } else if isAwaitingItem(instance, attempt: Int(attempt)) {
      vacateItem(of: index)
      finishItem(item, of: index, endedBy: ending, at: now)
      refresh(index, at: now)
    } else if outstanding.mainHolder == instance {
      outstanding.mainHolder = nil
      queues[traits[step].queue].occupied -= 1
    }
  }

  private mutating func vacateItem(of index: Int) {
    fanOuts[index].occupied -= 1
    vacate(fanOuts[index].step)
  }

  private mutating func finishItem(_ item: Int, of index: Int, endedBy ending: Ending, at now: Int) {
    let instance = fanOuts[index].firstInstance + StepIndex(item)
    switch ending {
    case .upToDate: finishItem(item, of: index, .skipped, .upToDate, at: now)
    case .success:
      if !particulars.failures.isEmpty { particulars.failures[instance] = nil }
      succeedItem(item, of: index, at: now)
    case .interrupted(let failure, let isFinal):
      let attempt = Int(fanOuts[index].states[item].attempt)
      if repeats(instance, of: fanOuts[index].step, after: failure, isFinal: isFinal, attempt: attempt, at: now) {
        moveItem(item, of: index, to: .queued)
        fanOuts[index].again.insert(item)
        return
      }
      finishItem(item, of: index, .failure, nil, at: now)
    case .cancelled:
      particulars.failures[instance] = StepFailure(
        code: "error", message: "the item reported cancellation without being cancelled")
      finishItem(item, of: index, .failure, nil, at: now)
    case .failure(let failure, let isRetryable, let pause):
      particulars.failures[instance] = failure
      if isRetryable, retryItem(item, of: index, pauseNanoseconds: pause, at: now) { return }
      finishItem(item, of: index, .failure, nil, at: now)
    }
  }

  /// Finishes a success, or holds it until the item's minimum.
  private mutating func succeedItem(_ item: Int, of index: Int, at now: Int) {
    let startedAt = fanOuts[index].states[item].startedAt
    if traits[fanOuts[index].step].flags.contains(.timed),
      let min = options(of: fanOuts[index].step).deadline?.min?.nanoseconds, startedAt + min > now
    {
      moveItem(item, of: index, to: .holding)
      particulars.noteAttemptEnd(of: fanOuts[index].firstInstance + StepIndex(item), startedAt: startedAt, at: now)
      timers.insert(
        PlanTimer(
          atNanoseconds: startedAt + min, kind: .minimum, step: fanOuts[index].firstInstance + StepIndex(item),
          attempt: 0))
    } else {
      finishItem(item, of: index, .success, nil, at: now)
    }
  }

  private mutating func retryItem(_ item: Int, of index: Int, pauseNanoseconds: Int, at now: Int) -> Bool {
    let (step, state) = (fanOuts[index].step, fanOuts[index].states[item])
    let instance = fanOuts[index].firstInstance + StepIndex(item)
    let pause = pause(
      options(of: step), after: state, interruptions: particulars.interruptions[instance], asked: pauseNanoseconds,
      at: now
    ) { [jitter] in
      // Not by the instance, which depends on which step's items were known first.
      jitter(StepIndex(truncatingIfNeeded: Int(step) &+ (item &+ 1) &* 1_000_003), Int(state.attempt))
    }
    guard let pause else { return false }
    moveItem(item, of: index, to: .retrying)
    particulars.noteAttemptEnd(of: instance, startedAt: state.startedAt, at: now)
    let failure = particulars.failures[instance]
    noteEntry(.item(of: step, .tried(StepIndex(item), attempt: Int(state.attempt), failure, atNanoseconds: now)))
    noteRetry(of: instance, attempt: Int(state.attempt), failure, delayNanoseconds: pause, at: now)
    timers.insert(PlanTimer(atNanoseconds: now + pause, kind: .retry, step: instance, attempt: state.attempt))
    return true
  }

  /// Takes an item from the status it has to another, and keeps the counts of its step true.
  mutating func moveItem(_ item: Int, of index: Int, to status: StepStatus) {
    func count(_ status: StepStatus, _ change: Int) {
      switch status {
      case .running: fanOuts[index].running += change
      case .retrying: fanOuts[index].retrying += change
      case .holding: fanOuts[index].holding += change
      case .deciding: fanOuts[index].deciding += change
      case .done: fanOuts[index].unsettled -= change
      case .waiting, .held, .queued: break
      }
    }
    count(fanOuts[index].states[item].status, -1)
    fanOuts[index].states[item].status = status
    count(status, 1)
    guard status == .queued, machine != nil else { return }
    growRequest(of: fanOuts[index].step, toAttempt: Int(fanOuts[index].states[item].attempt) + 1)
  }

  /// Ends an item. What follows for its step ``refresh(_:at:)`` works out.
  mutating func finishItem(_ item: Int, of index: Int, _ outcome: Outcome, _ reason: SkipReason?, at now: Int) {
    guard fanOuts[index].states[item].status != .done else { return }
    let step = fanOuts[index].step
    let instance = fanOuts[index].firstInstance + StepIndex(item)
    moveItem(item, of: index, to: .done)
    fanOuts[index].states[item].outcome = outcome
    fanOuts[index].states[item].reason = reason
    fanOuts[index].states[item].endedAt = now
    if outcome == .failure || outcome == .timedOut {
      if traits[step].flags.contains(.optional) {
        fanOuts[index].hasOptionalFailure = true
      } else {
        fanOuts[index].failed += 1
      }
    }
    if journal != nil, outcome != .skipped || reason == .condition || reason == .upToDate {
      noteEnd(ofItem: item, of: index)
    }
    // Of many items that need not run the count is reported.
    guard detail != .none, reason != .upToDate || (detail == .full && fanOuts[index].detail == .full) else { return }
    if outcome != .success {
      note(.partial(.ended(instance, outcome)), at: now)
    } else if detail == .full, fanOuts[index].detail == .full {
      tables.log.pointee.append(
        .whole(.succeeded(instance, attempt: Int(fanOuts[index].states[item].attempt))), at: now)
    }
  }

  private mutating func noteEnd(ofItem item: Int, of index: Int) {
    let (step, state) = (fanOuts[index].step, fanOuts[index].states[item])
    if state.outcome == .success {
      let count = finishedCount
      journal?.noteSuccess(ofItem: StepIndex(item), of: step, finishedBefore: count)
      return
    }
    let failure = particulars.failures[fanOuts[index].firstInstance + StepIndex(item)]
    noteEntry(.item(of: step, .finished(FinishedEntry(StepIndex(item), state, state.outcome ?? .cancelled), failure)))
  }

  // MARK: Time

  /// Tells the body of an item to end and keeps its capacity until it does, at most for the grace.
  mutating func tellItemToEnd(_ item: Int, of index: Int, at now: Int) {
    let instance = fanOuts[index].firstInstance + StepIndex(item)
    let attempt = fanOuts[index].states[item].attempt
    effects.append(.cancel(instance, attempt: Int(attempt)))
    outstanding.cancelling[Attempt(step: instance, attempt: attempt)] = now
    timers.insert(
      PlanTimer(atNanoseconds: now + Self.graceNanoseconds, kind: .grace, step: instance, attempt: attempt))
  }

  /// Handles what is due for an item.
  mutating func handleItemTimer(_ timer: PlanTimer, at now: Int) {
    let (index, item) = fanOuts.fanOutItem(of: timer.step)
    let state = fanOuts[index].states[item]
    switch timer.kind {
    case .deadline where timer.attempt == 0: timeOutItem(item, of: index, at: now)
    case .deadline: timeOutItemAttempt(item, of: index, timer.attempt, at: now)
    case .retry:
      guard state.status == .retrying, state.attempt == timer.attempt else { return }
      moveItem(item, of: index, to: .queued)
      fanOuts[index].again.insert(item)
    case .minimum: if state.status == .holding { finishItem(item, of: index, .success, nil, at: now) }
    case .grace: abandonItem(item, of: index, timer.attempt, at: now)
    case .cleanupLimit, .mainLimit, .runLimit: return
    }
    refresh(index, at: now)
  }

  private mutating func timeOutItem(_ item: Int, of index: Int, at now: Int) {
    switch fanOuts[index].states[item].status {
    case .running:
      particulars.maximumTimes[fanOuts[index].firstInstance + StepIndex(item)] = now
      tellItemToEnd(item, of: index, at: now)
      finishItem(item, of: index, .timedOut, nil, at: now)
    case .retrying: finishItem(item, of: index, .timedOut, nil, at: now)
    case .queued:
      var again = Heap<Int>()
      while let other = fanOuts[index].again.first {
        fanOuts[index].again.removeFirst()
        if other != item { again.insert(other) }
      }
      fanOuts[index].again = again
      finishItem(item, of: index, .timedOut, nil, at: now)
    case .waiting, .held, .deciding, .holding, .done: break
    }
  }

  private mutating func timeOutItemAttempt(_ item: Int, of index: Int, _ attempt: UInt8, at now: Int) {
    let state = fanOuts[index].states[item]
    guard state.status == .running, state.attempt == attempt else { return }
    let instance = fanOuts[index].firstInstance + StepIndex(item)
    tellItemToEnd(item, of: index, at: now)
    let limit = options(of: fanOuts[index].step).retry?.attemptDeadline.map(DurationText.format) ?? ""
    particulars.failures[instance] = StepFailure(
      code: "attempt-deadline", message: "attempt \(attempt) took longer than \(limit)")
    if !retryItem(item, of: index, pauseNanoseconds: 0, at: now) {
      particulars.maximumTimes[instance] = now
      finishItem(item, of: index, .timedOut, nil, at: now)
    }
  }

  private mutating func abandonItem(_ item: Int, of index: Int, _ attempt: UInt8, at now: Int) {
    let instance = fanOuts[index].firstInstance + StepIndex(item)
    guard outstanding.cancelling.removeValue(forKey: Attempt(step: instance, attempt: attempt)) != nil else { return }
    noteItemOverrun(instance, attempt, fanOuts[index].states[item].attempt, at: now)
    fanOuts[index].states[item].marks.insert(.abandoned)
    fanOuts[index].occupied -= 1
    let step = fanOuts[index].step
    if queues[traits[step].queue].pool == .main {
      outstanding.mainHolder = instance
      counts.occupied -= 1
    } else {
      vacate(step)
    }
  }

  private mutating func noteItemOverrun(_ instance: StepIndex, _ attempt: UInt8, _ current: UInt8, at now: Int) {
    guard let maximum = particulars.maximumTimes[instance], current == attempt else { return }
    particulars.overruns[instance] = now - maximum
  }

  // MARK: Reading

  func isAwaitingItem(_ instance: StepIndex, attempt: Int) -> Bool {
    let (index, item) = fanOuts.fanOutItem(of: instance)
    let state = fanOuts[index].states[item]
    return state.status == .running && Int(state.attempt) == attempt
  }

  /// The instant at which an item, this attempt of it, or all of them time out; nil: never.
  func maximumOfItem(_ instance: StepIndex) -> Int? {
    let (index, item) = fanOuts.fanOutItem(of: instance)
    let (step, state) = (fanOuts[index].step, fanOuts[index].states[item])
    guard state.startedAt != never else { return nil }
    let options = options(of: step)
    let start = isRemote(step) ? particulars.beginnings[instance]?.firstAt : state.startedAt
    let whole = start.flatMap { start in options.deadline?.max.map { start + $0.nanoseconds } }
    let single = options.retry?.attemptDeadline.map {
      (particulars.attemptStarts[instance] ?? state.startedAt) + $0.nanoseconds
    }
    let fanOut = options.fanOut?.deadline.map { states[step].startedAt + $0.nanoseconds }
    return [whole, single, fanOut].compactMap { $0 }.min()
  }
}
