import FlowModel

// What the plan notes for the event stream, as far as someone wants to hear of it.
extension Plan {
  /// Whether there are transitions that were not taken yet.
  var hasRecords: Bool { !tables.log.pointee.isEmpty }

  /// Notes that a step became ready.
  mutating func noteReady(_ step: StepIndex, at now: Int) {
    guard detail == .full else { return }
    tables.log.pointee.appendReady(step, at: now)
  }

  /// Notes that an attempt of a task started.
  mutating func noteStart(of task: PlanTask, at now: Int) {
    guard isToldInFull(task) else { return }
    let attempt = Int(self[state: task].attempt)
    note(.complete(.started(task.index, attempt: attempt, queue: Int(traits[task.step].queue))), at: now)
  }

  /// Notes that a task ended.
  mutating func noteEnd(of task: PlanTask, _ outcome: Outcome, _ reason: SkipReason?, at now: Int) {
    let isFull = isToldInFull(task)
    if outcome == .success {
      if isFull { note(.complete(.succeeded(task.index, attempt: Int(self[state: task].attempt))), at: now) }
    } else if isFull || !task.isItem || reason != .upToDate {
      // Of many items that need not run the count is reported.
      note(.partial(.ended(task.index, outcome)), at: now)
    }
  }

  @inline(__always)
  private func isToldInFull(_ task: PlanTask) -> Bool {
    detail == .full && (!task.isItem || fanOuts[task.fanOut].detail == .full)
  }

  /// Notes that an attempt failed and another follows, with what the step's state may have lost when it is reported.
  mutating func noteRetry(
    of step: StepIndex, attempt: Int, _ failure: StepFailure?, delayNanoseconds: Int, at now: Int
  ) {
    guard detail != .none else { return }
    note(.partial(.retrying(step, delayNanoseconds: delayNanoseconds)), at: now)
    particulars.failedAttempts.append(FailedAttempt(attempt: attempt, failure: failure))
  }

  /// Returns the failed attempts of records that have not been taken.
  mutating func takeFailedAttempts() -> [FailedAttempt] {
    defer { particulars.failedAttempts.removeAll(keepingCapacity: true) }
    return particulars.failedAttempts
  }

  /// Notes any other transition.
  mutating func note(_ kind: PlanRecord.Kind, at now: Int) {
    guard detail != .none else { return }
    tables.log.pointee.append(kind, at: now)
  }

  /// Returns the transitions noted since the last call.
  mutating func takeRecords() -> [RecordChunk] {
    mutate(endsFastPaths: false) { $0.tables.log.pointee.take() }
  }

  /// Takes chunks back that have been read, to use their memory again.
  mutating func reuse(_ chunks: [RecordChunk]) {
    mutate(endsFastPaths: false) { $0.tables.log.pointee.reuse(chunks) }
  }
}
