import FlowModel

// The rest of the plan treats a fan-out as a single step: it is queued while another item may start, running while
// items run, and finished when all of them have finished.
extension Plan {
  /// Requests the items of a fan-out from the driver.
  mutating func expand(_ step: StepIndex) {
    move(step, to: .deciding)
    fanOuts.beginExpanding(step)
    effects.append(.expand(step))
  }

  /// Adds the items of a fan-out, or fails it if they could not be determined. Refused, up-to-date and recalled items
  /// finish at once.
  mutating func takeIn(_ expansion: Expansion, of step: StepIndex, at now: Int) {
    guard fanOuts.endExpanding(step), states[step].status == .deciding else { return }
    move(step, to: .waiting)
    switch expansion {
    case .fail(let failure):
      particulars.failures[step] = failure
      collect(step, .failure, nil)
    case .items(let items):
      let first = fanOuts.nextInstance(behind: states.count)
      let event = options(of: step).fanOut?.event.map { events.index(of: $0) }
      guard Int(first) + max(items.hashes.count, event == nil ? 0 : Limits.events) < Int(Limits.instances) else {
        particulars.failures[step] = StepFailure(code: "too-many-items", message: "the run has too many items")
        return collect(step, .failure, nil)
      }
      let width = options(of: step).fanOut?.parallel ?? Int.max
      let index = fanOuts.add(
        PlanFanOut(
          step, firstInstance: first, width: width, hashes: event == nil ? items.hashes : [], event: event,
          detail: items.detail))
      if event != nil { return beginFollowing(index, at: now) }
      noteEntry(.expanded(step, hashes: items.hashes, atNanoseconds: now))
      enqueue(step, at: now)
      recall(index, at: now)
      for (item, decision) in items.refused.sorted(by: { $0.key < $1.key }) {
        refuse(task(item, of: index), decision, at: now)
      }
      for item in items.upToDate { finish(task(item, of: index), .skipped, .upToDate, at: now) }
      fanOuts[index].skipFinished(from: 0)
      refresh(index, at: now)
    }
  }

  /// Skips or fails an item if the step's `if` for it is false or cannot be evaluated.
  mutating func refuse(_ task: PlanTask, _ decision: Decision, at now: Int) {
    guard self[state: task].status != .done else { return }
    switch decision {
    case .run: break
    case .skip: finish(task, .skipped, cancelledAt == never ? .condition : .runCancelled, at: now)
    case .fail(let failure):
      particulars.failures[task.index] = failure
      finish(task, .failure, nil, at: now)
    }
  }

  /// Derives the status of a fan-out from its items. Finishes it when all have finished, or when one has failed and
  /// `fail-fast` is set.
  mutating func refresh(_ index: Int, at now: Int) {
    let step = fanOuts[index].step
    switch states[step].status {
    case .queued, .running, .retrying, .holding: break
    case .held, .deciding: if fanOuts[index].event == nil { return }
    case .waiting, .done: return
    }
    let isOver = fanOuts[index].unsettled == 0 && !fanOuts[index].isWaitingForPosts
    if isOver || (fanOuts[index].failed > 0 && isFailFast(step)) { return endFanOut(index, at: now) }
    let status = fanOuts[index].status
    if status != states[step].status { move(step, to: status) }
  }

  private func isFailFast(_ step: StepIndex) -> Bool { options(of: step).fanOut?.isFailFast ?? true }

  /// Finishes a fan-out, and cancels or skips its unfinished items.
  mutating func endFanOut(_ index: Int, at now: Int) {
    let step = fanOuts[index].step
    if states[step].startedAt == never { noteFirstStart(of: step, at: now) }
    let isSuccess = fanOuts[index].failed == 0
    if !isSuccess { particulars.failures[step] = failure(ofFanOut: index) }
    let outcome: Outcome = isSuccess ? .success : .failure
    closeFanOut(step, outcome, at: now)
    finish(step, outcome, nil, at: now)
  }

