/// A count that never goes back within an epoch, such as the completed pomodoros of a day (M8, S19).
///
/// Two tallies join to the lexicographically larger one; an explicit reset begins a new epoch (F18).
public struct Tally: Hashable, Sendable, Comparable {
  /// Rises only with an explicit reset.
  public var epoch: Int64
  /// The count within the epoch.
  public var count: Int64

  /// Makes a tally, 0 of epoch 0 by default.
  public init(epoch: Int64 = 0, count: Int64 = 0) {
    self.epoch = epoch
    self.count = count
  }

  /// Epoch, then count.
  public static func < (left: Tally, right: Tally) -> Bool {
    left.epoch == right.epoch ? left.count < right.count : left.epoch < right.epoch
  }
}
