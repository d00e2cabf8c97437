import FlowModel

/// The state of an item at the time of reading.
package struct ItemReading: Sendable, Hashable {
  /// The index of the item, counted from 0.
  package var index: Int
  /// The outcome, or nil if the item has not finished.
  package var outcome: Outcome?
  /// The outcome, except that a failed or timed-out item of an optional step counts as a success. Nil if the item has
  /// not finished.
  package var conclusion: Outcome?
  /// The reason why the item was skipped, or nil if it was not.
  package var reason: SkipReason?
  /// The number of attempts so far.
  package var attempts: Int
  /// The start of the first attempt in nanoseconds from the start of the run, or nil if no attempt has started.
  package var startedAtNanoseconds: Int?
  /// The time at which the item finished, or nil if it has not finished.
  package var endedAtNanoseconds: Int?
  /// True if the item's body was abandoned, because it did not end when asked to.
  package var isAbandoned: Bool
  /// The failure of the item or, if it has not finished, of its last failed attempt. Nil if there is none.
  package var failure: StepFailure?
}

extension Plan {
  /// Returns the items of a step, or an empty array if it has none or they are not known yet.
  package func items(of step: StepIndex) -> [ItemReading] {
    guard let index = fanOuts.index(of: step) else { return [] }
    return fanOuts[index].states.indices.map { item(task($0, of: index)) }
  }

  /// Returns the instance of an item, or the step itself if the items of the step are not known.
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
