import FlowDiagnostics
import FlowExpressions
import FlowModel

/// A place in a workflow that holds expressions, with what they may read there.
struct ExpressionSite {
  /// Which key the place belongs to.
  enum Kind: Equatable {
    case workflowEnvironment, gate, outputs
    case condition, enabled, deferral, with, environment
    /// The inputs of what is called for each post of an event.
    case call
    /// What a step runs for.
    case foreach
  }

  let kind: Kind
  /// The step that the place belongs to; nil: the workflow.
  let step: Int?
  /// The scalar that holds them.
  let node: NodeID

  /// The contexts that may be read here.
  ///
  /// - Parameters:
  ///   - isDeferred: whether its step waits for the gate.
  ///   - hasItems: whether its step runs for several items.
  func contexts(isDeferred: Bool, hasItems: Bool = false) -> [String] {
    switch kind {
    case .foreach: ["inputs", "env", "steps", "launch", "run"] + (isDeferred ? ["gate"] : [])
    case .gate, .deferral: ["inputs", "launch"]
    case .enabled: ["inputs", "env", "launch"]
    case .workflowEnvironment: ["inputs", "launch", "run"]
    case .outputs: ["inputs", "env", "steps", "launch", "run", "gate"]
    case .condition, .with, .environment:
      (hasItems ? ItemContext.names : []) + ["inputs", "env", "steps", "launch", "run"]
        + (isDeferred ? ["gate"] : [])
    case .call: ["event", "inputs", "env", "steps", "launch", "run"] + (isDeferred ? ["gate"] : [])
    }
  }

  /// What the place is called in messages.
  var name: String {
    switch kind {
    case .workflowEnvironment, .environment: "env"
    case .gate: "deadline"
    case .outputs: "outputs"
    case .condition: "if"
    case .enabled: "enabled"
    case .deferral: "defer"
    case .with, .call: "with"
    case .foreach: "foreach"
    }
  }
}
