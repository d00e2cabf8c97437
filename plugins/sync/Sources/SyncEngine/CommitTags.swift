/// The random tags of a zone's commits, each with the sequence number of the commit's last change.
///
/// The tag of a sequence number is the tag of the commit that assigned it. Tags are kept at least for the latest
/// `limit` numbers. A device with an older cursor fetches the whole zone.
package struct CommitTags: Sendable {
  /// The minimum number of sequence numbers whose tags are kept.
  package static let limit: Int64 = 65_536
  private(set) var commits: [(last: Int64, tag: UInt64)] = []

  package init() {}

  /// Records a commit and the sequence number of its last change.
  package mutating func note(_ last: Int64, tag: UInt64) {
    commits.append((last, tag))
    if let first = commits.first, first.last < last - 2 * Self.limit {
      commits.removeAll { $0.last < last - Self.limit }
    }
  }

  /// Returns the tag of the commit that assigned a sequence number, or 0 if it is unknown.
  package func tag(of number: Int64) -> UInt64 {
    guard number > 0 else { return 0 }
    var (low, high) = (0, commits.count)
    while low < high {
      let middle = (low + high) / 2
      if commits[middle].last < number { low = middle + 1 } else { high = middle }
    }
    return low < commits.count ? commits[low].tag : 0
  }
}
