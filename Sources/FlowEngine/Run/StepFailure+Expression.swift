import FlowExpressions
import FlowModel
import FlowPlatform

extension StepFailure {
  /// Creates the failure for an expression under `key` that cannot be evaluated.
  package init(_ error: ExpressionError, in key: String) {
    self.init(code: error.code, message: "\(key): \(error.description)")
  }

  /// Throws if a path that an expression under `key` gave, quoted as in a pattern, contains a NUL. The system would read
  /// the path up to the NUL, and so take another file.
  static func checkNoNull(inPattern text: String, of key: String) throws(StepFailure) {
    guard PatternText.containsNull(text) else { return }
    // A quoted NUL is the only place with two of them.
    let path = text.utf8.split(separator: 0, omittingEmptySubsequences: true).map {
      String(decoding: $0, as: UTF8.self)
    }
    .joined(separator: "\0")
    throw StepFailure(
      code: "expression",
      message: "\(key): expected a path without NUL characters, found \(Value.string(path).shortText)")
  }
}
