import FlowModel

/// A Swift type that an input or output may have.
public protocol ColumnValue: Sendable {
  /// The corresponding type in a workflow.
  static var valueType: ColumnType { get }
  /// The value of an input that the step does not set, or nil if the input is required.
  static var absent: Self? { get }
  /// True if `null` is a valid value. False if it stands for an input that is not set.
  static var acceptsNull: Bool { get }
  /// An arbitrary value of the type, from which the declarations of outputs are derived.
  static var placeholder: Self { get }
  /// Converts a value of a workflow to the Swift type. Returns nil if the types do not match.
  init?(_ value: Value)
  /// The corresponding value in a workflow.
  var value: Value { get }
}

/// The type of an input or output in a workflow.
public struct ColumnType: Sendable {
  package let type: ValueType

  package init(_ type: ValueType) { self.type = type }
}

extension ColumnValue {
  /// Nil by default: the input is required.
  public static var absent: Self? { nil }
  /// False by default: `null` stands for an input that is not set.
  public static var acceptsNull: Bool { false }
}

extension String: ColumnValue {
  /// In a workflow, the value is a string.
  public static var valueType: ColumnType { ColumnType(.string) }
  /// An empty string, from which the declarations of outputs are derived.
  public static var placeholder: String { "" }
  /// Returns nil unless `value` is a string.
  public init?(_ value: Value) {
    guard case .string(let text) = value else { return nil }
    self = text
  }
  /// The string as a value of a workflow.
  public var value: Value { .string(self) }
}

extension Bool: ColumnValue {
  /// In a workflow, the value is a Boolean.
  public static var valueType: ColumnType { ColumnType(.boolean) }
  /// The value false, from which the declarations of outputs are derived.
  public static var placeholder: Bool { false }
  /// Returns nil unless `value` is a Boolean.
  public init?(_ value: Value) {
    guard case .boolean(let boolean) = value else { return nil }
    self = boolean
  }
  /// The Boolean as a value of a workflow.
  public var value: Value { .boolean(self) }
}

extension Int: ColumnValue {
  /// In a workflow, the value is an integer.
  public static var valueType: ColumnType { ColumnType(.integer) }
  /// The number 0, from which the declarations of outputs are derived.
  public static var placeholder: Int { 0 }
  /// Returns nil unless `value` is an integer, or a number without a fraction.
  public init?(_ value: Value) {
    guard let integer = value.integerValue else { return nil }
    self = integer
  }
  /// The integer as a value of a workflow.
  public var value: Value { .integer(self) }
}

extension Double: ColumnValue {
  /// In a workflow, the value is a number.
  public static var valueType: ColumnType { ColumnType(.number) }
  /// The number 0, from which the declarations of outputs are derived.
  public static var placeholder: Double { 0 }
  /// Returns nil unless `value` is a number or an integer.
  public init?(_ value: Value) {
    guard let number = value.numberValue else { return nil }
    self = number
  }
  /// The number as a value of a workflow.
  public var value: Value { .number(self) }
}

extension Duration: ColumnValue {
  /// In a workflow, the value is a duration, such as `500ms`.
  public static var valueType: ColumnType { ColumnType(.duration) }
  /// A duration of zero, from which the declarations of outputs are derived.
  public static var placeholder: Duration { .zero }
  /// Returns nil unless `value` is a string with a valid duration, such as `500ms`.
  public init?(_ value: Value) {
    guard case .string(let text) = value, let duration = try? DurationText.parse(text) else { return nil }
    self = duration
  }
  /// The duration as text, such as `500ms`.
  public var value: Value { .string(DurationText.format(self)) }
}

extension Value: ColumnValue {
  /// In a workflow, the value may have any type.
  public static var valueType: ColumnType { ColumnType(.any) }
  /// True, because null is also a value.
  public static var acceptsNull: Bool { true }
  /// A null value, from which the declarations of outputs are derived.
  public static var placeholder: Value { .null }
  /// Keeps the value unchanged.
  public init?(_ value: Value) { self = value }
  /// The value itself, unchanged.
  public var value: Value { self }
}

extension ValueObject: ColumnValue {
  /// In a workflow, the value is an object with any members.
  public static var valueType: ColumnType { ColumnType(.object(properties: nil)) }
  /// An empty object, from which the declarations of outputs are derived.
  public static var placeholder: ValueObject { [:] }
  /// Returns nil unless `value` is an object.
  public init?(_ value: Value) {
    guard case .object(let members) = value else { return nil }
    self = members
  }
  /// The object as a value of a workflow.
  public var value: Value { .object(self) }
}

extension Array: ColumnValue where Element: ColumnValue {
  /// In a workflow, the value is an array of the corresponding type.
  public static var valueType: ColumnType { ColumnType(.array(of: Element.valueType.type)) }
  /// An empty array, from which the declarations of outputs are derived.
  public static var placeholder: [Element] { [] }
  /// Returns nil unless `value` is an array whose elements all have the element's type.
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
  /// The array as a value of a workflow.
  public var value: Value { .array(map(\.value)) }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  /// In a workflow, the value has the wrapped type. Optionality is expressed by ``absent``.
  public static var valueType: ColumnType { Wrapped.valueType }
  /// Nil: a step need not set the input.
  public static var absent: Wrapped?? { .some(nil) }
  /// A nil value, from which the declarations of outputs are derived.
  public static var placeholder: Wrapped? { nil }
  /// Returns nil unless `value` has the wrapped type.
  public init?(_ value: Value) {
    guard let wrapped = Wrapped(value) else { return nil }
    self = .some(wrapped)
  }
  /// The wrapped value as a value of a workflow, or null.
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
  /// The first case, from which the declarations of outputs are derived.
  public static var placeholder: Self { allCases.first! }
  /// Returns the case with this raw value, or nil if there is none.
  public init?(_ value: Value) {
    guard case .string(let word) = value else { return nil }
    self.init(rawValue: word)
  }
  /// The raw value as a string.
  public var value: Value { .string(rawValue) }
}

extension LogLevel: FieldWord {}

/// The path of a file that an action writes. A relative path in a workflow refers to the run's data folder; the action
/// receives it as an absolute path.
public struct DataPath: ColumnValue, Hashable {
  /// The absolute path.
  public let path: String
  /// Creates a path.
  public init(_ path: String) { self.path = path }
  /// In a workflow, the value is a path relative to the run's data folder.
  public static var valueType: ColumnType { ColumnType(.path(base: .data)) }
  /// An empty path, from which the declarations of outputs are derived.
  public static var placeholder: DataPath { DataPath("") }
  /// Returns nil unless `value` is a string.
  public init?(_ value: Value) {
    guard case .string(let text) = value else { return nil }
    path = text
  }
  /// The path as a string.
  public var value: Value { .string(path) }
}

/// The path of a file that an action reads. A relative path in a workflow refers to the workflow file's folder; the
/// action receives it as an absolute path.
package struct SourcePath: ColumnValue, Hashable {
  /// The absolute path.
  package let path: String
  package init(_ path: String) { self.path = path }
  /// In a workflow, the value is a path relative to the workflow file's folder.
  package static var valueType: ColumnType { ColumnType(.path(base: .file)) }
  /// An empty path, from which the declarations of outputs are derived.
  package static var placeholder: SourcePath { SourcePath("") }
  /// Returns nil unless `value` is a string.
  package init?(_ value: Value) {
    guard case .string(let text) = value else { return nil }
    path = text
  }
  /// The path as a string.
  package var value: Value { .string(path) }
}
