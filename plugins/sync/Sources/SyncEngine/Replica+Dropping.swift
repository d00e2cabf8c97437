import SyncCore

extension Replica {
  /// The reason for parking a change to a record that was deleted later, if the zone has forgotten the deletion.
  static let deletedThere =
    "the record has been deleted meanwhile, and the zone has forgotten it; discard this change, or make the record again"

  /// Updates the rules of a collection after the record that contains them has changed.
  mutating func noteRules(_ key: RecordKey) {
    guard key.type == ZoneRules.type else { return }
    var texts = confirmed[key].map { ZoneRules.texts(of: $0.cell) } ?? [:]
    for item in outbox.items(for: key) where item.parkedBecause == nil {
      switch item.change {
      case .write(let write): texts.merge(ZoneRules.texts(of: write)) { known, _ in known }
      case .join(let cell): texts.merge(ZoneRules.texts(of: cell)) { known, _ in known }
      case .retire: continue
      }
    }
    if texts == rules[key.name]?.texts { return }
    rules[key.name] = texts.isEmpty ? nil : ZoneRules(collection: key.name, texts: texts)
  }

  mutating func note(dropped present: Dropped) {
    guard dropped != present else { return }
    dropped = present
    dirty.insert(.cursor)
  }

  /// Removes a record that the zone has forgotten. Also removes from the outbox its deletions up to its known
  /// incarnation, and its changes without a `RecordWrite`. Returns the positions of its other writes up to that
  /// incarnation. The caller must park them.
  mutating func forget(_ key: RecordKey) -> [Int64] {
    guard let known = confirmed[key] else { return [] }
    release(key)
    var late: [Int64] = []
    for item in outbox.items(for: key) where item.parkedBecause != Self.deletedThere {
      guard let record = item.write?.record else {
        remove(position: item.position)
        continue
      }
      guard record.incarnation <= known.cell.content.incarnation else { continue }
      if record.isDeletion { remove(position: item.position) } else { late.append(item.position) }
    }
    return late
  }

  /// Returns the first incarnation of a record: the one in which the zone created it or, if this device does not have
  /// the record, would create it now.
  func firstIncarnation(of key: RecordKey) -> Int64 { confirmed[key]?.cell.origin ?? dropped.incarnation }

  /// Shifts the incarnations of the unacknowledged writes to a record so that the first write has `incarnation`. This
  /// is done only if that write's incarnation is earlier or, with `exactly`, different.
  mutating func begin(_ key: RecordKey, in incarnation: Int64, exactly: Bool = false) {
    let known = confirmed[key]?.cell.context ?? VersionVector()
    let items = outbox.items(for: key).filter { item in
      guard let write = item.write, write.record != nil else { return false }
      return item.parkedBecause != Self.deletedThere && !known.covers(write.dot)
    }
    guard let first = items.first?.write?.record?.incarnation, first < incarnation || (exactly && first > incarnation)
    else { return }
    for var item in items {
      guard var write = item.write else { continue }
      write.record?.incarnation += incarnation - first
      item.change = .write(write)
      replace(item)
    }
  }
}
