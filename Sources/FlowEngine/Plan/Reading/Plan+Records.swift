import FlowModel

// The transitions that the plan records for the event stream, in the requested detail.
extension Plan {
  /// True if there are transitions that have not been taken.
  var hasRecords: Bool { !tables.log.pointee.isEmpty }

  /// Records that a step became ready.
  mutating func noteReady(_ step: StepIndex, at now: Int) {
    guard detail == .full else { return }
    tables.log.pointee.appendReady(step, at: now)
  }

  /// Records that an attempt of a task started.
  mutating func noteStart(of task: PlanTask, at now: Int) {
    guard isToldInFull(task) else { return }
    let attempt = Int(self[state: task].attempt)
    note(.complete(.started(task.index, attempt: attempt, queue: Int(traits[task.step].queue))), at: now)
  }

  /// Records that a task ended.
  mutating func noteEnd(of task: PlanTask, _ outcome: Outcome, _ reason: SkipReason?, at now: Int) {
    let isFull = isToldInFull(task)
    if outcome == .success {
      if isFull { note(.complete(.succeeded(task.index, attempt: Int(self[state: task].attempt))), at: now) }
    } else if isFull || !task.isItem || reason != .upToDate {
      // For a large number of up-to-date items, only the count is reported.
      note(.partial(.ended(task.index, outcome)), at: now)
    }
  }

  @inline(__always)
  private func isToldInFull(_ task: PlanTask) -> Bool {
    detail == .full && (!task.isItem || fanOuts[task.fanOut].detail == .full)
  }

  /// Records that an attempt failed and another follows, together with details that the step's state may lose before
  /// they are reported.
  mutating func noteRetry(
    of step: StepIndex, attempt: Int, _ failure: StepFailure?, delayNanoseconds: Int, at now: Int
  ) {
    guard detail != .none else { return }
    note(.partial(.retrying(step, delayNanoseconds: delayNanoseconds)), at: now)
    particulars.failedAttempts.append(FailedAttempt(attempt: attempt, failure: failure))
  }

  /// Returns and removes the failed attempts that have not been reported.
  mutating func takeFailedAttempts() -> [FailedAttempt] {
    defer { particulars.failedAttempts.removeAll(keepingCapacity: true) }
    return particulars.failedAttempts
  }

  /// Records any other transition.
  mutating func note(_ kind: PlanRecord.Kind, at now: Int) {
    guard detail != .none else { return }
    tables.log.pointee.append(kind, at: now)
  }

  /// Returns the transitions since the last call.
  mutating func takeRecords() -> [RecordChunk] {
    mutate(endsFastPaths: false) { $0.tables.log.pointee.take() }
  }

  /// Keeps chunks that have been read, to reuse their memory.
  mutating func reuse(_ chunks: [RecordChunk]) {
    mutate(endsFastPaths: false) { $0.tables.log.pointee.reuse(chunks) }
  }
}
