import FlowModel

extension Operand {
  /// Whether it is an array or object.
  var isCollection: Bool {
    switch self {
    case .array, .object: true
    default: false
    }
  }

  /// Whether it counts as true: anything but `null`, `false`, `0`, `NaN` and `''`.
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

  /// The number it counts as: null 0, booleans 0 and 1, strings what they say; arrays and objects NaN.
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

  /// The text it counts as: null the empty one, arrays and objects their kind.
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
  /// The text that an expression makes of it in a longer string.
  package var expressionText: String { Operand(self).text }
}
