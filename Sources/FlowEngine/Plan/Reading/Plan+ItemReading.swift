import FlowModel

/// A plan's information about an item of a step.
public struct ItemReading: Sendable, Hashable {
  /// The index of the item, from 0.
  public var index: Int
  /// How it ended; nil before.
  public var outcome: Outcome?
  /// The outcome after `optional` is applied.
  public var conclusion: Outcome?
  /// Why it did not run; nil when it did.
  public var reason: SkipReason?
  /// Attempts so far.
  public var attempts: Int
  /// Nanoseconds from the start of the run at which its first attempt started; nil: never.
  public var startedAtNanoseconds: Int?
  /// … at which it ended; nil: not yet.
  public var endedAtNanoseconds: Int?
  /// Whether it was left behind because it ignored its cancellation.
  public var isAbandoned: Bool
  /// Why it failed; nil when it did not.
  public var failure: StepFailure?
}

extension Plan {
  /// What is known of the items of a step; empty: it has none, or they are not known.
  public func items(of step: StepIndex) -> [ItemReading] {
    guard let index = fanOuts.index(of: step) else { return [] }
    return fanOuts[index].states.indices.map { item(task($0, of: index)) }
  }

  /// What represents an item where a step may be.
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