  /// Returns a failure with the number of failed items and the messages of the first three.
  private func failure(ofFanOut index: Int) -> StepFailure {
    let fanOut = fanOuts[index]
    let failed = fanOut.states.indices.filter {
      fanOut.states[$0].outcome == .failure || fanOut.states[$0].outcome == .timedOut
    }
    let shown = failed.prefix(3).map { item in
      let failure = particulars.failures[fanOut.firstInstance + StepIndex(item)]
      return "\n  [\(item)] \(failure?.headline ?? "it took too long")"
    }
    let rest = failed.count > shown.count ? ["\n  and \(failed.count - shown.count) more"] : []
    return StepFailure(
      code: "items-failed",
      message: "\(failed.count) of \(fanOut.states.count) items failed:" + (shown + rest).joined())
  }

  /// Handles a whole fan-out that has reached its maximum.
  mutating func timeOutFanOut(_ step: StepIndex, at now: Int) {
    switch states[step].status {
    case .held where !fanOuts.isExpanded(step), .deciding where !fanOuts.isExpanded(step): break
    case .queued, .running, .retrying, .holding, .held, .deciding:
      particulars.maximumTimes[step] = now
      closeFanOut(step, .timedOut, at: now)
      finish(step, .timedOut, nil, at: now)
    case .waiting, .done: break
    }
  }

  /// Ends the unfinished items of a fan-out that is about to finish, and requests that the driver gather its outputs.
  mutating func closeFanOut(_ step: StepIndex, _ outcome: Outcome, at now: Int) {
    guard states[step].status != .done, let index = fanOuts.index(of: step) else { return }
    let reason: SkipReason =
      cancelledAt != never || outcome == .cancelled ? .runCancelled : outcome == .timedOut ? .fanOutTimedOut : .failFast
    if fanOuts[index].unsettled > 0 {
      for item in fanOuts[index].states.indices {
        let task = task(item, of: index)
        switch self[state: task].status {
        case .done: break
        case .running:
          tellToEnd(task, at: now)
          finish(task, .cancelled, nil, at: now)
        case .retrying, .holding, .queued: finish(task, .cancelled, nil, at: now)
        case .waiting, .held, .deciding: finish(task, .skipped, reason, at: now)
        }
      }
    }
    effects.append(.gather(step))
  }

  /// Returns the outcome of an item, or nil if it has not finished or does not exist.
  func itemOutcome(_ item: Int, of step: StepIndex) -> Outcome? {
    guard let index = fanOuts.index(of: step), fanOuts[index].states.indices.contains(item) else { return nil }
    return fanOuts[index].states[item].outcome
  }

  /// True if an item has outputs, because it succeeded or was up to date.
  func itemHasOutputs(_ item: Int, of step: StepIndex) -> Bool {
    guard let index = fanOuts.index(of: step), fanOuts[index].states.indices.contains(item) else { return false }
    let state = fanOuts[index].states[item]
    return state.outcome == .success || state.reason == .upToDate
  }

  func isExpanding(_ step: StepIndex) -> Bool { states[step].status == .deciding && fanOuts.isExpanding(step) }

  /// Records that a thread outside the lock is determining the items of a step, so that the gate does not wait for
  /// them.
  mutating func noteSurvey(of step: StepIndex) { fanOuts.surveyed.insert(step) }

  /// True if the driver is about to evaluate an `if` or to determine the items of a fan-out under the run's lock.
  var isDeciding: Bool {
    counts.deciding > 0 && counts.deciding != fanOuts.surveyed.count { states[$0].status == .deciding }
  }

  /// The instance that the first item of the next fan-out will have.
  var nextInstance: StepIndex { fanOuts.nextInstance(behind: states.count) }

  /// The number of items of a queue that could start now, not counting the first item of each of its ready fan-outs.
  func startableItems(in queue: Int) -> Int {
    var count = 0
    for fanOut in fanOuts.list where states[fanOut.step].status == .queued && Int(traits[fanOut.step].queue) == queue {
      count += max(0, fanOut.startableCount - 1)
    }
    return count
  }
}

extension Limits {
  /// The maximum number of steps and items of a run, because event records have 28 bits for an instance.
  static let instances = 1 << 28
}
