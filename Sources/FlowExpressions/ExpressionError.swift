import FlowDiagnostics

/// Why an expression cannot be read or evaluated, and where.
///
/// The message says what is wrong in the words of GitHub Actions, so that what people find about it on the web fits:
/// `Unexpected symbol: ')'`.
public struct ExpressionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was being done when the error was found.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Cutting the text into tokens.
    case lexing
    /// Making sense of the tokens.
    case parsing
    /// Computing the value.
    case evaluation
    /// Computing a value from an output of which flowrun has kept only the beginning and the end.
    case cutOutput = "output-too-large"
  }

  /// What was being done.
  public var kind: Kind
  /// What is wrong.
  public var message: String
  /// Where the wrong part begins, in UTF-8 bytes from the start of the text that was parsed.
  public var offset: Int
  /// How long the wrong part is, in UTF-8 bytes.
  public var length: Int
  /// A remedy where one is known: `did you mean 'contains'?`.
  public var help: String?
  /// The word that was meant, where one is known.
  public var correction: Correction?

  /// An error at a location.
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

  /// The stable word for a step that fails because of the error.
  public var code: String { kind == .cutOutput ? kind.rawValue : "expression" }

  /// The message, with the remedy behind it where there is one.
  public var description: String { message + (help.map { "; \($0)" } ?? "") }

  /// The message with the location in `source`, as GitHub Actions writes it:
  /// `Unexpected symbol: '2'. Located at position 3 within expression: 1 2`. Positions count UTF-16 units from 1.
  /// Errors of evaluation concern no location.
  public func message(in source: String) -> String {
    guard kind == .lexing || kind == .parsing, length > 0 else { return message }
    let start = source.utf8.index(source.startIndex, offsetBy: min(offset, source.utf8.count))
    return "\(message). Located at position \(source.utf16.distance(from: source.startIndex, to: start) + 1) "
      + "within expression: \(source)"
  }

  /// The same error in a text in which the expression begins at `start`.
  func shifted(by start: Int) -> ExpressionError {
    var copy = self
    copy.offset += start
    return copy
  }
}
