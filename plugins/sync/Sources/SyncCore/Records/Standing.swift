/// The rank of a state among concurrent ones.
package struct Standing: Hashable, Sendable {
  /// The priority, compared first. The higher one wins.
  package var priority: Int
  /// The value of the rule's `smallest` field, normally a remaining time, compared if priorities are equal. The smaller
  /// one wins. 0 if there is no such field or it does not count in this state, and `Int64.max` if the state has no
  /// value for it.
  package var remainingMilliseconds: Int64

  package init(priority: Int, remainingMilliseconds: Int64 = 0) {
    self.priority = priority
    self.remainingMilliseconds = remainingMilliseconds
  }
}

/// The rule that decided a conflict.
public enum ConflictRule: String, Hashable, Sendable, CaseIterable {
  /// The author of the winner had seen the loser.
  case causal
  /// The loser is outside the window, so the last write wins.
  case lww
  /// The winner has the more preferred value.
  case priority
  /// The winner has the smaller value in the rule's `smallest` field, normally less remaining time.
  case remaining
  /// Everything else is equal and the winner is newer.
  case newest
  /// The stamps are equal, too, and the winner has the larger device name.
  case device
}

extension Int64 {
  /// Returns the difference, limited to the range of `Int64`. Values from other devices can be arbitrary.
  package func subtracting(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other > 0 ? .min : .max) : difference
  }
}
