/// A dictionary in many small pieces: a copy that is changed afterwards costs one piece and two short lists of pieces, not
/// all of it. Machines are copied at every event, to go back when something cannot be saved.
public struct ShardedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable, Sequence {
  /// The number of lists of pieces, and how many pieces each has: few for few values, so that all are soon gone through.
  private var width = 1
  private var lists: [[[Key: Value]]] = [[[:]]]
  /// The number of values.
  public private(set) var count = 0

  /// The number of values that a piece has on average at most, before there are more pieces.
  private static var usualPiece: Int { 32 }
  private static var largestWidth: Int { 64 }

  /// An empty table.
  public init() {}

  /// Whether there is nothing.
  public var isEmpty: Bool { count == 0 }

  /// The value of a key; nil for none, and to remove one.
  public subscript(key: Key) -> Value? {
    get {
      let (list, piece) = place(of: key)
      return lists[list][piece][key]
    }
    set {
      let (list, piece) = place(of: key)
      let before = lists[list][piece].count
      lists[list][piece][key] = newValue
      count += lists[list][piece].count - before
      if count > Self.usualPiece * width * width, width < Self.largestWidth { widen() }
    }
  }

  /// All keys, in no order.
  public var keys: [Key] { lists.flatMap { $0.flatMap { $0.keys } } }

  /// All values, in no order.
  public var values: some Sequence<Value> { lists.lazy.joined().flatMap { $0.values } }

  /// All keys with their values, in no order.
  public func makeIterator() -> AnyIterator<(key: Key, value: Value)> {
    AnyIterator(lists.lazy.joined().joined().makeIterator())
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
