/// How far a zone has forgotten its deleted records, once every device had seen them deleted.
///
/// A record that the zone has not got and whose life is smaller than `life` has been deleted and forgotten: whoever still
/// knows it forgets it too, and nothing that was written to it makes it come back. What is made since begins with `life`,
/// under whatever key.
public struct Dropped: Hashable, Sendable {
  /// The zone's number of the last deletion that was forgotten: who has read less than that reads the zone whole.
  public var sequence: Int64
  /// Larger than the life of everything that was forgotten.
  public var life: Int64

  /// Makes a note; of a zone that has forgotten nothing by default.
  public init(sequence: Int64 = 0, life: Int64 = 0) {
    self.sequence = sequence
    self.life = life
  }

  /// What is known once this deletion has been forgotten too.
  public mutating func note(sequence: Int64, life: Int64) {
    self.sequence = max(self.sequence, sequence)
    self.life = max(self.life, life + 1)
  }

  /// What becomes of a change to a record that the zone has forgotten, or of one that was made before it did; nil where
  /// that does not matter. Who is told of a conflict fetches, and learns of it.
  func decision(on operation: Operation, stored: Record?) -> Arbiter.Decision? {
    guard life > 0, stored.map({ $0.cell.content.life >= life }) ?? true else { return nil }
    switch operation.change {
    case .write(let write):
      guard let record = write.record, record.life < life, stored?.cell.context.covers(write.dot) != true else {
        return nil
      }
      return .conflict
    case .join(let cell): return stored == nil && cell.isRecord && cell.content.life < life ? .unchanged : nil
    case .retire, .seen: return nil
    }
  }
}

extension Cell {
  /// The life in which a record is deleted; nil while it lives, and for what is no record of a collection.
  public func deletedLife(by rule: DeleteRule) -> Int64? {
    isRecord && content.isDeleted(by: rule) ? content.life : nil
  }
}

/// A deleted record that every device has seen deleted.
public struct SeenDeletion: Hashable, Sendable {
  /// Which record.
  public var key: RecordKey
  /// The zone's number of its last change.
  public var sequence: Int64
  /// The life in which it is deleted.
  public var life: Int64

  /// Names a deleted record.
  public init(key: RecordKey, sequence: Int64, life: Int64) {
    self.key = key
    self.sequence = sequence
    self.life = life
  }

  /// Those that can be forgotten: the others are referred to, and read as cleared or hide what refers to them for as long
  /// as they are known.
  ///
  /// `rules` are all that the zone keeps, `cells` gives the records of a collection.
  public static func forgettable(
    _ deletions: [SeenDeletion], rules: [ZoneRules], cells: (String) throws -> [Cell]
  ) rethrows -> [SeenDeletion] {
    let targets = Set(deletions.map(\.key.type))
    var held: Set<RecordKey> = []
    for rule in rules {
      let fields = rule.references.filter { targets.contains($0.target) }
      if fields.isEmpty { continue }
      for cell in try cells(rule.collection) where cell.deletedLife(by: rule.delete) == nil {
        for (name, target) in fields {
          guard let value = cell.fields.first(where: { $0.name == name })?.value,
            case .text(let key)? = Scalar(bytes: value)
          else { continue }
          held.insert(RecordKey(type: target, name: key))
        }
      }
    }
    return deletions.filter { !held.contains($0.key) }
  }
}

extension ZoneRules {
  /// The fields that refer to records whose deletion changes how these read.
  var references: [(name: String, target: String)] {
    texts.keys.sorted().compactMap { name in
      guard let rule = rule(of: name), case .reference(let target) = rule.type, rule.onDelete ?? .keep != .keep else {
        return nil
      }
      return (name, target)
    }
  }
}
