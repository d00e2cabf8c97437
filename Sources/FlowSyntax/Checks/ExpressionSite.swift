import FlowDiagnostics
import FlowExpressions
import FlowModel

/// A location in a workflow that holds expressions, with what they may read there.
struct ExpressionSite {
  /// Which key the location belongs to.
  enum Kind: Equatable {
    case workflowEnvironment, environmentFile, gate, outputs
    /// The source of a secret.
    case secretSource
    case condition, enabled, deferral, with, environment
    /// An input that may be given a secret, of a step and of what is called for each post of an event.
    case secretInput, secretCallInput
    /// The inputs of what is called for each post of an event.
    case call
    /// What a step runs for.
    case foreach
    /// The files that a step reads or makes, by the key that says so.
    case files(StepKey)
    /// What a person reads instead of a step's id.
    case name
  }

  let kind: Kind
  /// The step that the location belongs to; nil: the workflow.
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
    case .foreach: ["inputs", "env", "steps", "launch", "run", "events"] + (isDeferred ? ["gate"] : [])
    case .gate, .deferral: ["inputs", "launch"]
    case .enabled: ["inputs", "env", "launch"]
    // Names are shown from the start of the run, and variables and secrets are read before it.
    case .name, .environmentFile, .secretSource: ["inputs"]
    // What a step makes is known before anything runs, so that the files between steps are.
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

  /// Whether secrets may be handed on here: the `env` of a step, or an input that is declared so.
  var takesSecrets: Bool { kind == .environment || kind == .secretInput || kind == .secretCallInput }

  /// What the location is called in messages.
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
