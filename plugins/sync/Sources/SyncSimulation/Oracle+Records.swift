import SyncCore
import SyncRecords

/// An action on a record that the server has accepted.
struct RecordAct {
  var device: Int
  var name: String
  var number: Int64
  var stamp: Stamp
  /// The incarnation of the record to which the server applied the action.
  var incarnation: Int64
  var act: ActLog.Act

  var edit: RecordEdit { act.edit }

  func hasSeen(_ other: RecordAct) -> Bool {
    act.past[other.device] >= other.number && !(device == other.device && number == other.number)
  }
}

/// Computes the expected content of records from all accepted actions and from the earlier actions that each author had
/// seen.
extension Oracle {
  /// Adds an action that the server has accepted.
  mutating func take(_ act: RecordAct) { acts[act.act.key, default: []].append(act) }

  var recordKeys: Set<RecordKey> { Set(acts.keys) }

  /// Returns the actions of the latest incarnation, or nil if the record must not exist.
  func present(_ key: RecordKey) -> [RecordAct]? {
    guard let collection = schema.collection(key.type), let all = acts[key],
      let incarnation = all.map(\.incarnation).max()
    else { return nil }
    let present = all.filter { $0.incarnation == incarnation }
    return Self.isGone(present, collection.delete) ? nil : present
  }

  /// Returns true if these actions of one incarnation, taken together, leave the record deleted.
  private static func isGone(_ acts: [RecordAct], _ rule: DeleteRule) -> Bool {
    let deletions = acts.filter(\.edit.isDeletion)
    if deletions.isEmpty { return false }
    if rule == .deleteWins { return true }
    return !acts.contains { act in !act.edit.isDeletion && !deletions.contains { $0.hasSeen(act) } }
  }

  /// Returns messages about actions that were accepted into the wrong incarnation, given what their authors had seen.
  func misplaced(_ key: RecordKey) -> [String] {
    guard let collection = schema.collection(key.type), let all = acts[key] else { return [] }
    return all.compactMap { act in
      // Indices are used because actions are large and each is compared with all others.
      let seen = all.indices.filter { act.hasSeen(all[$0]) }
      guard let incarnation = seen.map({ all[$0].incarnation }).max() else { return nil }
      let present = seen.filter { all[$0].incarnation == incarnation }
      let wasGone =
        present.contains { all[$0].edit.isDeletion } && Self.isGone(present.map { all[$0] }, collection.delete)
      let isRight = wasGone && !act.edit.isDeletion ? act.incarnation > incarnation : act.incarnation == incarnation
      return isRight
        ? nil : "\(act.name):\(act.number) on \(key) is of life \(act.incarnation); its author saw life \(incarnation)"
    }
  }

  /// Returns messages about differences between a record in the zone and the expected record.
  func problems(with cell: Cell?, _ key: RecordKey) -> [String] {
    guard let collection = schema.collection(key.type) else { return [] }
    let isShown = cell.map { $0.isRecord && !$0.content.isDeleted(by: collection.delete) } ?? false
    guard let acts = present(key) else { return isShown ? ["\(key) is there and must be deleted"] : [] }
    guard let cell, isShown else { return ["\(key) is deleted and must be there"] }
    // The stamp of an action is later than all stamps that its author had seen, so causes precede effects in this
    // order.
    let ordered = acts.sorted { $0.stamp < $1.stamp }
    let state = collection.decide.map { self.state(ordered, by: $0) }
    return collection.fields.flatMap { field -> [String] in
      let found = field.rule.merge == .whole ? collection.values(of: cell)[index(of: field, collection)] : .null
      switch field.rule.merge {
      case .whole: return differ(found, state?.value(field.name) ?? .null, field, key)
      case .list: return listProblems(field, cell, ordered).map { "\(key): \(field.name) \($0)" }
      case .set:
        let elements = Set((cell.content.part(field.name)?.state.elements ?? []).map(\.value))
        return elements == set(field, ordered) ? [] : ["\(key): \(field.name) has not the elements that it must have"]
      default:
        return differ(collection.values(of: cell)[index(of: field, collection)], value(field, ordered), field, key)
      }
    }
  }

