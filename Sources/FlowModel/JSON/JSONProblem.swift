/// The reason why a string is not valid JSON, with its location.
package struct JSONProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// A sentence that describes the problem, such as `expected ',' or ']' after an element, found 'x'`, without a final
  /// period.
  package var message: String
  /// The offset of the invalid byte, counted from 0.
  package var offset: Int
  /// The line of the invalid byte, counted from 1.
  package var line: Int
  /// The column of the invalid byte in Unicode scalars, counted from 1.
  package var column: Int
  /// A suggestion for fixing the text, or nil if there is none.
  package var help: String?

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

  /// The location, the problem and the suggestion, such as `line 1, column 7: expected a value, found '}'`.
  package var description: String {
    "line \(line), column \(column): \(message)" + (help.map { "; \($0)" } ?? "")
  }
}
