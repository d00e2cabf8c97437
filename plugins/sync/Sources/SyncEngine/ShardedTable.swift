/// A dictionary in many small pieces: a copy that is changed afterwards costs one piece and the list of pieces, not all of
/// it. Machines are copied at every event, to go back when something cannot be saved.
public struct ShardedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable, Sequence {
  private static var pieces: Int { 256 }
  private var shards: [[Key: Value]]
  /// How many values there are.
  public private(set) var count = 0

  /// An empty table.
  public init() { shards = Array(repeating: [:], count: Self.pieces) }

  /// Whether there is nothing.
  public var isEmpty: Bool { count == 0 }

  /// The value of a key; nil for none, and to remove one.
  public subscript(key: Key) -> Value? {
    get { shards[Self.piece(of: key)][key] }
    set {
      let piece = Self.piece(of: key)
      let before = shards[piece].count
      shards[piece][key] = newValue
      count += shards[piece].count - before
    }
  }

  /// All keys, in no order.
  public var keys: [Key] { shards.flatMap(\.keys) }

  /// All values, in no order.
  public var values: some Sequence<Value> { shards.lazy.flatMap(\.values) }

  /// All keys with their values, in no order.
  public func makeIterator() -> AnyIterator<(key: Key, value: Value)> { AnyIterator(shards.joined().makeIterator()) }

  private static func piece(of key: Key) -> Int {
    Int(truncatingIfNeeded: UInt(bitPattern: key.hashValue) % UInt(pieces))
  }
}
