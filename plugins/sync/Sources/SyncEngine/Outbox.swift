import SyncCore

/// What waits to be sent, in its order, found by place and by record.
public struct Outbox: Sendable, RandomAccessCollection, MutableCollection {
  /// The items' places, rising.
  private var positions: [Int64] = []
  private var items = ShardedTable<Int64, OutboxItem>()
  private var byKey = ShardedTable<RecordKey, [Int64]>()
  /// Where rules of collections wait.
  private var rules: [Int64] = []

  /// An empty outbox.
  public init() {}

  /// The first place.
  public var startIndex: Int { 0 }
  /// Behind the last place.
  public var endIndex: Int { positions.count }

  /// An item by its place in the order; what is put there keeps key and position.
  public subscript(index: Int) -> OutboxItem {
    get { items[positions[index]]! }
    set { items[positions[index]] = newValue }
  }

  /// An item by its position.
  public subscript(position position: Int64) -> OutboxItem? { items[position] }

  /// What waits for one record, in its order.
  public func items(for key: RecordKey) -> [OutboxItem] { (byKey[key] ?? []).compactMap { items[$0] } }

  /// Whether anything waits for a record.
  public func holds(_ key: RecordKey) -> Bool { byKey[key] != nil }

  /// Whether rules of a collection wait to be sent; what was set aside does not count.
  public var holdsRules: Bool { rules.contains { items[$0]?.parkedBecause == nil } }

  mutating func append(_ item: OutboxItem) {
    if item.key.type == ZoneRules.type { rules.append(item.position) }
    positions.append(item.position)
    items[item.position] = item
    byKey[item.key, default: []].append(item.position)
  }

  mutating func replace(_ item: OutboxItem) {
    if items[item.position] != nil { items[item.position] = item }
  }

  mutating func remove(position: Int64) {
    guard let item = items[position] else { return }
    items[position] = nil
    var rest = byKey[item.key] ?? []
    rest.removeAll { $0 == position }
    byKey[item.key] = rest.isEmpty ? nil : rest
    rules.removeAll { $0 == position }
    if positions.first == position {
      positions.removeFirst()
    } else {
      positions.removeAll { $0 == position }
    }
  }
}

extension ShardedTable {
  subscript(key: Key, default none: Value) -> Value {
    get { self[key] ?? none }
    set { self[key] = newValue }
  }
}
