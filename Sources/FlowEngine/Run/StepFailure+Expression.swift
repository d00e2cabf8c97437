import FlowExpressions
import FlowModel

extension StepFailure {
  /// The failure of a step for an expression of one of its keys.
  package init(_ error: ExpressionError, in key: String) {
    self.init(code: error.code, message: "\(key): \(error.description)")
  }
}
