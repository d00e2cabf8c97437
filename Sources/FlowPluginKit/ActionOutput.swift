import FlowModel

/// The outputs of an action: a struct whose stored properties are ``ColumnValue``s.
///
/// ```swift
/// struct Output: ActionOutput { var path: String; var created: Bool }
/// ```
///
/// The declarations of the fields are derived from the struct: the compiler generates `init(from:)`, which is called
/// with a decoder that records the names and types of the properties. The property `countryCode` is called
/// `country-code` in a workflow. An output of optional type is null if it is nil.
public protocol ActionOutput: Sendable, Decodable {
  /// Descriptions of outputs by name, one sentence each.
  static var summaries: [String: String] { get }
  /// The names of outputs that may contain secrets. They are hidden, and only inputs that accept secrets can read them.
  static var secrets: Set<String> { get }
  /// The names of outputs that may be kept out of the run store and the report; see
  /// ``ActionContext/withholdOutputs(hiding:)``.
  static var withheld: Set<String> { get }
  /// The outputs as an object, whose members have the names used in workflows.
  var values: ValueObject { get }
}

extension ActionOutput {
  /// No descriptions by default.
  public static var summaries: [String: String] { [:] }
  /// No secret outputs by default.
  public static var secrets: Set<String> { [] }
  /// No withheld outputs by default.
  public static var withheld: Set<String> { [] }

  /// The stored properties as members of an object, in the order of their declaration.
  public var values: ValueObject {
    var values = ValueObject()
    withUnsafeBytes(of: self) { bytes in
      for property in StoredProperty.all(of: Self.self) {
        guard let type = property.type as? any ColumnValue.Type else { continue }
        values[property.label.kebabCase] = type.value(at: bytes.baseAddress! + property.offset)
      }
    }
    return values
  }

  /// Returns the declarations of the fields in the order of the properties.
  static func fieldDeclarations() -> [FieldDeclaration] {
    if Self.self == NoOutput.self || Self.self == AnyOutput.self { return [] }
    let recorder = FieldRecorder()
    _ = try? Self(from: FieldRecordingDecoder(recorder: recorder))
    precondition(
      !recorder.fields.contains { $0.name == "values" },
      "'\(Self.self)' cannot have an output 'values': all its outputs together have that name; call it otherwise")
    return recorder.fields.map { field in
      var declaration = FieldDeclaration(
        field.name, field.type, isRequired: field.isRequired, summary: Self.summaries[field.name] ?? "")
      declaration.isSecret = Self.secrets.contains(field.name)
      return declaration
    }
  }
}

extension ColumnValue {
  /// Returns the value of the property of this type at an address.
  ///
  /// Proof of safety: the offset of a property of exactly this type comes from the metadata of its struct, and `values`
  /// keeps the struct alive during the call.
  fileprivate static func value(at address: UnsafeRawPointer) -> Value { address.load(as: Self.self).value }
}

/// The outputs of an action that has none.
public struct NoOutput: ActionOutput {
  /// Creates empty outputs.
  public init() {}
  /// An empty object.
  public var values: ValueObject { [:] }
}

/// Outputs whose names are not known before the step runs, as in `flow.set`.
package struct AnyOutput: ActionOutput {
  /// The outputs as an object.
  package let values: ValueObject
  package init(_ values: ValueObject) { self.values = values }
  /// Creates empty outputs. It is never called, because no declarations are derived from this type.
  package init(from decoder: any Decoder) throws { values = [:] }
}

private final class FieldRecorder {
  var fields: [(name: String, type: ValueType, isRequired: Bool)] = []
}

/// A decoder that records the keys and types of properties, and returns placeholders for their values.
private struct FieldRecordingDecoder: Decoder {
  let recorder: FieldRecorder
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(FieldRecordingContainer(recorder: recorder))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw unsupported }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw unsupported }

  private var unsupported: DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "outputs are structs of field values"))
  }
}

private struct FieldRecordingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let recorder: FieldRecorder
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }
  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) -> Bool { false }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    guard let field = type as? any ColumnValue.Type else {
      preconditionFailure("output '\(key.stringValue)' has the type \(type), which is not a ColumnValue")
    }
    recorder.fields.append((key.stringValue.kebabCase, field.valueType.type, true))
    // Proof of safety: `field` is `type`, which is `T`, and the placeholder of a type is a value of that type.
    return field.placeholder as! T
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    guard let field = type as? any ColumnValue.Type else {
      preconditionFailure("output '\(key.stringValue)' has the type \(type), which is not a ColumnValue")
    }
    recorder.fields.append((key.stringValue.kebabCase, field.valueType.type, false))
    return nil
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw unsupported(key) }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw unsupported(key) }
  func superDecoder() throws -> any Decoder { FieldRecordingDecoder(recorder: recorder) }
  func superDecoder(forKey key: Key) throws -> any Decoder { FieldRecordingDecoder(recorder: recorder) }

  private func unsupported(_ key: Key) -> DecodingError {
    .dataCorruptedError(forKey: key, in: self, debugDescription: "outputs are structs of field values")
  }
}
