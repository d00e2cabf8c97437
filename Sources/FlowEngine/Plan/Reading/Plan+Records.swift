import FlowModel

// The transitions that the plan records for the event stream.
extension Plan {
  var hasRecords: Bool { !tables.log.pointee.isEmpty }

  @inline(__always)
  mutating func noteReady(_ step: StepIndex, at now: Int) {
    guard detail == .full else { return }
    tables.log.pointee.appendReady(step, at: now)
  }

  mutating func noteStart(of task: PlanTask, at now: Int) {
    guard isToldInFull(task) else { return }
    let attempt = Int(self[state: task].attempt)
    note(.complete(.started(task.index, attempt: attempt, queue: Int(traits[task.step].queue))), at: now)
  }

  @inline(__always)
  mutating func noteEnd(of step: StepIndex, _ outcome: Outcome, _ reason: SkipReason?, at now: Int) {
    // The first success of a step has a shorter record.
    guard outcome == .success, states[step].attempt == 1 else {
      return noteEnd(of: PlanTask(step), outcome, reason, at: now)
    }
    if detail == .full { tables.log.pointee.appendFirstSuccess(of: step, at: now) }
  }

  @inline(never)
  mutating func noteEnd(of task: PlanTask, _ outcome: Outcome, _ reason: SkipReason?, at now: Int) {
    let isFull = isToldInFull(task)
    if outcome == .success {
      if isFull { note(.complete(.succeeded(task.index, attempt: Int(self[state: task].attempt))), at: now) }
    } else if isFull || !task.isItem || reason != .upToDate {
      // For a large fan-out, only the number of up-to-date items is reported.
      note(.partial(.ended(task.index, outcome)), at: now)
    }
  }

  @inline(__always)
  private func isToldInFull(_ task: PlanTask) -> Bool {
    detail == .full && (!task.isItem || fanOuts[task.fanOut].detail == .full)
  }

  /// Records that an attempt failed and another follows. The failure is stored separately, because the next attempt may
  /// replace it before the event of the failed attempt is reported.
  mutating func noteRetry(
    of step: StepIndex, attempt: Int, _ failure: StepFailure?, delayNanoseconds: Int, at now: Int
  ) {
    guard detail != .none else { return }
    note(.partial(.retrying(step, delayNanoseconds: delayNanoseconds)), at: now)
    particulars.failedAttempts.append(FailedAttempt(attempt: attempt, failure: failure))
  }

  /// Removes and returns the failed attempts whose events have not been reported.
  mutating func takeFailedAttempts() -> [FailedAttempt] {
    defer { particulars.failedAttempts.removeAll(keepingCapacity: true) }
    return particulars.failedAttempts
  }

  mutating func note(_ kind: PlanRecord.Kind, at now: Int) {
    guard detail != .none else { return }
    tables.log.pointee.append(kind, at: now)
  }

  /// Removes and returns the transitions since the last call.
  mutating func takeRecords() -> [RecordChunk] {
    mutate(endsFastPaths: false) { $0.tables.log.pointee.take() }
  }

  /// Hands back chunks that have been read, so that their memory is reused.
  mutating func reuse(_ chunks: [RecordChunk]) {
    mutate(endsFastPaths: false) { $0.tables.log.pointee.reuse(chunks) }
  }
}
