/// A value that steps exchange, such as an input, an output or the result of an expression.
///
/// Values have the types of JSON and of YAML's core schema. Integers are distinguished from other numbers, because
/// declared types distinguish them. Expressions treat both as numbers. Durations and paths are strings.
public enum Value: Sendable {
  case null
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([Value])
  case object(ValueObject)
}

extension Value: Hashable {
  /// True if both values have the same type and content. An integer also equals a number with the same value.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let a), .boolean(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.integer(let a), .number(let b)), (.number(let b), .integer(let a)): Double(a) == b
    case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }

  /// Hashes the value consistently with `==`: an integer has the same hash as the number that equals it.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .boolean(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(Double(value))
    case .number(let value): hasher.combine(value)
    case .string(let value): hasher.combine(ByteName(value))
    case .array(let values): hasher.combine(values)
    case .object(let values): hasher.combine(values)
    }
  }
}

extension Value {
  /// The name of the value's type: `null`, `boolean`, `integer`, `number`, `string`, `array` or `object`.
  package var kindName: String {
    switch self {
    case .null: "null"
    case .boolean: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }

  /// The string, or nil if the value has another type.
  public var stringValue: String? { if case .string(let text) = self { text } else { nil } }

  /// The Boolean, or nil if the value has another type.
  public var booleanValue: Bool? { if case .boolean(let value) = self { value } else { nil } }

  /// The value as an integer, or nil if it is not one. A number without a fraction counts as an integer if it fits in
  /// 64 bits.
  public var integerValue: Int? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The integer or number as a double, or nil if the value has another type.
  public var numberValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The elements of the array, or nil if the value has another type.
  public var arrayValue: [Value]? { if case .array(let values) = self { values } else { nil } }

  /// The members of the object, or nil if the value has another type.
  public var objectValue: ValueObject? { if case .object(let members) = self { members } else { nil } }

  /// True if the value is `null`.
  public var isNull: Bool { if case .null = self { true } else { false } }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  /// Creates a string value from a literal.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates a Boolean value from a literal.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// Creates an integer value from a literal.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// Creates a number value from a literal.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// Creates an array value from a literal.
  public init(arrayLiteral elements: Value...) { self = .array(elements) }
  /// Creates an object value from a literal. Its members keep their order.
  public init(dictionaryLiteral elements: (String, Value)...) { self = .object(ValueObject(elements)) }
  /// Creates a null value from the literal `nil`.
  public init(nilLiteral: ()) { self = .null }
}
