import FlowDiagnostics

/// The reason why an expression cannot be parsed or evaluated, with its location.
///
/// Messages use the wording of GitHub Actions, such as `Unexpected symbol: ')'`, so that a web search finds them.
package struct ExpressionError: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The text cannot be split into tokens.
    case lexing
    /// The tokens do not form an expression.
    case parsing
    /// The expression cannot be evaluated.
    case evaluation
    /// The expression reads an output that was shortened. flowrun has only its beginning and its end.
    case cutOutput = "output-too-large"
  }

  package var kind: Kind
  /// A sentence that describes the problem, without a final period.
  package var message: String
  /// The offset of the invalid part, in UTF-8 bytes from the start of the parsed text.
  package var offset: Int
  /// The length of the invalid part, in UTF-8 bytes.
  package var length: Int
  /// A suggestion such as `did you mean 'contains'?`, or nil if there is none.
  package var help: String?
  /// The correct word, which editors can insert, or nil if it is not known.
  package var correction: Correction?

  package init(
    _ kind: Kind, _ message: String, offset: Int, length: Int, help: String? = nil, correction: Correction? = nil
  ) {
    self.kind = kind
    self.message = message
    self.offset = offset
    self.length = length
    self.help = help
    self.correction = correction
  }

  /// The failure code of a step that fails because of this error.
  package var code: String { kind == .cutOutput ? kind.rawValue : "expression" }

  /// The message, followed by the suggestion if there is one.
  package var description: String { message + (help.map { "; \($0)" } ?? "") }

  /// Returns the message with its location in `source`, in the format of GitHub Actions: `Unexpected symbol: '2'.
  /// Located at position 3 within expression: 1 2`. Positions are UTF-16 units, counted from 1. Errors of evaluation,
  /// and errors about the expression as a whole, have no location.
  package func message(in source: String) -> String {
    guard kind == .lexing || kind == .parsing, length > 0 else { return message }
    let start = source.utf8.index(source.startIndex, offsetBy: min(offset, source.utf8.count))
    return "\(message). Located at position \(source.utf16.distance(from: source.startIndex, to: start) + 1) "
      + "within expression: \(source)"
  }

  /// Returns the error with its offset increased by `start`, the offset of the expression in a longer text.
  func shifted(by start: Int) -> ExpressionError {
    var copy = self
    copy.offset += start
    return copy
  }
}
