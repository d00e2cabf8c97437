import FlowDiagnostics
import FlowModel
import SyncCore

/// A problem with the values of a record, with a human-readable description.
public struct RecordProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem as a sentence without its remedy.
  public var message: String
  /// The remedy or the correct form, or nil if there is nothing to add.
  package var help: String?
  /// The message and the help.
  public var description: String { help.map { "\(message); \($0)" } ?? message }

  package init(_ message: String, help: String? = nil) {
    self.message = message
    self.help = help
  }
}

extension RecordSchema {
  /// Returns a collection by name. If it does not exist, the error suggests the most similar name.
  public func require(_ name: String) throws(RecordProblem) -> Collection {
    if let collection = collection(name) { return collection }
    let names = collections.map(\.name)
    let help = NearestName.question(name, among: names) ?? "there are \(names.joined(separator: ", "))"
    throw RecordProblem("the schema '\(self.name)' has no collection '\(name)'", help: help)
  }
}

extension RecordSchema.Collection {
  /// Returns a field by name. If it does not exist, the error suggests the most similar name.
  func require(_ field: String) throws(RecordProblem) -> RecordSchema.Field {
    if let found = self.field(field) { return found }
    let names = fields.map(\.name)
    let help = NearestName.question(field, among: names) ?? "there are \(names.joined(separator: ", "))"
    throw RecordProblem("'\(name)' has no field '\(field)'", help: help)
  }
}

extension RecordSchema.Field {
  /// Converts a value of this field, or of one of its elements if the field has several. Throws if the value has the
  /// wrong type or is not allowed.
  func scalar(_ value: Value, _ type: FieldType) throws(RecordProblem) -> Scalar {
    switch (type, value) {
    case (_, .null): return .null
    case (.string, .string(let text)):
      if let choices, !choices.contains(text) {
        let help = NearestName.question(text, among: choices) ?? "it is one of \(choices.joined(separator: ", "))"
        throw RecordProblem("'\(name)' cannot be '\(text)'", help: help)
      }
      return .text(text)
    case (.reference, .string(let key)):
      guard (1...RecordKey.maximumLength).contains(key.utf8.count) else {
        throw RecordProblem("'\(name)' takes a key of 1 to \(RecordKey.maximumLength) bytes")
      }
      return .text(key)
    case (.integer, _):
      if let number = value.integerValue, number.magnitude <= UInt(Stamp.latestMilliseconds) {
        return .integer(Int64(number))
      }
    case (.number, _): if let number = value.numberValue, number.isFinite { return .number(number) }
    case (.boolean, .boolean(let flag)): return .boolean(flag)
    case (.duration, .string(let text)):
      if let duration = try? DurationText.parse(text) {
        let (seconds, attoseconds) = duration.components
        return .integer(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
      }
    case (.array(let element), .array(let values)):
      var checked: [Value] = []
      for value in values { checked.append(self.value(try scalar(value, element), element)) }
      return .json(String(decoding: JSONText.bytes(of: .array(checked)), as: UTF8.self))
    default: break
    }
    throw RecordProblem("'\(name)' takes \(Self.words(type)), found \(value.foundText)")
  }

  /// Converts a stored value of this type to a value for workflows.
  func value(_ scalar: Scalar, _ type: FieldType) -> Value {
    switch scalar {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): type == .duration ? Self.duration(number) : .integer(Int(number))
    case .number(let number): .number(number)
    case .text(let text): .string(text)
    case .json(let text): (try? JSONText.parse(Array(text.utf8))) ?? .null
    }
  }

  private static func duration(_ milliseconds: Int64) -> Value {
    .string(DurationText.format(.milliseconds(milliseconds)))
  }

  static func words(_ type: FieldType) -> String {
    switch type {
    case .string: "a text"
    case .integer: "a whole number of at most 53 bits"
    case .number: "a number"
    case .boolean: "true or false"
    case .duration: "a length of time such as 25m"
    case .reference(let collection): "the key of a record of '\(collection)'"
    case .array(let element): "a list, each of whose elements is \(words(element))"
    }
  }
}

extension Value {
  /// Describes the value in messages about unexpected input: `the integer 7`, `an empty list`.
  var foundText: String {
    switch self {
    case .null, .array, .object: shortText
    default: "the \(kindName) \(shortText)"
    }
  }
}
