/// A dictionary in many small chunks. Machines are copied at every event, to be restored if a save fails. A change to a
/// copied table then copies one chunk and two short lists, not everything.
package struct ShardedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable, Sequence {
  /// The number of lists of chunks, and the number of chunks in each list. It is small for few values, so that
  /// iterating is fast.
  private var width = 1
  private var lists: [[[Key: SharedValue]]] = [[[:]]]
  package private(set) var count = 0

  /// The average number of values per chunk at which the table is widened.
  private static var usualPiece: Int { 32 }
  private static var largestWidth: Int { 64 }

  /// A value shared by all copies of its chunk. Without it, copying a chunk would retain every part of every value.
  private final class SharedValue: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// The value of a key, or nil if there is none. Setting nil removes the key.
  package subscript(key: Key) -> Value? {
    get {
      let (list, piece) = place(of: key)
      return lists[list][piece][key]?.value
    }
    set {
      let (list, piece) = place(of: key)
      let before = lists[list][piece].count
      lists[list][piece][key] = newValue.map { SharedValue($0) }
      count += lists[list][piece].count - before
      if count > Self.usualPiece * width * width, width < Self.largestWidth { widen() }
    }
  }

  /// All keys, in no particular order.
  package var keys: [Key] { lists.flatMap { $0.flatMap { $0.keys } } }

  /// All values, in no particular order.
  package var values: some Sequence<Value> { lists.lazy.joined().flatMap { $0.values.lazy.map(\.value) } }

  /// Iterates over all keys and values, in no particular order.
  package func makeIterator() -> AnyIterator<(key: Key, value: Value)> {
    AnyIterator(lists.lazy.joined().joined().lazy.map { (key: $0.key, value: $0.value.value) }.makeIterator())
  }

  private func place(of key: Key) -> (list: Int, piece: Int) {
    let hash = UInt(bitPattern: key.hashValue)
    return (Int(hash / UInt(width) % UInt(width)), Int(hash % UInt(width)))
  }

  private mutating func widen() {
    let before = lists
    width *= 4
    lists = Array(repeating: Array(repeating: [:], count: width), count: width)
    for list in before {
      for piece in list {
        for (key, value) in piece {
          let (list, piece) = place(of: key)
          lists[list][piece][key] = value
        }
      }
    }
  }
}
