import FlowModel
import FlowSQLite

extension SQLiteValue {
  /// Creates the value of a `?` parameter. Returns nil for an array or an object, because SQL has no such types.
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

  /// Returns the message for a value that cannot be an argument.
  static func problem(withArgument value: Value) -> String {
    "an argument is text, a number, a boolean or null, not \(value.kindName); use toJSON for it"
  }

  /// Returns the message for a wrong number of arguments.
  static func problem(wanted: Int, given: Int) -> String {
    "the statement takes \(wanted) argument\(wanted == 1 ? "" : "s"), got \(given)"
  }
}
