import FlowModel
import FlowSQLite

extension SQLiteValue {
  /// Creates the value of a `?`, or returns nil for an array or an object, for which SQL has no type.
  init?(argument value: Value) {
    switch value {
    case .null: self = .null
    case .boolean(let boolean): self.init(boolean)
    case .integer(let integer): self = .integer(integer)
    case .number(let number): self = .number(number)
    case .string(let text): self = .text(text)
    case .array, .object: return nil
    }
  }

  /// The message for a value that cannot be an argument.
  static func problem(withArgument value: Value) -> String {
    "an argument is text, a number, a boolean or null, not \(value.kindName); use toJSON for it"
  }

  /// The message if the number of arguments differs from the number of parameters.
  static func problem(wanted: Int, given: Int) -> String {
    "the statement takes \(wanted) argument\(wanted == 1 ? "" : "s"), got \(given)"
  }
}
