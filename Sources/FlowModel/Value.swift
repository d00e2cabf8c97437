/// A value that is passed between steps: an input, an output, or a context of an expression.
///
/// Values correspond to JSON and the core schema of YAML. Integers are separate from other numbers because declared
/// types distinguish them; expressions treat both as numbers. Durations and paths are strings.
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
  /// True if both values have the same kind and content; an integer equals a number of the same size.
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

  /// Hashes consistently with `==`: integers hash like the equal number.
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
  /// The kind of the value, as named in the type table: `null boolean integer number string array object`.
  public var kindName: String {
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

  /// The text of a string, or nil.
  public var stringValue: String? { if case .string(let text) = self { text } else { nil } }

  /// The boolean, or nil.
  public var booleanValue: Bool? { if case .boolean(let value) = self { value } else { nil } }

  /// The integer, or a number without a fraction that fits an integer, or nil.
  public var integerValue: Int? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The integer or number, or nil.
  public var numberValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The elements of an array, or nil.
  public var arrayValue: [Value]? { if case .array(let values) = self { values } else { nil } }

  /// The members of an object, or nil.
  public var objectValue: ValueObject? { if case .object(let members) = self { members } else { nil } }

  /// True if this is `null`.
  public var isNull: Bool { if case .null = self { true } else { false } }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates a boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// Creates an integer.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// Creates a number.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// Creates an array.
  public init(arrayLiteral elements: Value...) { self = .array(elements) }
  /// Creates an object whose members keep the written order.
  public init(dictionaryLiteral elements: (String, Value)...) { self = .object(ValueObject(elements)) }
  /// Creates null.
  public init(nilLiteral: ()) { self = .null }
}
