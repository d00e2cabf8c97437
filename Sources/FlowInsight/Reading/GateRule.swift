import FlowEngine
import FlowModel

/// Whether a run has a launch gate: it has one if its workflow has a `deadline`, whatever it defers and whatever is in its
/// `finally`. Texts and pages show nothing of a gate otherwise.
package enum GateRule {
  /// Whether a run with this minimum and maximum has a gate.
  package static func hasGate(_ bounds: GateBounds) -> Bool {
    bounds.minimumNanoseconds > 0 || bounds.maximumNanoseconds != nil
  }

  /// Whether runs of a workflow have a gate.
  package static func hasGate(_ workflow: Workflow) -> Bool {
    guard let gate = workflow.gate else { return false }
    return gate.max != nil || gate.min.map { $0 != .literal(.zero) } ?? false
  }
}
