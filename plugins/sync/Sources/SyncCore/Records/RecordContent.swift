/// What a record of a schema holds besides its `newest` fields: its incarnation, who keeps it alive, and its other
/// fields.
public struct RecordContent: Hashable, Sendable {
  /// How often the record has been made again after a deletion. Nothing of an earlier incarnation counts in a later
  /// one.
  public var incarnation: Int64 = 0
  /// The last write of each device that no deletion has seen, sorted by device: while there is one, the record lives
  /// where an edit wins.
  public var living: [Dot] = []
  /// The latest deletion in this incarnation: since then the record is gone where the deletion wins.
  public var deleted: Stamp?
  /// The latest write.
  public var changed: Stamp?
  /// The fields with rules of their own, sorted by name.
  public var parts: [RecordPart] = []

  /// A record without writes.
  public init() {}

  /// Whether there is nothing: the cell is none of a schema, or it has no writes.
  public var isEmpty: Bool { self == RecordContent() }

  /// Whether the record is gone.
  public func isDeleted(by rule: DeleteRule) -> Bool {
    switch rule {
    case .editWins: living.isEmpty
    case .deleteWins: living.isEmpty || deleted != nil
    }
  }

  /// The field with this name.
  public func part(_ name: String) -> RecordPart? { parts.first { $0.name == name } }

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

  /// What two copies of one incarnation know together; `left` and `right` are what each copy has seen.
  static func join(
    _ one: RecordContent, _ other: RecordContent, _ left: VersionVector, _ right: VersionVector
  ) -> RecordContent {
    var result = one
    result.living = Dot.join(one.living, other.living, left, right)
    result.deleted = latest(one.deleted, other.deleted)
    result.changed = latest(one.changed, other.changed)
    if one.parts.isEmpty, other.parts.isEmpty { return result }
    // A set that one copy does not have has lost its elements there, as far as that copy has seen them.
    let mine = one.parts.map { $0.seen(by: right, unless: other) }
    let theirs = other.parts.map { $0.seen(by: left, unless: one) }
    result.parts = RecordPart.State.merge(mine, theirs, by: { $0.name < $1.name }) {
      RecordPart(name: $0.name, state: .join($0.state, $1.state, left, right))
    }
    return result
  }
}

extension RecordPart {
  /// A set that the other copy has not got, without what that copy has seen.
  fileprivate func seen(by context: VersionVector, unless other: RecordContent) -> RecordPart {
    guard case .set = state, other.part(name) == nil else { return self }
    return RecordPart(name: name, state: .join(state, .set([]), VersionVector(), context))
  }
}

extension Cell {
  /// Whether this is a record of a schema.
  public var isRecord: Bool { !content.isEmpty }

  /// Begins a later incarnation: nothing of the present one counts in it.
  mutating func beginIncarnation(_ incarnation: Int64) {
    content = RecordContent()
    content.incarnation = incarnation
    (entries, fields, horizonMilliseconds) = ([], [], 0)
  }
}
