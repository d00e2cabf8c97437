import FlowDiagnostics

/// The reason why an expression cannot be parsed or evaluated, with its location.
///
/// Messages use the words of GitHub Actions, so that people find them on the web: `Unexpected symbol: ')'`.
public struct ExpressionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The phase in which the error was found.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Splitting the text into tokens.
    case lexing
    /// Parsing the tokens.
    case parsing
    /// Evaluating the expression.
    case evaluation
    /// Reading an output of which flowrun has kept only the beginning and the end.
    case cutOutput = "output-too-large"
  }

  /// The phase in which the error was found.
  public var kind: Kind
  /// The problem.
  public var message: String
  /// The offset of the error, in UTF-8 bytes from the start of the parsed text.
  public var offset: Int
  /// The length of the error, in UTF-8 bytes.
  public var length: Int
  /// A remedy such as `did you mean 'contains'?`, or nil if none is known.
  public var help: String?
  /// The intended word, or nil if it is unknown.
  public var correction: Correction?

  /// Creates an error at a location.
  public init(
    _ kind: Kind, _ message: String, offset: Int, length: Int, help: String? = nil, correction: Correction? = nil
  ) {
    self.kind = kind
    self.message = message
    self.offset = offset
    self.length = length
    self.help = help
    self.correction = correction
  }

  /// The error code of a step that fails because of the error.
  public var code: String { kind == .cutOutput ? kind.rawValue : "expression" }

  /// The message, followed by the remedy if there is one.
  public var description: String { message + (help.map { "; \($0)" } ?? "") }

  /// Returns the message with its location in `source`, as formatted by GitHub Actions:
  /// `Unexpected symbol: '2'. Located at position 3 within expression: 1 2`. Positions count UTF-16 units from 1.
  /// Evaluation errors have no location.
  public func message(in source: String) -> String {
    guard kind == .lexing || kind == .parsing, length > 0 else { return message }
    let start = source.utf8.index(source.startIndex, offsetBy: min(offset, source.utf8.count))
    return "\(message). Located at position \(source.utf16.distance(from: source.startIndex, to: start) + 1) "
      + "within expression: \(source)"
  }

  /// Returns the same error for a text in which the expression begins at `start`.
  func shifted(by start: Int) -> ExpressionError {
    var copy = self
    copy.offset += start
    return copy
  }
}
