/// The content of a record in a collection, except for its `newest` fields: the incarnation, the writes that keep the
/// record alive, and the other fields.
package struct RecordContent: Hashable, Sendable {
  /// The current incarnation. It starts at `Cell.origin` and increases each time the record is created again after a
  /// deletion. Writes to an earlier incarnation are ignored.
  package var incarnation: Int64 = 0
  /// For each device, its last write other than a deletion, unless the author of a deletion had seen it. Sorted by
  /// device. With `edit-wins`, the record exists as long as this list is not empty.
  package var living: [Dot] = []
  /// The latest deletion in this incarnation, or nil. With `delete-wins`, the record is deleted if this is set.
  package var deleted: Stamp?
  /// The stamp of the latest write.
  package var changed: Stamp?
  /// The fields whose rule is not `newest`, sorted by name.
  package var parts: [RecordPart] = []

  package init() {}

  /// True if there are no writes, or if the cell does not belong to a collection.
  package var isEmpty: Bool { self == RecordContent() }

  package func isDeleted(by rule: DeleteRule) -> Bool {
    switch rule {
    case .editWins: living.isEmpty
    case .deleteWins: living.isEmpty || deleted != nil
    }
  }

  /// Returns the field with this name, or nil if it has no content.
  package func part(_ name: String) -> RecordPart? { parts.first { $0.name == name } }

  mutating func apply(_ record: RecordWrite, of write: Write) {
    changed = [changed, write.stamp].compactMap { $0 }.max()
    if record.isDeletion {
      living.removeAll { $0.device == write.dot.device || write.context.covers($0) }
      deleted = [deleted, write.stamp].compactMap { $0 }.max()
    } else {
      write.dot.put(into: &living)
    }
    for change in record.changes {
      let index = parts.firstIndex { $0.name >= change.name } ?? parts.endIndex
      if index < parts.endIndex, parts[index].name == change.name {
        parts[index].state = change.kind.applied(to: parts[index].state, of: write.dot)
      } else {
        parts.insert(.init(name: change.name, state: change.kind.applied(to: nil, of: write.dot)), at: index)
      }
    }
  }

  private static func latest(_ one: Stamp?, _ other: Stamp?) -> Stamp? {
    guard let one, let other else { return one ?? other }
    return max(one, other)
  }

  /// Merges two copies of the same incarnation. `left` and `right` are the writes that each copy has seen.
  static func join(
    _ one: RecordContent, _ other: RecordContent, _ left: VersionVector, _ right: VersionVector
  ) -> RecordContent {
    var result = one
    result.living = Dot.join(one.living, other.living, left, right)
    result.deleted = latest(one.deleted, other.deleted)
    result.changed = latest(one.changed, other.changed)
    if one.parts.isEmpty, other.parts.isEmpty { return result }
    // A copy without a set that it has seen has removed all elements of that set.
    let mine = one.parts.map { $0.seen(by: right, unless: other) }
    let theirs = other.parts.map { $0.seen(by: left, unless: one) }
    result.parts = RecordPart.State.merge(mine, theirs, by: { $0.name < $1.name }) {
      RecordPart(name: $0.name, state: .join($0.state, $1.state, left, right))
    }
    return result
  }
}

extension RecordPart {
  /// If the other copy does not have this set, returns the set without the elements that the other copy has seen.
  fileprivate func seen(by context: VersionVector, unless other: RecordContent) -> RecordPart {
    guard case .set = state, other.part(name) == nil else { return self }
    return RecordPart(name: name, state: .join(state, .set([]), VersionVector(), context))
  }
}

extension Cell {
  /// True if the cell is a record of a collection and has been written.
  package var isRecord: Bool { !content.isEmpty }

  /// Starts a later incarnation without content.
  mutating func beginIncarnation(_ incarnation: Int64) {
    content = RecordContent()
    content.incarnation = incarnation
    (entries, fields, horizonMilliseconds) = ([], [], 0)
  }
}
