/// The reason why a text is not JSON, with its location.
public struct JSONProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problem, as a sentence without a full stop: `expected ',' or ']' after an element, found 'x'`.
  public var message: String
  /// The offset of the invalid byte, from 0.
  public var offset: Int
  /// The line of that byte, from 1.
  public var line: Int
  /// The column of that byte in Unicode scalars, from 1.
  public var column: Int
  /// A remedy, or nil if none is known.
  public var help: String?

  /// Creates a problem at a location of a text.
  init(_ message: String, at offset: Int, in bytes: UnsafeBufferPointer<UInt8>, help: String? = nil) {
    self.message = message
    self.offset = offset
    self.help = help
    line = 1
    column = 1
    for byte in bytes.prefix(offset) {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
  }

  /// `line 1, column 7: expected a value, found '}'`, followed by the remedy if there is one.
  public var description: String {
    "line \(line), column \(column): \(message)" + (help.map { "; \($0)" } ?? "")
  }
}
