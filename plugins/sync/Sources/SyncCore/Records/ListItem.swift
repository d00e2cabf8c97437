/// The name of one element of a list, forever and wherever: drawn by the device that inserted it.
public struct ItemID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// Larger than that of everything its author saw in the list.
  public var counter: Int64
  /// Drawn at random, so that no two devices draw one.
  public var tag: UInt64

  /// Names an element.
  public init(counter: Int64, tag: UInt64) {
    self.counter = counter
    self.tag = tag
  }

  /// Reads `counter-tag`, the tag in hexadecimal digits; nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let counter = Int64(parts[0]), counter > 0, let tag = UInt64(parts[1], radix: 16) else {
      return nil
    }
    self.init(counter: counter, tag: tag)
  }

  /// By counter, then by tag.
  public static func < (left: ItemID, right: ItemID) -> Bool {
    left.counter == right.counter ? left.tag < right.tag : left.counter < right.counter
  }

  /// `counter-tag`, as `init(_:)` reads it.
  public var description: String { "\(counter)-\(String(tag, radix: 16))" }
}

/// One element of a list, which stays as a tombstone of its place when it has been removed.
///
/// Source: the replicated growable array (Roh et al., 2011), as a set of elements that is ordered on reading.
public struct ListItem: Hashable, Sendable {
  /// Which one.
  public var id: ItemID
  /// Behind which element it was inserted; nil for the begin.
  public var after: ItemID?
  /// Its value, nil once it has been removed.
  public var value: [UInt8]?

  /// Makes an element.
  public init(id: ItemID, after: ItemID?, value: [UInt8]?) {
    self.id = id
    self.after = after
    self.value = value
  }

  /// What two copies of one element know together: a removal stays.
  func merged(with other: ListItem) -> ListItem {
    var result = self
    switch (after, other.after) {
    case (let mine?, let theirs?): result.after = max(mine, theirs)
    case (nil, let theirs): result.after = theirs
    default: break
    }
    if let mine = value, let theirs = other.value {
      result.value = mine.lexicographicallyPrecedes(theirs) ? theirs : mine
    } else {
      result.value = nil
    }
    return result
  }

  /// Elements in the order in which they are read: each behind the one it was inserted behind, of several at one place
  /// the last inserted first.
  public static func inOrder(_ items: [ListItem]) -> [ListItem] {
    let known = Set(items.map(\.id))
    var behind: [ItemID?: [ListItem]] = [:]
    // What is sorted by name comes off the stack's end with the largest first.
    for item in items.sorted(by: { $0.id < $1.id }) {
      behind[item.after.flatMap { known.contains($0) && $0 < item.id ? $0 : nil }, default: []].append(item)
    }
    var (ordered, stack): ([ListItem], [ListItem]) = ([], behind[nil] ?? [])
    ordered.reserveCapacity(items.count)
    while let item = stack.popLast() {
      ordered.append(item)
      stack += behind[item.id] ?? []
    }
    return ordered
  }
}
