import FlowCompiled
import SyncCore

/// A record schema that was compiled when an app was built, so that the app need not read YAML. `FlowrunBuildPlugin`
/// compiles each `*.sync.yaml` file of a target:
///
/// ```swift
/// SyncPlugin(schemas: Schemas.all)
/// ```
public struct CompiledSchema: Hashable, Sendable {
  /// The name of the schema file, such as `notes.sync.yaml`. Workflows refer to the schema by this name.
  package let file: String
  /// The schema as bytes. Equal schemas have equal bytes.
  package let bytes: [UInt8]

  /// Creates a compiled schema from bytes that `FlowrunBuildPlugin` has written.
  public init(file: String, bytes: [UInt8]) {
    self.file = file
    self.bytes = bytes
  }

  package init(_ schema: RecordSchema, file: String) {
    var writer = CompiledWriter()
    schema.write(to: &writer)
    self.init(file: file, bytes: writer.finished(mark: Self.mark, version: Self.version))
  }

  /// Decodes the schema. Throws if the bytes are damaged or have another version of the format.
  public func schema() throws(CompiledSchemaError) -> RecordSchema {
    do throws(CompiledWorkflowError) {
      var reader = try CompiledReader(bytes, mark: Self.mark, version: Self.version)
      let schema = try RecordSchema(from: &reader)
      try reader.finish()
      return schema
    } catch {
      throw CompiledSchemaError(file: file, error)
    }
  }

  /// The first bytes, similar to those of compiled workflows. They contain the word `sync`.
  static let mark: [UInt8] = [0x8C, 0x73, 0x79, 0x6E, 0x63, 0x0D, 0x0A, 0x1A]
  /// The only version of the format.
  static let version: UInt64 = 1
}

/// The reason why a compiled schema cannot be used.
public struct CompiledSchemaError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem and its remedy as text.
  public let description: String

  init(file: String, _ error: CompiledWorkflowError) {
    let problem =
      switch error.cause {
      case .notCompiled: "is not a compiled schema"
      case .newer(let format), .older(let format):
        "has format \(format), expected \(CompiledSchema.version)"
      case .damaged(let expected, let offset): "is damaged: expected \(expected) at byte \(offset)"
      case .cycle: "is damaged"
      }
    description = "the compiled schema '\(file)' \(problem); build the app again"
  }
}

// MARK: - Encoding and decoding

extension RecordSchema {
  fileprivate func write(to writer: inout CompiledWriter) {
    writer.write(text: name)
    writer.write(signed: version)
    writer.write(byte: budget == nil ? 0 : 1)
    if let budget {
      for limit in [
        budget.requestsPerHour, budget.bytesPerDay, budget.reservedForPushes, budget.reservedForReceiving,
      ] { writer.write(signed: limit) }
    }
    writer.write(count: collections.count)
    for collection in collections { collection.write(to: &writer) }
  }

  fileprivate init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    self.init(name: try reader.recordName(besides: []), version: try reader.signed(), collections: [])
    if try reader.index(below: 2) == 1 {
      budget = RequestBudget.Limits(
        requestsPerHour: try reader.signed(), bytesPerDay: try reader.signed(), reservedForPushes: try reader.signed(),
        reservedForReceiving: try reader.signed())
    }
    for _ in 0..<(try reader.count()) {
      collections.append(try Collection(from: &reader, besides: collections.map(\.name)))
    }
  }
}

extension RecordSchema.Collection {
  fileprivate func write(to writer: inout CompiledWriter) {
    writer.write(text: name)
    writer.write(text: delete.rawValue)
    writer.write(optional: decide?.text)
    writer.write(byte: limit == nil ? 0 : 1)
    if let limit { writer.write(signed: limit) }
    writer.write(optional: keys)
    writer.write(byte: isWrittenByItself ? 1 : 0)
    writer.write(byte: hasOtherFields ? 1 : 0)
    writer.write(count: fields.count)
    for field in fields {
      writer.write(text: field.name)
      writer.write(text: field.rule.text)
      writer.write(optional: field.choices)
      writer.write(byte: field.isRequired ? 1 : 0)
    }
  }

  fileprivate init(from reader: inout CompiledReader, besides others: [String]) throws(CompiledWorkflowError) {
    let name = try reader.recordName(besides: others)
    let delete = try reader.rule { DeleteRule(rawValue: $0) }
    self.init(name: name, delete: delete, fields: [])
    if try reader.index(below: 2) == 1 { decide = try reader.rule { DecideRule(text: $0) } }
    if try reader.index(below: 2) == 1 { limit = try reader.signed() }
    keys = try reader.texts()
    isWrittenByItself = try reader.index(below: 2) == 1
    hasOtherFields = try reader.index(below: 2) == 1
    for _ in 0..<(try reader.count()) {
      fields.append(
        RecordSchema.Field(
          name: try reader.recordName(besides: fields.map(\.name)), rule: try reader.rule { FieldRule(text: $0) },
          choices: try reader.texts(), isRequired: try reader.index(below: 2) == 1))
    }
    guard fields.count <= SchemaFile.fieldLimit else { throw reader.damaged("at most \(SchemaFile.fieldLimit) fields") }
  }
}

extension CompiledWriter {
  fileprivate mutating func write(optional text: String?) {
    write(byte: text == nil ? 0 : 1)
    if let text { write(text: text) }
  }

  fileprivate mutating func write(optional texts: [String]?) {
    write(byte: texts == nil ? 0 : 1)
    guard let texts else { return }
    write(count: texts.count)
    for text in texts { write(text: text) }
  }
}

extension CompiledReader {
  /// Reads the name of a collection or field. The name must be valid and differ from `others`.
  fileprivate mutating func recordName(besides others: [String]) throws(CompiledWorkflowError) -> String {
    let name = try text()
    guard RecordName.isWellFormed(name), !others.contains(name) else { throw damaged("a name") }
    return name
  }

  fileprivate mutating func texts() throws(CompiledWorkflowError) -> [String]? {
    guard try index(below: 2) == 1 else { return nil }
    var texts: [String] = []
    for _ in 0..<(try count()) { texts.append(try text()) }
    return texts
  }

  /// Reads the text of a rule and parses it.
  fileprivate mutating func rule<Rule>(_ read: (String) -> Rule?) throws(CompiledWorkflowError) -> Rule {
    guard let rule = read(try text()) else { throw damaged("a rule") }
    return rule
  }
}
