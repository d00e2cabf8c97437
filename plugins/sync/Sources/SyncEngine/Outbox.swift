import SyncCore

/// The changes that wait to be sent and those that are parked, in their order; found by position, record and transaction.
///
/// Nothing here visits all changes unless it is asked for all of them: a device may come back with tens of thousands.
public struct Outbox: Sendable, Sequence {
  private var items = ShardedTable<Int64, OutboxItem>()
  private var all = PositionList()
  private var waitingPositions = PositionList()
  private var parkedPositions = PositionList()
  private var byKey = ShardedTable<RecordKey, PositionList>()
  private var byGroup = ShardedTable<Int64, PositionList>()
  /// The positions of collections' rules.
  private var rules = PositionList()
  /// How many writes to records of collections there are for each incarnation.
  private var incarnations: [Int64: Int] = [:]
  /// The last position that was given, so that none names two changes while a process runs.
  private var lastPosition: Int64 = 0
  /// Where changes are now that were moved to the end.
  private var moved: [Int64: Int64] = [:]
  /// Counts the items that are visited, where a test wants to know.
  package var visits: WorkCounter?

  /// An empty outbox.
  public init() {}

  /// Whether there is nothing.
  public var isEmpty: Bool { all.isEmpty }
  /// The number of changes.
  public var count: Int { all.count }
  /// The first change.
  public var first: OutboxItem? { all.first.flatMap { self[position: $0] } }
  /// All changes in their order.
  public func makeIterator() -> AnyIterator<OutboxItem> { iterator(all) }

  /// The number of changes that wait to be sent.
  public var waitingCount: Int { waitingPositions.count }
  /// The changes that wait to be sent, in their order.
  public var waiting: AnySequence<OutboxItem> { AnySequence { iterator(waitingPositions) } }
  /// The first change that waits and of which something holds.
  func firstWaiting(where holds: (OutboxItem) -> Bool) -> OutboxItem? {
    if waitingPositions.isEmpty { return nil }
    for position in waitingPositions {
      if let item = self[position: position], holds(item) { return item }
    }
    return nil
  }

  /// The changes that are parked, in their order.
  public var parked: AnySequence<OutboxItem> { AnySequence { iterator(parkedPositions) } }

  private func iterator(_ positions: PositionList) -> AnyIterator<OutboxItem> {
    var rest = positions.makeIterator()
    return AnyIterator { rest.next().flatMap { self[position: $0] } }
  }

  /// An item by its position.
  public subscript(position position: Int64) -> OutboxItem? {
    visits?.add()
    return items[position]
  }

  /// What waits or is parked for one record, in its order.
  public func items(for key: RecordKey) -> [OutboxItem] {
    (byKey[key] ?? PositionList()).compactMap { self[position: $0] }
  }

  /// The number of changes for one record.
  func count(for key: RecordKey) -> Int { byKey[key]?.count ?? 0 }

  /// The first change of one record.
  func first(for key: RecordKey) -> OutboxItem? { byKey[key]?.first.flatMap { self[position: $0] } }

  /// The last change of one record.
  func last(for key: RecordKey) -> OutboxItem? { byKey[key]?.last.flatMap { self[position: $0] } }

  /// Whether there is anything for a record.
  public func holds(_ key: RecordKey) -> Bool { byKey[key] != nil }

  /// The positions of a transaction, rising.
  func positions(ofGroup group: Int64) -> [Int64] { Array(byGroup[group] ?? PositionList()) }

  /// The collections' rules that wait to be sent.
  var waitingRules: [OutboxItem] { rules.compactMap { self[position: $0] }.filter { $0.parkedBecause == nil } }

  /// Whether rules of a collection wait to be sent; parked ones do not count.
  public var holdsRules: Bool { !rules.isEmpty && !waitingRules.isEmpty }

  /// Whether there is a write to a record of a collection that belongs to an earlier incarnation than this one.
  func holdsWrites(before incarnation: Int64) -> Bool { incarnations.contains { $0.key < incarnation } }

  /// The position that the next change gets.
  var nextPosition: Int64 { lastPosition + 1 }

  mutating func append(_ item: OutboxItem) {
    lastPosition = Swift.max(lastPosition, item.position)
    all.insert(item.position)
    byKey[item.key, default: PositionList()].insert(item.position)
    if let group = item.group { byGroup[group, default: PositionList()].insert(item.position) }
    if item.key.type == ZoneRules.type { rules.insert(item.position) }
    put(item)
  }

  /// Puts an item in the place of the one with its position; key and transaction stay.
  mutating func replace(_ item: OutboxItem) {
    guard let old = items[item.position] else { return }
    withdraw(old)
    put(item)
  }

  /// Puts an item at the end, behind what was done meanwhile, and gives its new position.
  mutating func moveToEnd(_ item: OutboxItem) -> OutboxItem {
    var item = item
    remove(position: item.position)
    moved[item.position] = nextPosition
    item.position = nextPosition
    append(item)
    return item
  }

  /// The position at which a change is now.
  func present(_ position: Int64) -> Int64 {
    var position = position
    while let next = moved[position] { position = next }
    return position
  }

  mutating func remove(position: Int64) {
    guard let item = items[position] else { return }
    withdraw(item)
    items[position] = nil
    all.remove(position)
    rules.remove(position)
    var rest = byKey[item.key] ?? PositionList()
    rest.remove(position)
    byKey[item.key] = rest.isEmpty ? nil : rest
    guard let group = item.group else { return }
    var others = byGroup[group] ?? PositionList()
    others.remove(position)
    byGroup[group] = others.isEmpty ? nil : others
  }

  private mutating func put(_ item: OutboxItem) {
    visits?.add()
    items[item.position] = item
    if item.parkedBecause == nil {
      waitingPositions.insert(item.position)
    } else {
      parkedPositions.insert(item.position)
    }
    if let incarnation = item.write?.record?.incarnation { incarnations[incarnation, default: 0] += 1 }
  }

  private mutating func withdraw(_ item: OutboxItem) {
    if item.parkedBecause == nil {
      waitingPositions.remove(item.position)
    } else {
      parkedPositions.remove(item.position)
    }
    guard let incarnation = item.write?.record?.incarnation else { return }
    incarnations[incarnation, default: 0] -= 1
    if incarnations[incarnation] == 0 { incarnations[incarnation] = nil }
  }
}

extension ShardedTable {
  subscript(key: Key, default none: Value) -> Value {
    get { self[key] ?? none }
    set { self[key] = newValue }
  }
}
