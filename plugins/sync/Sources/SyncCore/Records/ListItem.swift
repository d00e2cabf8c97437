/// The permanent, globally unique name of a list element, drawn by the device that inserted it.
public struct ItemID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// Larger than the counter of every element that the author saw in the list.
  package var counter: Int64
  /// A random number, so that two devices do not draw the same name.
  package var tag: UInt64

  /// Creates a name.
  package init(counter: Int64, tag: UInt64) {
    self.counter = counter
    self.tag = tag
  }

  /// Parses `counter-tag` with the tag in hexadecimal digits. Returns nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let counter = Int64(parts[0]), counter > 0, let tag = UInt64(parts[1], radix: 16) else {
      return nil
    }
    self.init(counter: counter, tag: tag)
  }

  /// Orders by counter, then by tag.
  public static func < (left: ItemID, right: ItemID) -> Bool {
    left.counter == right.counter ? left.tag < right.tag : left.counter < right.counter
  }

  /// The name as `counter-tag`, which `init(_:)` reads.
  public var description: String { "\(counter)-\(String(tag, radix: 16))" }
}

/// An element of a list, or a place to which an element was moved. A removed element stays as a tombstone, because
/// later elements refer to its position.
///
/// Sources: the replicated growable array (Roh et al., 2011), as a set of elements that is ordered on reading; moving
/// elements in list CRDTs (Kleppmann, 2020), where the last of several moves counts.
package struct ListItem: Hashable, Sendable {
  /// The name of the element or place.
  package var id: ItemID
  /// The element after which it was inserted, or nil for the beginning.
  package var after: ItemID?
  /// The value, or nil for a place and for a removed element.
  package var value: [UInt8]?
  /// The element that was moved to this place, or nil for an element.
  package var moves: ItemID?

  /// Creates an element, or a place for an existing one.
  package init(id: ItemID, after: ItemID?, value: [UInt8]?, moves: ItemID? = nil) {
    self.id = id
    self.after = after
    self.value = value
    self.moves = moves
  }

  /// Merges two copies of an element. A removed element stays removed.
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

  /// Returns each element once, in reading order. A moved element is at the place of its last move.
  package static func inOrder(_ items: [ListItem]) -> [ListItem] {
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

  /// Returns the place of each moved element. If it was moved several times, the move with the largest name counts;
  /// that name is larger than all names that its author had seen.
  static func places(of items: [ListItem]) -> [ItemID: ItemID] {
    var places: [ItemID: ItemID] = [:]
    for item in items {
      guard let element = item.moves, places[element].map({ $0 < item.id }) ?? true else { continue }
      places[element] = item.id
    }
    return places
  }

  /// Returns elements and places in order, each after the element it was inserted after. Of several that follow the
  /// same element, the one inserted last comes first.
  static func withPlaces(_ items: [ListItem]) -> [ListItem] {
    let known = Set(items.map(\.id))
    var behind: [ItemID?: [ListItem]] = [:]
    // Items are taken from the end of the stack, so the largest name comes first.
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
