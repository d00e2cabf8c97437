/// A value of a column or parameter.
package enum SQLiteValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case number(Double)
  case text(String)
  case bytes([UInt8])

  package static func integer(_ value: Int) -> SQLiteValue { .integer(Int64(value)) }

  /// Creates a text value, or null if `text` is nil.
  package init(_ text: String?) { self = text.map { .text($0) } ?? .null }

  /// Creates an integer, or null if `integer` is nil.
  package init(_ integer: Int64?) { self = integer.map { .integer($0) } ?? .null }

  /// Creates the integer 1 for true and 0 for false.
  package init(_ flag: Bool) { self = .integer(flag ? 1 : 0) }
}