  private func index(of field: RecordSchema.Field, _ collection: RecordSchema.Collection) -> Int {
    collection.fields.firstIndex { $0.name == field.name } ?? 0
  }

  private func differ(_ found: Scalar, _ expected: Scalar, _ field: RecordSchema.Field, _ key: RecordKey) -> [String] {
    found == expected ? [] : ["\(key): \(field.name) is \(found), must be \(expected)"]
  }

  private func state(_ acts: [RecordAct], by rule: DecideRule) -> RecordState {
    let states = acts.compactMap { act -> State? in
      var values: [String: [UInt8]] = [:]
      for case (let name, .state(let value)) in act.edit.fields { values[name] = value }
      if values.isEmpty { return nil }
      return State(
        device: act.device, name: act.name, number: act.number, milliseconds: act.stamp.milliseconds,
        counter: act.stamp.counter, state: RecordState(values: values), past: act.act.past)
    }
    return Self.winner(of: states, by: rule)?.state ?? RecordState()
  }

  // MARK: Fields

  /// Returns the expected value of a field that is neither a set nor a list, and is not decided as part of a state.
  private func value(_ field: RecordSchema.Field, _ acts: [RecordAct]) -> Scalar {
    var written: [[UInt8]] = []
    for act in acts {
      switch act.edit.fields[field.name] {
      case .set(let value)?, .largest(let value)?, .smallest(let value)?: written.append(value)
      default: break
      }
    }
    switch field.rule.merge {
    case .newest: return written.last.flatMap { Scalar(bytes: $0) } ?? .null
    case .largest where field.rule.hasEpochs: return largestInLastEpoch(field, acts)
    case .largest: return extreme(written, isLargest: true)
    case .smallest: return extreme(written, isLargest: false)
    default: return .integer(sum(field, acts))
    }
  }

  private func extreme(_ written: [[UInt8]], isLargest: Bool) -> Scalar {
    let values = written.compactMap { Scalar(bytes: $0) }
    return (isLargest ? values.max(by: Self.isSmaller) : values.min(by: Self.isSmaller)) ?? .null
  }

  private static func isSmaller(_ one: Scalar, _ other: Scalar) -> Bool {
    switch (one, other) {
    case (.integer(let left), .integer(let right)): left < right
    case (.number(let left), .number(let right)): left < right
    case (.text(let left), .text(let right)), (.json(let left), .json(let right)):
      Array(left.utf8).lexicographicallyPrecedes(Array(right.utf8))
    case (.boolean(let left), .boolean(let right)): !left && right
    default: false
    }
  }

  private func largestInLastEpoch(_ field: RecordSchema.Field, _ acts: [RecordAct]) -> Scalar {
    var epochs: [(act: RecordAct, epoch: Int, value: Scalar)] = []
    for act in acts {
      let seen = epochs.filter { act.hasSeen($0.act) }
      let epoch = seen.map(\.epoch).max() ?? 0
      switch act.edit.fields[field.name] {
      case .inEpoch(let bytes, let begins)?:
        if let value = Scalar(bytes: bytes) { epochs.append((act, epoch + (begins ? 1 : 0), value)) }
      case .raise(let more)?:
        let largest = seen.filter { $0.epoch == epoch }.map(\.value).max(by: Self.isSmaller)
        let known: Int64 = if case .integer(let number)? = largest { number } else { 0 }
        epochs.append((act, epoch, .integer(max(0, known + more))))
      default: break
      }
    }
    let last = epochs.map(\.epoch).max() ?? 0
    return epochs.filter { $0.epoch == last }.map(\.value).max(by: Self.isSmaller) ?? .null
  }

