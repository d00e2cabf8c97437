import FlowDiagnostics
import FlowExpressions
import FlowModel

/// A location of expressions in a workflow. It determines the contexts that they can read.
struct ExpressionSite {
  /// The key that contains the expressions.
  enum Kind: Equatable {
    case workflowEnvironment, environmentFile, gate, outputs
    /// The source of a secret.
    case secretSource
    case condition, enabled, deferral, with, environment
    /// An input that may be a secret, of a step or of an action that is called for each post of an event.
    case secretInput, secretCallInput
    /// The inputs of an action that is called for each post of an event.
    case call
    case foreach
    /// The files that a step reads or produces.
    case files(StepKey)
    /// The `name` of a step.
    case name
  }

  let kind: Kind
  /// The step, or nil for a location outside the steps.
  let step: Int?
  /// The scalar that contains the expressions.
  let node: NodeID

  /// Returns the contexts that expressions at this location can read.
  ///
  /// - Parameters:
  ///   - isDeferred: True if the step starts only after the gate has opened.
  ///   - hasItems: True if the step is a fan-out.
  func contexts(isDeferred: Bool, hasItems: Bool = false) -> [String] {
    switch kind {
    case .foreach: ["inputs", "env", "steps", "launch", "run", "events"] + (isDeferred ? ["gate"] : [])
    case .gate, .deferral: ["inputs", "launch"]
    case .enabled: ["inputs", "env", "launch"]
    // Names are shown from the start of the run. Variables and secrets are read before it.
    case .name, .environmentFile, .secretSource: ["inputs"]
    // Products must be known before the run, so that it is known which steps exchange files.
    case .files(let key): (hasItems ? ItemContext.names : []) + ["inputs"] + (key == .inputsFrom ? ["steps"] : [])
    case .workflowEnvironment: ["inputs", "env", "launch", "run"]
    case .outputs: ["inputs", "env", "steps", "launch", "run", "gate", "events"]
    case .condition, .with, .environment, .secretInput:
      (hasItems ? ItemContext.names : []) + ["inputs", "env", "steps", "launch", "run", "events"]
        + (isDeferred ? ["gate"] : []) + (takesSecrets ? ["secrets"] : [])
    case .call, .secretCallInput:
      ["event", "inputs", "env", "steps", "launch", "run", "events"] + (isDeferred ? ["gate"] : [])
        + (takesSecrets ? ["secrets"] : [])
    }
  }

  /// True if expressions may read secrets here: in the `env` of a step, or in an input that is declared as secret.
  var takesSecrets: Bool { kind == .environment || kind == .secretInput || kind == .secretCallInput }

  /// The name of the location in messages.
  var name: String {
    switch kind {
    case .workflowEnvironment, .environment: "env"
    case .environmentFile: "env-file"
    case .secretSource: "secrets"
    case .gate: "deadline"
    case .outputs: "outputs"
    case .condition: "if"
    case .enabled: "enabled"
    case .deferral: "defer"
    case .with, .call, .secretInput, .secretCallInput: "with"
    case .foreach: "foreach"
    case .files(let key): key.rawValue
    case .name: "name"
    }
  }
}
