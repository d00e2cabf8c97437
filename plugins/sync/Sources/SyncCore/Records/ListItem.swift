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

/// An element of a list, or a place that an element was moved to. A removed element stays as a tombstone of its place.
///
/// Sources: the replicated growable array (Roh et al., 2011), as a set of elements that is ordered on reading; moving elements in
/// list CRDTs (Kleppmann, 2020), where the last of several moves counts.
public struct ListItem: Hashable, Sendable {
  /// Which one.
  public var id: ItemID
  /// Behind which element it was inserted; nil for the begin.
  public var after: ItemID?
  /// Its value; nil once it has been removed, and for a place.
  public var value: [UInt8]?
  /// The element that was moved to this place; nil for an element.
  public var moves: ItemID?

  /// Makes an element, or a place for one that exists.
  public init(id: ItemID, after: ItemID?, value: [UInt8]?, moves: ItemID? = nil) {
    self.id = id
    self.after = after
    self.value = value
    self.moves = moves
  }

  /// What two copies of one element know together: a removal stays.
  func merged(with other: ListItem) -> ListItem {
    var result = self
    switch (after, other.after) {
    case (let mine?, let theirs?): result.after = max(mine, theirs)
    case (nil, let theirs): result.after = theirs
    default: break
    }
    result.moves = [moves, other.moves].compactMap { $0 }.max()
    if let mine = value, let theirs = other.value {
      result.value = mine.lexicographicallyPrecedes(theirs) ? theirs : mine
    } else {
      result.value = nil
    }
    return result
  }

  /// Returns each element once, in the order in which they are read. An element that was moved is at the place of its last move.
  public static func inOrder(_ items: [ListItem]) -> [ListItem] {
    let places = places(of: items)
    if places.isEmpty { return withPlaces(items) }
    let moved = Dictionary(
      items.filter { $0.moves == nil && places[$0.id] != nil }.map { ($0.id, $0) },
      uniquingKeysWith: { first, _ in first })
    return withPlaces(items).compactMap { item in
      guard let element = item.moves else { return places[item.id] == nil ? item : nil }
      return places[element] == item.id ? moved[element] : nil
    }
  }

  /// The place of each element that was moved. Of several moves the one with the largest name counts; the name of a move is larger
  /// than all that its author had seen.
  static func places(of items: [ListItem]) -> [ItemID: ItemID] {
    var places: [ItemID: ItemID] = [:]
    for item in items {
      guard let element = item.moves, places[element].map({ $0 < item.id }) ?? true else { continue }
      places[element] = item.id
    }
    return places
  }

  /// Returns elements and places in order: each behind the one it was inserted behind, of several at one place the last first.
  static func withPlaces(_ items: [ListItem]) -> [ListItem] {
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
