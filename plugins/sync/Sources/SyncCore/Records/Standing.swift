/// The rank of a state among concurrent ones.
package struct Standing: Hashable, Sendable {
  /// The state with the higher priority wins.
  package var priority: Int
  /// With equal priority, the state with less time left wins. 0 if no value decreases.
  package var remainingMilliseconds: Int64

  /// Creates a rank.
  package init(priority: Int, remainingMilliseconds: Int64 = 0) {
    self.priority = priority
    self.remainingMilliseconds = remainingMilliseconds
  }
}

/// The rule that decided a conflict.
public enum ConflictRule: String, Hashable, Sendable, CaseIterable {
  /// The author of the winner had seen the loser.
  case causal
  /// The loser is older than the window, so the last write wins.
  case lww
  /// The winner's kind has the higher priority.
  case priority
  /// The winner has less time left.
  case remaining
  /// All else is equal and the winner is newer.
  case newest
  /// The stamps are equal too, so the larger device name wins.
  case device
}

extension Int64 {
  /// Returns the difference, or the nearest number if it does not fit. Values of other devices can be any numbers.
  package func subtracting(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other > 0 ? .min : .max) : difference
  }
}
