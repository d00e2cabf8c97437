/// The random tags of a zone's commits, by the number of each commit's last change.
///
/// The tag of a number is that of the commit that made it. Tags are kept for the latest `limit` numbers. A device with
/// an older cursor fetches the whole zone.
public struct CommitTags: Sendable {
  /// The number of latest numbers whose tags are kept.
  public static let limit: Int64 = 65_536
  private(set) var commits: [(last: Int64, tag: UInt64)] = []

  /// Makes an empty table.
  public init() {}

  /// Records a commit by the number of its last change.
  public mutating func note(_ last: Int64, tag: UInt64) {
    commits.append((last, tag))
    if let first = commits.first, first.last < last - 2 * Self.limit {
      commits.removeAll { $0.last < last - Self.limit }
    }
  }

  /// Returns the tag of the first commit that reaches a number, or 0 if there is none.
  public func tag(of number: Int64) -> UInt64 {
    guard number > 0 else { return 0 }
    var (low, high) = (0, commits.count)
    while low < high {
      let middle = (low + high) / 2
      if commits[middle].last < number { low = middle + 1 } else { high = middle }
    }
    return low < commits.count ? commits[low].tag : 0
  }
}
