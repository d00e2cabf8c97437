import FlowDiagnostics

/// The reason why an expression cannot be parsed or evaluated, with its location.
///
/// Messages are those of GitHub Actions, so that a web search finds them: `Unexpected symbol: ')'`.
package struct ExpressionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The operation that failed.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Splitting the text into tokens.
    case lexing
    /// Parsing the tokens.
    case parsing
    /// Evaluating the expression.
    case evaluation
    /// Reading an output that was shortened, so that flowrun has only its beginning and end.
    case cutOutput = "output-too-large"
  }

  /// The operation that failed.
  package var kind: Kind
  /// A description of the problem.
  package var message: String
  /// The offset of the error, in UTF-8 bytes from the start of the parsed text.
  package var offset: Int
  /// The length of the error, in UTF-8 bytes.
  package var length: Int
  /// A suggestion, such as `did you mean 'contains'?`, or nil.
  package var help: String?
  /// The correct word, or nil if it is not known.
  package var correction: Correction?

  /// Creates an error.
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

  /// The failure code of a step with this error.
  package var code: String { kind == .cutOutput ? kind.rawValue : "expression" }

  /// The message with the suggestion.
  package var description: String { message + (help.map { "; \($0)" } ?? "") }

  /// Returns the message with its location in `source`, in the format of GitHub Actions: `Unexpected symbol: '2'.
  /// Located at position 3 within expression: 1 2`. Positions are UTF-16 units, counted from 1. An evaluation error has
  /// no location.
  package func message(in source: String) -> String {
    guard kind == .lexing || kind == .parsing, length > 0 else { return message }
    let start = source.utf8.index(source.startIndex, offsetBy: min(offset, source.utf8.count))
    return "\(message). Located at position \(source.utf16.distance(from: source.startIndex, to: start) + 1) "
      + "within expression: \(source)"
  }

  /// Returns the error with its offset moved by `start`, which is the offset of the expression in a longer text.
  func shifted(by start: Int) -> ExpressionError {
    var copy = self
    copy.offset += start
    return copy
  }
}
