import FlowExpressions
import FlowModel

extension StepFailure {
  /// Creates the failure for an expression under `key` that cannot be evaluated.
  package init(_ error: ExpressionError, in key: String) {
    self.init(code: error.code, message: "\(key): \(error.description)")
  }
}
