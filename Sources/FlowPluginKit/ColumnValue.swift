import FlowModel

/// A Swift type that an input or output can have.
public protocol ColumnValue: Sendable {
  /// The type of the value in a workflow.
  static var valueType: ColumnType { get }
  /// The value of an input that the step does not set, or nil if it must set the input.
  static var absent: Self? { get }
  /// True if `null` is a value of the type and does not stand for an unset input.
  static var acceptsNull: Bool { get }
  /// Any value of the type. It is used to derive the declarations of outputs.
  static var placeholder: Self { get }
  /// Creates the Swift value. Returns nil if `value` does not match the type.
  init?(_ value: Value)
  /// The value in a workflow.
  var value: Value { get }
}

/// The type of a ``ColumnValue`` in a workflow.
public struct ColumnType: Sendable {
  package let type: ValueType

  package init(_ type: ValueType) { self.type = type }
}

extension ColumnValue {
  /// Nil by default, because the step must set the input.
  public static var absent: Self? { nil }
  /// The default is false.
  public static var acceptsNull: Bool { false }
}

extension String: ColumnValue {
  /// The type of the value in a workflow.
  public static var valueType: ColumnType { ColumnType(.string) }
  /// A value that is used to derive declarations.
  public static var placeholder: String { "" }
  /// Creates the Swift value. Returns nil if `value` does not match the type.
  public init?(_ value: Value) {
    guard case .string(let text) = value else { return nil }
    self = text
  }
  /// The value in a workflow.
  public var value: Value { .string(self) }
}

extension Bool: ColumnValue {
  /// The type of the value in a workflow.
  public static var valueType: ColumnType { ColumnType(.boolean) }
  /// A value that is used to derive declarations.
  public static var placeholder: Bool { false }
  /// Creates the Swift value. Returns nil if `value` does not match the type.
  public init?(_ value: Value) {
    guard case .boolean(let boolean) = value else { return nil }
    self = boolean
  }
  /// The value in a workflow.
  public var value: Value { .boolean(self) }
}

extension Int: ColumnValue {
  /// The type of the value in a workflow.
  public static var valueType: ColumnType { ColumnType(.integer) }
  /// A value that is used to derive declarations.
  public static var placeholder: Int { 0 }
  /// Creates the Swift value. Returns nil if `value` does not match the type.
  public init?(_ value: Value) {
    guard let integer = value.integerValue else { return nil }
    self = integer
  }
  /// The value in a workflow.
  public var value: Value { .integer(self) }
}

extension Double: ColumnValue {
  /// The type of the value in a workflow.
  public static var valueType: ColumnType { ColumnType(.number) }
  /// A value that is used to derive declarations.
  public static var placeholder: Double { 0 }
  /// Creates the Swift value. Returns nil if `value` does not match the type.
  public init?(_ value: Value) {
    guard let number = value.numberValue else { return nil }
    self = number
  }
  /// The value in a workflow.
  public var value: Value { .number(self) }
}

extension Duration: ColumnValue {
  /// The type of the value in a workflow.
  public static var valueType: ColumnType { ColumnType(.duration) }
  /// A value that is used to derive declarations.
  public static var placeholder: Duration { .zero }
  /// Creates the Swift value. Returns nil if `value` does not match the type.
  public init?(_ value: Value) {
    guard case .string(let text) = value, let duration = try? DurationText.parse(text) else { return nil }
    self = duration
  }
  /// The value in a workflow.
  public var value: Value { .string(DurationText.format(self)) }
}

extension Value: ColumnValue {
  /// The type of the value in a workflow.
  public static var valueType: ColumnType { ColumnType(.any) }
  /// True, because null is a value of this type.
  public static var acceptsNull: Bool { true }
  /// A value that is used to derive declarations.
  public static var placeholder: Value { .null }
  /// Creates the Swift value. Returns nil if `value` does not match the type.
  public init?(_ value: Value) { self = value }
  /// The value in a workflow.
  public var value: Value { self }
}

