import FlowDiagnostics
import FlowModel
import SyncCore

/// Converts a workflow's values to an edit of a record.
package struct RecordInput: Sendable {
  private let collection: RecordSchema.Collection
  private let replaces: Bool

  /// The allowed members of a write in a transaction.
  static let writeMembers = ["collection", "key", "fields", "replace", "delete"]
  /// The allowed keys of an edit of a counter, set, list or field with epochs.
  static let edits = ["add", "remove", "insert", "move", "begin"]

  /// Returns the problem with the name of a write's member, or nil if the name is allowed.
  package static func problem(withMember name: String) -> RecordProblem? {
    if writeMembers.contains(name) { return nil }
    return RecordProblem(
      "'\(name)' is not part of a write",
      help: NearestName.question(name, among: writeMembers) ?? "it has \(writeMembers.joined(separator: ", "))")
  }

  /// Creates a reader for edits of a collection's records. With `replaces`, a plain value replaces the current value of
  /// a counter, set or list; the edit contains the difference to the value on this device.
  package init(_ collection: RecordSchema.Collection, replaces: Bool = false) {
    self.collection = collection
    self.replaces = replaces
  }

  /// Reads an edit. If `isNew` is true, the record does not exist yet, so all required fields must be present.
  package func edit(_ values: ValueObject, isNew: Bool, seed: UInt64) throws(RecordProblem) -> RecordEdit {
    var edit = RecordEdit(seed: seed)
    for (name, value) in values.members {
      if collection.field(name) == nil, collection.hasOtherFields {
        edit.fields[name] = try other(name, value)
        continue
      }
      let field = try collection.require(name)
      if field.isRequired, value == .null { throw RecordProblem("'\(name)' is required and cannot be null") }
      edit.fields[name] = try change(field, value)
    }
    if isNew {
      for field in collection.fields where field.isRequired && edit.fields[field.name] == nil {
        throw RecordProblem("a new record of '\(collection.name)' needs '\(field.name)'")
      }
    }
    return edit
  }

  /// Reads a field that is not in the schema. Its value must be a string.
  private func other(_ name: String, _ value: Value) throws(RecordProblem) -> RecordEdit.Field {
    guard RecordKey(type: collection.name, name: name).isWellFormed else {
      throw RecordProblem("a field's name is 1 to \(RecordKey.maximumLength) bytes without control characters")
    }
    guard case .string(let text) = value else {
      throw RecordProblem(
        "'\(name)', which the schema does not name, takes a text, found \(value.foundText)")
    }
    return .set(Scalar.text(text).bytes)
  }

  private func change(_ field: RecordSchema.Field, _ value: Value) throws(RecordProblem) -> RecordEdit.Field {
    let rule = field.rule
    switch rule.merge {
    case .newest: return .set(try field.scalar(value, rule.type).bytes)
    case .whole: return .state(try field.scalar(value, rule.type).bytes)
    case .largest where rule.hasEpochs:
      guard case .object(let object) = value else { return .inEpoch(try some(field, value), begins: false) }
      try check(object, ["begin"], field)
      return .inEpoch(try some(field, object["begin"] ?? .null), begins: true)
    case .largest: return .largest(try some(field, value))
    case .smallest: return .smallest(try some(field, value))
    case .counter: return try counter(field, value)
    case .set: return try elements(field, value)
    case .list: return try items(field, value)
    }
  }

  private func some(_ field: RecordSchema.Field, _ value: Value) throws(RecordProblem) -> [UInt8] {
    let scalar = try field.scalar(value, field.rule.element)
    if scalar == .null {
      throw RecordProblem("'\(field.name)' is merged by \(field.rule.merge.rawValue) and takes no null")
    }
    return scalar.bytes
  }

  private func counter(_ field: RecordSchema.Field, _ value: Value) throws(RecordProblem) -> RecordEdit.Field {
    if case .object(let object) = value {
      try check(object, ["add"], field)
      guard case .integer(let more) = try field.scalar(object["add"] ?? .null, field.rule.type) else {
        throw RecordProblem("'\(field.name)' takes { add: n }")
      }
      return .add(more)
    }
    guard replaces else { throw plain(field, "{ add: n }") }
    guard case .integer(let total) = try field.scalar(value, field.rule.type) else {
      throw RecordProblem("'\(field.name)' is a counter and cannot be null")
    }
    return .total(total)
  }

  private func elements(_ field: RecordSchema.Field, _ value: Value) throws(RecordProblem) -> RecordEdit.Field {
    if case .object(let object) = value {
      try check(object, ["add", "remove"], field)
      return .elements(
        add: try values(object["add"], field, "add"), remove: try values(object["remove"], field, "remove"))
    }
    guard replaces else { throw plain(field, "{ add: […], remove: […] }") }
    return .exactly(try values(value, field, "the value"))
  }

  private func items(_ field: RecordSchema.Field, _ value: Value) throws(RecordProblem) -> RecordEdit.Field {
    guard case .object(let object) = value else {
      guard replaces else {
        throw plain(field, "{ insert: [{ after: ID, value: … }], remove: [ID], move: { element: ID, after: ID } }")
      }
      return .inOrder(try values(value, field, "the value"))
    }
    try check(object, ["insert", "remove", "move"], field)
    var insert: [RecordEdit.Insertion] = []
    for one in try list(object["insert"], field, "insert") {
      guard case .object(let member) = one else {
        throw RecordProblem(
          "each of 'insert' of '\(field.name)' is { after: ID, value: … }, found \(one.foundText)")
      }
      try check(member, ["after", "value"], field)
      let value = try some(field, member["value"] ?? .null)
      var insertion = RecordEdit.Insertion(after: nil, isAtEnd: member["after"] == nil, value: value)
      if let after = member["after"], after != .null { insertion.after = try id(after, field) }
      insert.append(insertion)
    }
    var remove: [ItemID] = []
    for one in try list(object["remove"], field, "remove") { remove.append(try id(one, field)) }
    return .items(insert: insert, remove: remove.sorted(), move: try moves(object["move"], field))
  }

  /// Reads a single move or a list of moves.
  private func moves(_ value: Value?, _ field: RecordSchema.Field) throws(RecordProblem) -> [RecordEdit.Move] {
    var moves: [RecordEdit.Move] = []
    let given: Value? = if case .object? = value { value.map { .array([$0]) } } else { value }
    for one in try list(given, field, "move") {
      guard case .object(let member) = one, let element = member["element"] else {
        throw RecordProblem(
          "each of 'move' of '\(field.name)' is { element: ID, after: ID }, found \(one.foundText)")
      }
      try check(member, ["element", "after"], field)
      var move = RecordEdit.Move(try id(element, field), after: nil, isAtEnd: member["after"] == nil)
      if let after = member["after"], after != .null { move.after = try id(after, field) }
      if move.after == move.element {
        throw RecordProblem(
          "'move' of '\(field.name)' puts \(move.element) behind itself; name another element in 'after'")
      }
      moves.append(move)
    }
    return moves
  }

  private func id(_ value: Value, _ field: RecordSchema.Field) throws(RecordProblem) -> ItemID {
    guard let id = value.stringValue.flatMap({ ItemID($0) }) else {
      throw RecordProblem(
        "\(value.shortText) is not an element of '\(field.name)'; sync.get gives their names under 'ids'")
    }
    return id
  }

  private func values(_ value: Value?, _ field: RecordSchema.Field, _ key: String) throws(RecordProblem) -> [[UInt8]] {
    var result: [[UInt8]] = []
    for one in try list(value, field, key) { result.append(try some(field, one)) }
    return result
  }

  private func list(_ value: Value?, _ field: RecordSchema.Field, _ key: String) throws(RecordProblem) -> [Value] {
    switch value {
    case nil: return []
    case .array(let values)?: return values
    case let other?:
      throw RecordProblem("\(key) of '\(field.name)' is a list, found \(other.foundText)")
    }
  }

  private func check(_ object: ValueObject, _ keys: [String], _ field: RecordSchema.Field) throws(RecordProblem) {
    for key in object.keys where !keys.contains(key) {
      throw RecordProblem(
        "'\(key)' is not an operation on '\(field.name)'; it takes \(Self.words(keys))")
    }
  }

  /// Joins words as `a, b and c`.
  private static func words(_ keys: [String]) -> String {
    keys.count < 2 ? keys.joined() : "\(keys.dropLast().joined(separator: ", ")) and \(keys.last ?? "")"
  }

  private func plain(_ field: RecordSchema.Field, _ form: String) -> RecordProblem {
    RecordProblem(
      "'\(field.name)' is merged by \(field.rule.merge.rawValue): write \(form), or 'replace: true' to have it show just this value"
    )
  }
}
