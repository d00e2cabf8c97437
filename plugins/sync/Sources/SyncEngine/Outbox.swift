import SyncCore

/// All changes that are waiting to be sent or parked, in order. They are indexed by position, record and transaction.
///
/// An offline device may have tens of thousands of changes, so no function visits all of them unless its caller needs
/// all.
package struct Outbox: Sendable, Sequence {
  private var items = ShardedTable<Int64, OutboxItem>()
  private var all = PositionList()
  private var waitingPositions = PositionList()
  private var parkedPositions = PositionList()
  private var byKey = ShardedTable<RecordKey, PositionList>()
  private var byGroup = ShardedTable<Int64, PositionList>()
  /// The positions of changes to collections' rules.
  private var rules = PositionList()
  /// The number of writes to collections' records, by the incarnation that they change.
  private var incarnations: [Int64: Int] = [:]
  /// The last assigned position. Positions are never reused within a process.
  private var lastPosition: Int64 = 0
  /// The new positions of changes that were moved to the end, by their old positions.
  private var moved: [Int64: Int64] = [:]
  /// Counts the visited items, for tests.
  package var visits: WorkCounter?

  package init() {}

  package var isEmpty: Bool { all.isEmpty }
  package var count: Int { all.count }
  /// The oldest change, or nil.
  package var first: OutboxItem? { all.first.flatMap { self[position: $0] } }
  /// Iterates over all changes in order.
  package func makeIterator() -> AnyIterator<OutboxItem> { iterator(all) }

  /// The number of changes waiting to be sent.
  package var waitingCount: Int { waitingPositions.count }
  /// The changes waiting to be sent, in order.
  package var waiting: AnySequence<OutboxItem> { AnySequence { iterator(waitingPositions) } }
  /// Returns the first waiting change that satisfies a predicate, or nil if none does.
  func firstWaiting(where holds: (OutboxItem) -> Bool) -> OutboxItem? {
    if waitingPositions.isEmpty { return nil }
    for position in waitingPositions {
      if let item = self[position: position], holds(item) { return item }
    }
    return nil
  }

  /// The parked changes, in order.
  package var parked: AnySequence<OutboxItem> { AnySequence { iterator(parkedPositions) } }

  private func iterator(_ positions: PositionList) -> AnyIterator<OutboxItem> {
    var rest = positions.makeIterator()
    return AnyIterator { rest.next().flatMap { self[position: $0] } }
  }

  /// The change at a position, or nil.
  package subscript(position position: Int64) -> OutboxItem? {
    visits?.add()
    return items[position]
  }

  /// Returns the waiting and parked changes to one record, in order.
  package func items(for key: RecordKey) -> [OutboxItem] {
    (byKey[key] ?? PositionList()).compactMap { self[position: $0] }
  }

  func count(for key: RecordKey) -> Int { byKey[key]?.count ?? 0 }

  func first(for key: RecordKey) -> OutboxItem? { byKey[key]?.first.flatMap { self[position: $0] } }

  func last(for key: RecordKey) -> OutboxItem? { byKey[key]?.last.flatMap { self[position: $0] } }

  /// True if there are waiting or parked changes to a record.
  package func holds(_ key: RecordKey) -> Bool { byKey[key] != nil }

  /// Returns the positions of a transaction's changes, in order.
  func positions(ofGroup group: Int64) -> [Int64] { Array(byGroup[group] ?? PositionList()) }

  /// The changes to collections' rules that are waiting to be sent, in order.
  var waitingRules: [OutboxItem] { rules.compactMap { self[position: $0] }.filter { $0.parkedBecause == nil } }

  /// True if changes to rules are waiting to be sent. Parked ones do not count.
  package var holdsRules: Bool { !rules.isEmpty && !waitingRules.isEmpty }

  /// True if a write in the outbox belongs to an incarnation before `incarnation`.
  func holdsWrites(before incarnation: Int64) -> Bool { incarnations.contains { $0.key < incarnation } }

  var nextPosition: Int64 { lastPosition + 1 }

  mutating func append(_ item: OutboxItem) {
    lastPosition = Swift.max(lastPosition, item.position)
    all.insert(item.position)
    byKey[item.key, default: PositionList()].insert(item.position)
    if let group = item.group { byGroup[group, default: PositionList()].insert(item.position) }
    if item.key.type == ZoneRules.type { rules.insert(item.position) }
    put(item)
  }

  /// Replaces the item at the same position, if there is one. The record and the transaction must stay the same.
  mutating func replace(_ item: OutboxItem) {
    guard let old = items[item.position] else { return }
    withdraw(old)
    put(item)
  }

  /// Moves a change to the end of the outbox and returns it with its new position.
  mutating func moveToEnd(_ item: OutboxItem) -> OutboxItem {
    var item = item
    remove(position: item.position)
    moved[item.position] = nextPosition
    item.position = nextPosition
    append(item)
    return item
  }

  /// Returns the current position of a change that may have been moved to the end.
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
