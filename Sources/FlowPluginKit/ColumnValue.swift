import FlowModel

/// A Swift type that an input or output may have.
public protocol ColumnValue: Sendable {
  /// The type as workflows know it.
  static var valueType: ValueType { get }
  /// What an input of this type holds when nothing is given; nil means that something must be given.
  static var absent: Self? { get }
  /// Whether `null` is a value of this type rather than nothing given.
  static var acceptsNull: Bool { get }
  /// Something of this type, used only to derive the table of an output's fields.
  static var placeholder: Self { get }
  /// The Swift value, or nil when `value` does not fit.
  init?(_ value: Value)
  /// The value as workflows know it.
  var value: Value { get }
}

extension ColumnValue {
  /// Something must be given.
  public static var absent: Self? { nil }
  /// No.
  public static var acceptsNull: Bool { false }
}

extension String: ColumnValue {
  /// The type as workflows know it.
  public static var valueType: ValueType { .string }
  /// Stands in while the table of fields is derived.
  public static var placeholder: String { "" }
  /// The Swift value, or nil when it does not fit.
  public init?(_ value: Value) {
    guard case .string(let text) = value else { return nil }
    self = text
  }
  /// The value as workflows know it.
  public var value: Value { .string(self) }
}

extension Bool: ColumnValue {
  /// The type as workflows know it.
  public static var valueType: ValueType { .boolean }
  /// Stands in while the table of fields is derived.
  public static var placeholder: Bool { false }
  /// The Swift value, or nil when it does not fit.
  public init?(_ value: Value) {
    guard case .boolean(let boolean) = value else { return nil }
    self = boolean
  }
  /// The value as workflows know it.
  public var value: Value { .boolean(self) }
}

extension Int: ColumnValue {
  /// The type as workflows know it.
  public static var valueType: ValueType { .integer }
  /// Stands in while the table of fields is derived.
  public static var placeholder: Int { 0 }
  /// The Swift value, or nil when it does not fit.
  public init?(_ value: Value) {
    guard let integer = value.integerValue else { return nil }
    self = integer
  }
  /// The value as workflows know it.
  public var value: Value { .integer(self) }
}

extension Double: ColumnValue {
  /// The type as workflows know it.
  public static var valueType: ValueType { .number }
  /// Stands in while the table of fields is derived.
  public static var placeholder: Double { 0 }
  /// The Swift value, or nil when it does not fit.
  public init?(_ value: Value) {
    guard let number = value.numberValue else { return nil }
    self = number
  }
  /// The value as workflows know it.
  public var value: Value { .number(self) }
}

extension Duration: ColumnValue {
  /// The type as workflows know it.
  public static var valueType: ValueType { .duration }
  /// Stands in while the table of fields is derived.
  public static var placeholder: Duration { .zero }
  /// The Swift value, or nil when it does not fit.
  public init?(_ value: Value) {
    guard case .string(let text) = value, let duration = try? DurationText.parse(text) else { return nil }
    self = duration
  }
  /// The value as workflows know it.
  public var value: Value { .string(DurationText.format(self)) }
}

extension Value: ColumnValue {
  /// The type as workflows know it.
  public static var valueType: ValueType { .any }
  /// Null is a value of its own here.
  public static var acceptsNull: Bool { true }
  /// Stands in while the table of fields is derived.
  public static var placeholder: Value { .null }
  /// The Swift value, or nil when it does not fit.
  public init?(_ value: Value) { self = value }
  /// The value as workflows know it.
  public var value: Value { self }
}

extension ValueObject: ColumnValue {
  /// The type as workflows know it.
  public static var valueType: ValueType { .object(properties: nil) }
  /// Stands in while the table of fields is derived.
  public static var placeholder: ValueObject { [:] }
  /// The Swift value, or nil when it does not fit.
  public init?(_ value: Value) {
    guard case .object(let members) = value else { return nil }
    self = members
  }
  /// The value as workflows know it.
  public var value: Value { .object(self) }
}

extension Array: ColumnValue where Element: ColumnValue {
  /// The type as workflows know it.
  public static var valueType: ValueType { .array(of: Element.valueType) }
  /// Stands in while the table of fields is derived.
  public static var placeholder: [Element] { [] }
  /// The Swift value, or nil when it does not fit.
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
  /// The value as workflows know it.
  public var value: Value { .array(map(\.value)) }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  /// The type as workflows know it.
  public static var valueType: ValueType { Wrapped.valueType }
  /// Nothing, where nothing is given.
  public static var absent: Wrapped?? { .some(nil) }
  /// Stands in while the table of fields is derived.
  public static var placeholder: Wrapped? { nil }
  /// The Swift value, or nil when it does not fit.
  public init?(_ value: Value) {
    guard let wrapped = Wrapped(value) else { return nil }
    self = .some(wrapped)
  }
  /// The value as workflows know it.
  public var value: Value { map(\.value) ?? .null }
}

/// An enumeration of words: conform a `String` enum to it and the allowed values are its cases.
///
/// ```swift
/// enum Level: String, FieldWord { case city, province, country }
/// ```
public protocol FieldWord: ColumnValue, Decodable, RawRepresentable, CaseIterable where RawValue == String {}

extension FieldWord {
  /// One of the cases' words.
  public static var valueType: ValueType {
    .enumeration(allCases.map { .string($0.rawValue) }, of: .string)
  }
  /// The first case.
  public static var placeholder: Self { allCases.first! }
  /// The case of this word.
  public init?(_ value: Value) {
    guard case .string(let word) = value else { return nil }
    self.init(rawValue: word)
  }
  /// The word.
  public var value: Value { .string(rawValue) }
}

extension LogLevel: FieldWord {}

/// A place that an action writes; a relative one is resolved against the run's data folder before the action sees it.
public struct DataPath: ColumnValue, Hashable {
  /// The absolute path.
  public let path: String
  /// Wraps a path.
  public init(_ path: String) { self.path = path }
  /// The type as workflows know it.
  public static var valueType: ValueType { .path(base: .data) }
  /// Stands in while the table of fields is derived.
  public static var placeholder: DataPath { DataPath("") }
  /// The Swift value, or nil when it does not fit.
  public init?(_ value: Value) {
    guard case .string(let text) = value else { return nil }
    path = text
  }
  /// The value as workflows know it.
  public var value: Value { .string(path) }
}

/// A place that an action reads; a relative one is resolved against the workflow file's folder before the action sees
/// it.
public struct SourcePath: ColumnValue, Hashable {
  /// The absolute path.
  public let path: String
  /// Wraps a path.
  public init(_ path: String) { self.path = path }
  /// The type as workflows know it.
  public static var valueType: ValueType { .path(base: .file) }
  /// Stands in while the table of fields is derived.
  public static var placeholder: SourcePath { SourcePath("") }
  /// The Swift value, or nil when it does not fit.
  public init?(_ value: Value) {
    guard case .string(let text) = value else { return nil }
    path = text
  }
  /// The value as workflows know it.
  public var value: Value { .string(path) }
}
