/// A state's place in the order that decides between concurrent ones.
public struct Standing: Hashable, Sendable {
  /// The higher one counts.
  public var priority: Int
  /// Of equal priority the one with less left counts; 0 where nothing runs out.
  public var remainingMilliseconds: Int64

  /// Makes a standing.
  public init(priority: Int, remainingMilliseconds: Int64 = 0) {
    self.priority = priority
    self.remainingMilliseconds = remainingMilliseconds
  }
}

/// What decided a conflict.
public enum ConflictRule: String, Hashable, Sendable, CaseIterable {
  /// The author of the winner had seen the loser.
  case causal
  /// The loser is further back than the window: the newest wins.
  case lww
  /// The winner's kind has the higher priority.
  case priority
  /// The winner has less time left.
  case remaining
  /// Everything else is equal and the winner is newer.
  case newest
  /// Even the stamps are equal: the larger device name.
  case device
}
