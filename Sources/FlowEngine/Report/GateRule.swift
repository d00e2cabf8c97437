import FlowModel

/// Decides whether a run has a launch gate. It has one if `deadline` sets a minimum above 0 or a maximum, whether or
/// not steps are deferred. Reports and pages of a run without a gate do not mention it.
package enum GateRule {
  /// True if a run with this minimum or maximum has a gate.
  package static func hasGate(_ bounds: GateBounds) -> Bool {
    bounds.minimumNanoseconds > 0 || bounds.maximumNanoseconds != nil
  }

  /// True if runs of the workflow have a gate.
  package static func hasGate(_ workflow: Workflow) -> Bool {
    guard let gate = workflow.gate else { return false }
    return gate.max != nil || gate.min.map { $0 != .literal(.zero) } ?? false
  }
}
