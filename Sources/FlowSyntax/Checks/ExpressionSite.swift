import FlowDiagnostics
import FlowExpressions
import FlowModel

/// A location in a workflow where expressions are allowed. It determines which contexts they can read.
struct ExpressionSite {
  /// The kinds of locations, named after the key that contains the expressions.
  enum Kind: Equatable {
    case workflowEnvironment, environmentFile, gate, outputs
    /// The value of a key that determines where a secret comes from.
    case secretSource
    case condition, enabled, deferral, with, environment
    /// An input that can be a secret: one of the step's own action, or one of an action that is called for each post of
    /// an event.
    case secretInput, secretCallInput
    /// The inputs of an action that is called for each post of an event.
    case call
    case foreach
    /// The files that a step reads or produces.
    case files(StepKey)
    /// The `name` of a step, which users see.
    case name
  }

  let kind: Kind
  /// The index of the step that contains the expressions, or nil if no step contains them.
  let step: Int?
  /// The node of the string that contains the expressions.
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
    // Only inputs are known, because names are shown from the start of a run, and environment files and secrets are
    // read before it starts.
    case .name, .environmentFile, .secretSource: ["inputs"]
    // Products are known before the run starts, so that steps that exchange files can be found.
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
