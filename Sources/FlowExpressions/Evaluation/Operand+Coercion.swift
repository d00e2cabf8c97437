import FlowModel

extension Operand {
  /// True for arrays and objects.
  var isCollection: Bool {
    switch self {
    case .array, .object: true
    default: false
    }
  }

  /// True if it is truthy: anything but `null`, `false`, `0`, `NaN` and `''`.
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

  /// The value as a number: 0 for null, 0 and 1 for booleans, the parsed number for strings, NaN for arrays and
  /// objects.
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

  /// The value as text: empty for null, the kind for arrays and objects.
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
  /// The value as text within a longer string.
  package var expressionText: String { Operand(self).text }
}
