/// The times of an item's workflow count from that workflow's activation. These methods convert them to the clock of
/// the whole run.
extension RunReport.Step {
  /// Returns the step with all times increased by `milliseconds`.
  func later(by milliseconds: Double) -> Self {
    var step = self
    step.readyAt? += milliseconds
    step.startedAt? += milliseconds
    step.endedAt? += milliseconds
    step.executor?.at? += milliseconds
    step.attemptTimes = attemptTimes.map { $0.later(by: milliseconds) }
    step.items = items?.map { $0.later(by: milliseconds) }
    return step
  }
}

extension RunReport.Item {
  fileprivate func later(by milliseconds: Double) -> Self {
    var item = self
    item.startedAt? += milliseconds
    item.endedAt? += milliseconds
    item.executor?.at? += milliseconds
    item.attemptTimes = attemptTimes.map { $0.later(by: milliseconds) }
    item.steps = steps?.map { $0.later(by: milliseconds) }
    return item
  }
}

extension RunReport.Attempt {
  fileprivate func later(by milliseconds: Double) -> Self {
    Self(
      startedAt: startedAt.map { $0 + milliseconds }, begunAt: begunAt.map { $0 + milliseconds },
      endedAt: endedAt.map { $0 + milliseconds })
  }
}
