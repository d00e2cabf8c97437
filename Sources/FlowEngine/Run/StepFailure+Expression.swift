import FlowExpressions
import FlowModel

extension StepFailure {
  /// Creates the failure of a step for an invalid expression under this key.
  package init(_ error: ExpressionError, in key: String) {
    self.init(code: error.code, message: "\(key): \(error.description)")
  }
}
