import FlowExpressions
import FlowModel
import FlowPlatform

extension StepFailure {
  /// Creates the failure for an expression in the value of `key` that cannot be evaluated.
  package init(_ error: ExpressionError, in key: String) {
    self.init(code: error.code, message: "\(key): \(error.description)")
  }

  /// Throws if an expression in the value of `key` returned a path with a NUL, quoted as in a pattern. The system would
  /// read the path only up to the NUL, and so use another file.
  static func checkNoNull(inPattern text: String, of key: String) throws(StepFailure) {
    guard PatternText.containsNull(text) else { return }
    // Only a quoted NUL consists of two NULs.
    let path = text.utf8.split(separator: 0, omittingEmptySubsequences: true).map {
      String(decoding: $0, as: UTF8.self)
    }
    .joined(separator: "\0")
    throw StepFailure(
      code: "expression",
      message: "\(key): expected a path without NUL characters, found \(Value.string(path).shortText)")
  }
}
