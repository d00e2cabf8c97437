import FlowExpressions
import FlowModel

extension Expression {
  /// The status functions that the expression calls, in the form that ``StepFacts`` stores.
  package var statusFunctionSet: StepFacts.StatusFunctions {
    var set: StepFacts.StatusFunctions = []
    for function in statusFunctions {
      switch function {
      case .success: set.insert(.success)
      case .failure: set.insert(.failure)
      case .cancelled: set.insert(.cancelled)
      case .always: set.insert(.always)
      }
    }
    return set
  }
}
