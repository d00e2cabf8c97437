/// How far a zone has forgotten its deleted records: 90 days after each deletion, or earlier where a collection is full.
///
/// No deleted record is left whose last change has a number up to `sequence`, but for those that the rules have kept
/// (`ZoneRules.keptDeletions`). A record that the zone has not got and whose incarnation is smaller than `incarnation`
/// has been deleted and dropped: a device that still knows it drops it too, and nothing that was written to it makes it
/// come back. What is made since begins with `incarnation`, under whatever key, and keeps that as its `Cell.origin`.
public struct Dropped: Hashable, Sendable {
  /// The zone's number of the last deletion that was forgotten: who has read less than that reads the zone whole.
  public var sequence: Int64
  /// Larger than the incarnation of everything that was forgotten.
  public var incarnation: Int64

  /// Makes a note; of a zone that has forgotten nothing by default.
  public init(sequence: Int64 = 0, incarnation: Int64 = 0) {
    self.sequence = sequence
    self.incarnation = incarnation
  }

  /// What is known once this deletion has been forgotten too.
  public mutating func note(sequence: Int64, incarnation: Int64) {
    self.sequence = max(self.sequence, sequence)
    self.incarnation = max(self.incarnation, incarnation + 1)
  }

  /// What happens to a change to a record that the zone has forgotten, or of one that was made before it did; nil if
  /// that does not matter. A device that is told of a conflict fetches, and learns of it.
  func decision(on operation: RecordOperation, stored: SyncRecord?) -> Arbiter.Decision? {
    let first = stored?.cell.origin ?? incarnation
    switch operation.change {
    case .write(let write):
      guard let record = write.record, record.incarnation < first, stored?.cell.context.covers(write.dot) != true else {
        return nil
      }
      return .conflict
    case .join(let cell): return cell.isRecord && cell.content.incarnation < first ? .unchanged : nil
    case .retire: return nil
    }
  }
}

extension Cell {
  /// The incarnation in which a record is deleted; nil while it lives, and for what is not a record of a collection.
  public func deletedIncarnation(by rule: DeleteRule) -> Int64? {
    isRecord && content.isDeleted(by: rule) ? content.incarnation : nil
  }
}

/// A deletion that is old enough to be forgotten.
public struct OldDeletion: Hashable, Sendable {
  /// Which record.
  public var key: RecordKey
  /// The zone's number of its last change.
  public var sequence: Int64
  /// The incarnation in which it is deleted.
  public var incarnation: Int64

  /// Names a deleted record.
  public init(key: RecordKey, sequence: Int64, incarnation: Int64) {
    self.key = key
    self.sequence = sequence
    self.incarnation = incarnation
  }

  /// Those that can be forgotten, in the order in which they go; `rules` are all that the zone keeps. The same for the zone
  /// and for every device, whatever else they have read: so no device has to be notified of what was dropped.
  public static func forgettable(_ deletions: [OldDeletion], rules: [ZoneRules]) -> [OldDeletion] {
    let kept = ZoneRules.keptDeletions(rules)
    return deletions.filter { !kept.contains($0.key.type) }.sorted { $0.sequence < $1.sequence }
  }

  /// The number up to which deletions must go so that each of these collections has room for so many records, or for as many as
  /// it can; nil where none can go.
  public static func room(for full: [String: Int], _ deletions: [OldDeletion], rules: [ZoneRules]) -> Int64? {
    let forgettable = forgettable(deletions, rules: rules)
    return full.compactMap { type, count in
      forgettable.filter { $0.key.type == type }.prefix(count).last?.sequence
    }.max()
  }
}

extension ZoneRules {
  /// The collections whose deletions are kept: what refers to them reads otherwise for as long as they are known.
  static func keptDeletions(_ rules: [ZoneRules]) -> Set<String> { Set(rules.flatMap(\.clearedTargets)) }

  /// The collections to which something here refers that reads otherwise once its target is deleted.
  private var clearedTargets: [String] {
    fields.values.compactMap { rule in
      guard case .reference(let target) = rule.type, rule.onDelete ?? .keep != .keep else { return nil }
      return target
    }
  }
}
