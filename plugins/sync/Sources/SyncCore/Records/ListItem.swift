/// The permanent, globally unique name of a list element, chosen by the device that inserted it.
public struct ItemID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// A number that is larger than the counters of all elements that the author saw in the list.
  package var counter: Int64
  /// A random number, so that two devices do not choose the same name.
  package var tag: UInt64

  package init(counter: Int64, tag: UInt64) {
    self.counter = counter
    self.tag = tag
  }

  /// Parses `counter-tag`. The tag is hexadecimal. Returns nil for any other text.
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

  /// The name as `counter-tag`, which `init(_:)` parses.
  public var description: String { "\(counter)-\(String(tag, radix: 16))" }
}

/// An element of a list, or a position to which an element has been moved. A removed element stays as a tombstone,
/// because later elements may refer to it.
///
/// Sources: the replicated growable array (Roh et al., 2011), stored as a set of elements that is ordered on reading,
/// and moves in list CRDTs (Kleppmann, 2020), where the last of several moves counts.
package struct ListItem: Hashable, Sendable {
  /// The name of the element or position.
  package var id: ItemID
  /// The element or position after which it was inserted, or nil for the beginning of the list.
  package var after: ItemID?
  /// The value, or nil for a position or a removed element.
  package var value: [UInt8]?
  /// The element that was moved to this position, or nil for an element.
  package var moves: ItemID?

  package init(id: ItemID, after: ItemID?, value: [UInt8]?, moves: ItemID? = nil) {
    self.id = id
    self.after = after
    self.value = value
    self.moves = moves
  }

  /// Merges two copies of an element. An element removed in one copy stays removed.
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

  /// Returns each element once, including removed ones, in reading order. A moved element is at the position of its
  /// last move.
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

  /// Returns the position of each moved element. If an element was moved several times, the move with the largest name
  /// counts. A new name is larger than all names that its author had seen.
  static func places(of items: [ListItem]) -> [ItemID: ItemID] {
    var places: [ItemID: ItemID] = [:]
    for item in items {
      guard let element = item.moves, places[element].map({ $0 < item.id }) ?? true else { continue }
      places[element] = item.id
    }
    return places
  }

  /// Returns elements and positions in order, each after its predecessor `after`. If several have the same predecessor,
  /// the one inserted last comes first.
  static func withPlaces(_ items: [ListItem]) -> [ListItem] {
    let known = Set(items.map(\.id))
    var behind: [ItemID?: [ListItem]] = [:]
    // `popLast()` takes the last item of a group first, so the items are sorted with the largest name last.
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
