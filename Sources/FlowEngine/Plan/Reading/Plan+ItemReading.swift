import FlowModel

/// The state of an item of a step.
public struct ItemReading: Sendable, Hashable {
  /// The index of the item, from 0.
  public var index: Int
  /// The outcome, or nil if it has not ended.
  public var outcome: Outcome?
  /// The outcome after `optional` is applied.
  public var conclusion: Outcome?
  /// The reason why it did not run, or nil if it did.
  public var reason: SkipReason?
  /// The number of attempts so far.
  public var attempts: Int
  /// The time at which its first attempt started, in nanoseconds from the start of the run, or nil if none did.
  public var startedAtNanoseconds: Int?
  /// The time at which it ended, or nil if it has not.
  public var endedAtNanoseconds: Int?
  /// True if its body ignored the cancellation and was abandoned.
  public var isAbandoned: Bool
  /// The failure, or nil if it did not fail.
  public var failure: StepFailure?
}

extension Plan {
  /// The items of a step. Empty if it has none or they are not known yet.
  public func items(of step: StepIndex) -> [ItemReading] {
    guard let index = fanOuts.index(of: step) else { return [] }
    return fanOuts[index].states.indices.map { item(task($0, of: index)) }
  }

  /// The instance of an item, or the step itself if its items are not known.
  package func instance(ofItem item: Int, of step: StepIndex) -> StepIndex {
    fanOuts.index(of: step).map { fanOuts[$0].firstInstance + StepIndex(item) } ?? step
  }

  private func item(_ task: PlanTask) -> ItemReading {
    let state = self[state: task]
    func time(_ value: Int) -> Int? { value == never ? nil : value }
    return ItemReading(
      index: task.item, outcome: state.outcome, conclusion: conclusion(of: task.index), reason: state.reason,
      attempts: Int(state.attempt), startedAtNanoseconds: time(state.startedAt),
      endedAtNanoseconds: time(state.endedAt), isAbandoned: state.marks.contains(.abandoned),
      failure: state.outcome == .success ? nil : failure(of: task.index))
  }
}