  private func sum(_ field: RecordSchema.Field, _ acts: [RecordAct]) -> Int64 {
    var added: [(act: RecordAct, amount: Int64)] = []
    for act in acts {
      switch act.edit.fields[field.name] {
      case .add(let amount)?: added.append((act, amount))
      case .total(let total)?:
        let seen = added.reduce(0) { act.hasSeen($1.act) ? $0 + $1.amount : $0 }
        added.append((act, total - seen))
      default: break
      }
    }
    return added.reduce(0) { $0 + $1.amount }
  }

  private func set(_ field: RecordSchema.Field, _ acts: [RecordAct]) -> Set<[UInt8]> {
    var added: [(act: RecordAct, value: [UInt8])] = []
    var removed: [(act: RecordAct, value: [UInt8])] = []
    /// Returns the elements of the set for a user who has seen the actions that satisfy `isSeen`.
    func shown(_ isSeen: (RecordAct) -> Bool) -> Set<[UInt8]> {
      let gone = removed.filter { isSeen($0.act) }
      return Set(
        added.filter { one in
          isSeen(one.act) && !gone.contains { $0.value == one.value && $0.act.hasSeen(one.act) }
        }.map(\.value))
    }
    for act in acts {
      switch act.edit.fields[field.name] {
      case .elements(let add, let remove)?:
        removed += Set(remove).subtracting(add).map { (act, $0) }
        added += add.map { (act, $0) }
      case .exactly(let values)?:
        let present = shown { act.hasSeen($0) }
        removed += present.subtracting(values).map { (act, $0) }
        added += Set(values).subtracting(present).map { (act, $0) }
      default: break
      }
    }
    return shown { _ in true }
  }

  /// Returns the problems with a list: missing elements, extra elements, or elements in a different order from the one
  /// that a user saw. Concurrent last moves may disagree, so a moved element must satisfy one of them: it must still
  /// lie between its neighbors, except neighbors with moves that the device had not seen.
  private func listProblems(_ field: RecordSchema.Field, _ cell: Cell, _ acts: [RecordAct]) -> [String] {
    let shown = ListItem.inOrder(cell.content.part(field.name)?.state.items ?? []).compactMap(\.value)
    let places = acts.flatMap { act in act.act.places.filter { $0.field == field.name }.map { (act: act, place: $0) } }
    var inserted: [[UInt8]] = []
    for act in acts {
      guard case .items(let insert, _, _)? = act.edit.fields[field.name] else { continue }
      inserted += insert.map(\.value)
    }
    let gone = Set(places.filter(\.place.isRemoved).map(\.place.value))
    let expected = inserted.filter { !gone.contains($0) }
    func sorted(_ values: [[UInt8]]) -> [[UInt8]] { values.sorted { $0.lexicographicallyPrecedes($1) } }
    if sorted(shown) != sorted(expected) { return ["has \(shown.count) elements, must have \(expected.count)"] }
    let positions = Dictionary(shown.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let moves = Dictionary(grouping: places.filter(\.place.isMoved), by: \.place.value)
    func isKept(_ act: RecordAct, _ place: ListPlace) -> Bool {
      guard let position = positions[place.value] else { return true }
      func stays(_ neighbor: [UInt8]?) -> Int? {
        neighbor.flatMap { value in (moves[value] ?? []).allSatisfy { act.hasSeen($0.act) } ? positions[value] : nil }
      }
      return (stays(place.after).map { $0 < position } ?? true) && (stays(place.before).map { position < $0 } ?? true)
    }
    var problems: [String] = []
    for (act, place) in places where !place.isRemoved && !place.isMoved && moves[place.value] == nil {
      if !isKept(act, place) { problems.append("has an element that is not between those it was put between") }
    }
    for moves in moves.values {
      let last = moves.filter { one in !moves.contains { $0.act.hasSeen(one.act) } }
      if !last.contains(where: { isKept($0.act, $0.place) }) {
        problems.append("has an element that is not where it was moved to")
      }
    }
    return problems
  }
}
