/// A piece of data that flows between steps: an input, an output, a context of an expression.
///
/// Values are what YAML's core schema and JSON can say. Integers and other numbers are kept apart because the types of
/// declarations distinguish them; expressions see both as numbers. Durations and paths travel as text.
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
  /// Two values are equal when they are of one kind and hold the same; an integer equals the number of the same size.
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

  /// Feeds what `==` compares; integers hash as the number they equal.
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
  /// What kind of value this is, in the words of the type table: `null boolean integer number string array object`.
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

  /// The text of a string value, else nil.
  public var stringValue: String? { if case .string(let text) = self { text } else { nil } }

  /// The boolean of a boolean value, else nil.
  public var booleanValue: Bool? { if case .boolean(let value) = self { value } else { nil } }

  /// The integer of an integer value, or of a number without a fraction that an integer can hold, else nil.
  public var integerValue: Int? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The number of an integer or number value, else nil.
  public var numberValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The elements of an array value, else nil.
  public var arrayValue: [Value]? { if case .array(let values) = self { values } else { nil } }

  /// The members of an object value, else nil.
  public var objectValue: ValueObject? { if case .object(let members) = self { members } else { nil } }

  /// Whether this is `null`.
  public var isNull: Bool { if case .null = self { true } else { false } }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  /// A string value.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A boolean value.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// An integer value.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// A number value.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// An array value.
  public init(arrayLiteral elements: Value...) { self = .array(elements) }
  /// An object value, its members in the order written.
  public init(dictionaryLiteral elements: (String, Value)...) { self = .object(ValueObject(elements)) }
  /// The null value.
  public init(nilLiteral: ()) { self = .null }
}
