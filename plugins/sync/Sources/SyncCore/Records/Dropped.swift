/// The extent to which a zone has forgotten deleted records. A deletion is forgotten after 90 days, or earlier if a
/// collection is full.
///
/// Deleted records whose last change has a number up to `sequence` are removed, except those kept by the rules
/// (`ZoneRules.keptDeletions`). If the zone does not have a record and the record's incarnation is less than
/// `incarnation`, it was deleted and forgotten: devices remove it, too, and writes to it do not restore it. New records
/// start with `incarnation`, whatever their key, and store it as `Cell.origin`.
package struct Dropped: Hashable, Sendable {
  /// The sequence number of the last forgotten deletion. A device that has read less fetches the whole zone.
  package var sequence: Int64
  /// A number greater than the incarnation of every forgotten record.
  package var incarnation: Int64

  /// Creates a value. The default is a zone that has forgotten nothing.
  package init(sequence: Int64 = 0, incarnation: Int64 = 0) {
    self.sequence = sequence
    self.incarnation = incarnation
  }

  /// Records that another deletion has been forgotten.
  package mutating func note(sequence: Int64, incarnation: Int64) {
    self.sequence = max(self.sequence, sequence)
    self.incarnation = max(self.incarnation, incarnation + 1)
  }

  /// Returns the decision on a change to a forgotten record, or to an earlier incarnation of a record. Returns nil for
  /// all other changes and for writes that the record already contains. After a conflict, the device fetches and finds
  /// that the record has been forgotten.
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
  /// The incarnation in which the record is deleted, or nil if it is not deleted or does not belong to a collection.
  package func deletedIncarnation(by rule: DeleteRule) -> Int64? {
    isRecord && content.isDeleted(by: rule) ? content.incarnation : nil
  }
}

/// A deletion old enough to be forgotten.
package struct OldDeletion: Hashable, Sendable {
  /// The deleted record.
  package var key: RecordKey
  /// The sequence number of the record's last change.
  package var sequence: Int64
  /// The incarnation in which the record is deleted.
  package var incarnation: Int64

  package init(key: RecordKey, sequence: Int64, incarnation: Int64) {
    self.key = key
    self.sequence = sequence
    self.incarnation = incarnation
  }

  /// Returns the deletions that can be forgotten, in order. `rules` are all rules of the zone. The result depends only
  /// on its arguments, so the zone and all devices forget the same deletions without notifying each other.
  package static func forgettable(_ deletions: [OldDeletion], rules: [ZoneRules]) -> [OldDeletion] {
    let kept = ZoneRules.keptDeletions(rules)
    return deletions.filter { !kept.contains($0.key.type) }.sorted { $0.sequence < $1.sequence }
  }

  /// Returns the sequence number up to which deletions must be forgotten so that each of these collections has room for
  /// the given number of further records, or for as many as possible. Returns nil if no deletion can be forgotten.
  package static func room(for full: [String: Int], _ deletions: [OldDeletion], rules: [ZoneRules]) -> Int64? {
    let forgettable = forgettable(deletions, rules: rules)
    return full.compactMap { type, count in
      forgettable.filter { $0.key.type == type }.prefix(count).last?.sequence
    }.max()
  }
}

extension ZoneRules {
  /// Returns the collections whose deletions are kept. References to their deleted records are read differently while
  /// the deletion is known.
  static func keptDeletions(_ rules: [ZoneRules]) -> Set<String> { Set(rules.flatMap(\.clearedTargets)) }

  /// The collections that this collection refers to by fields that are read differently once their target is deleted.
  private var clearedTargets: [String] {
    fields.values.compactMap { rule in
      guard case .reference(let target) = rule.type, rule.onDelete ?? .keep != .keep else { return nil }
      return target
    }
  }
}
