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
    return fanOuts[index].states.indices.map { item($0, of: index) }
  }

  /// What stands for an item where a step may stand.
  package func instance(ofItem item: Int, of step: StepIndex) -> StepIndex {
    fanOuts.index(of: step).map { fanOuts[$0].firstInstance + StepIndex(item) } ?? step
  }

  /// What is known of the item that an instance stands for; nil: it is a step.
  func item(of instance: StepIndex) -> ItemReading? {
    guard Int(instance) >= states.count else { return nil }
    let (index, item) = fanOuts.fanOutItem(of: instance)
    return self.item(item, of: index)
  }

  private func item(_ item: Int, of index: Int) -> ItemReading {
    let state = fanOuts[index].states[item]
    let isExcused =
      traits[fanOuts[index].step].flags.contains(.optional) && (state.outcome == .failure || state.outcome == .timedOut)
    let failure =
      particulars.failures.isEmpty ? nil : particulars.failures[fanOuts[index].firstInstance + StepIndex(item)]
    func time(_ value: Int) -> Int? { value == never ? nil : value }
    return ItemReading(
      index: item, outcome: state.outcome, conclusion: isExcused ? .success : state.outcome, reason: state.reason,
      attempts: Int(state.attempt), startedAtNanoseconds: time(state.startedAt),
      endedAtNanoseconds: time(state.endedAt), isAbandoned: state.marks.contains(.abandoned),
      failure: state.outcome == .success ? nil : failure)
  }
}
