import FlowModel

extension Operand {
  var isCollection: Bool {
    switch self {
    case .array, .object: true
    default: false
    }
  }

  /// The truth of the value as a condition: false for `null`, `false`, `0`, `NaN` and `''`, true for all other values.
  var isTrue: Bool {
    switch self {
    case .null: false
    case .boolean(let flag): flag
    case .integer(let integer): integer != 0
    case .number(let number): number != 0 && !number.isNaN
    case .string(let text): !text.isEmpty
    case .array, .object: true
    }
  }

  /// The value as a number: 0 for null, 0 or 1 for a Boolean, the number that a string contains, and NaN for an array
  /// or object.
  var number: Double {
    switch self {
    case .null: 0
    case .boolean(let flag): flag ? 1 : 0
    case .integer(let integer): Double(integer)
    case .number(let number): number
    case .string(let text): NumberText.number(from: text)
    case .array, .object: .nan
    }
  }

  /// The value as text: empty for null, and the name of the type for an array or object.
  var text: String {
    switch self {
    case .null: ""
    case .boolean(let flag): flag ? "true" : "false"
    case .integer(let integer): NumberText.text(of: Double(integer))
    case .number(let number): NumberText.text(of: number)
    case .string(let text): text
    case .array: "Array"
    case .object: "Object"
    }
  }
}

extension Value {
  /// The value as text for insertion into a longer string.
  package var expressionText: String { Operand(self).text }
}