extension ValueObject: ColumnValue {
  /// The type of the value in a workflow.
  public static var valueType: ColumnType { ColumnType(.object(properties: nil)) }
  /// A value that is used to derive declarations.
  public static var placeholder: ValueObject { [:] }
  /// Creates the Swift value. Returns nil if `value` does not match the type.
  public init?(_ value: Value) {
    guard case .object(let members) = value else { return nil }
    self = members
  }
  /// The value in a workflow.
  public var value: Value { .object(self) }
}

extension Array: ColumnValue where Element: ColumnValue {
  /// The type of the value in a workflow.
  public static var valueType: ColumnType { ColumnType(.array(of: Element.valueType.type)) }
  /// A value that is used to derive declarations.
  public static var placeholder: [Element] { [] }
  /// Creates the Swift value. Returns nil if `value` does not match the type.
  public init?(_ value: Value) {
    guard case .array(let values) = value else { return nil }
    var elements: [Element] = []
    elements.reserveCapacity(values.count)
    for value in values {
      guard let element = Element(value) else { return nil }
      elements.append(element)
    }
    self = elements
  }
  /// The value in a workflow.
  public var value: Value { .array(map(\.value)) }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  /// The type of the value in a workflow.
  public static var valueType: ColumnType { Wrapped.valueType }
  /// Nil, if the step does not set the input.
  public static var absent: Wrapped?? { .some(nil) }
  /// A value that is used to derive declarations.
  public static var placeholder: Wrapped? { nil }
  /// Creates the Swift value. Returns nil if `value` does not match the type.
  public init?(_ value: Value) {
    guard let wrapped = Wrapped(value) else { return nil }
    self = .some(wrapped)
  }
  /// The value in a workflow.
  public var value: Value { map(\.value) ?? .null }
}

/// An enumeration of strings. If a `String` enum conforms to it, its cases are the allowed values.
///
/// ```swift
/// enum Level: String, FieldWord { case city, province, country }
/// ```
public protocol FieldWord: ColumnValue, Decodable, RawRepresentable, CaseIterable where RawValue == String {}

extension FieldWord {
  /// An enumeration of the raw values of all cases.
  public static var valueType: ColumnType {
    ColumnType(.enumeration(allCases.map { .string($0.rawValue) }, of: .string))
  }
  /// The first case.
  public static var placeholder: Self { allCases.first! }
  /// Creates the case with this raw value. Returns nil if there is none.
  public init?(_ value: Value) {
    guard case .string(let word) = value else { return nil }
    self.init(rawValue: word)
  }
  /// The raw value.
  public var value: Value { .string(rawValue) }
}

extension LogLevel: FieldWord {}

/// The path of a file that an action writes. If a workflow has a relative path, the action receives it as a path in the
/// run's data folder.
public struct DataPath: ColumnValue, Hashable {
  /// The absolute path.
  public let path: String
  /// Creates a path.
  public init(_ path: String) { self.path = path }
  /// The type of the value in a workflow.
  public static var valueType: ColumnType { ColumnType(.path(base: .data)) }
  /// A value that is used to derive declarations.
  public static var placeholder: DataPath { DataPath("") }
  /// Creates the Swift value. Returns nil if `value` does not match the type.
  public init?(_ value: Value) {
    guard case .string(let text) = value else { return nil }
    path = text
  }
  /// The value in a workflow.
  public var value: Value { .string(path) }
}

/// The path of a file that an action reads. If a workflow has a relative path, the action receives it as a path in the
/// workflow file's folder.
package struct SourcePath: ColumnValue, Hashable {
  /// The absolute path.
  package let path: String
  /// Creates a path.
  package init(_ path: String) { self.path = path }
  /// The type of the value in a workflow.
  package static var valueType: ColumnType { ColumnType(.path(base: .file)) }
  /// A value that is used to derive declarations.
  package static var placeholder: SourcePath { SourcePath("") }
  /// Creates the Swift value. Returns nil if `value` does not match the type.
  package init?(_ value: Value) {
    guard case .string(let text) = value else { return nil }
    path = text
  }
  /// The value in a workflow.
  package var value: Value { .string(path) }
}
