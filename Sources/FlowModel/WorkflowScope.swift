/// A workflow that is in another one as a step, flattened: its steps have places among those of the whole, its
/// expressions see its own inputs, steps and variables.
public struct WorkflowScope: Sendable {
  /// What the ids of its steps begin with: `build/`.
  public var prefix: String
  /// The path of its file, as the loader reads it.
  public var file = ""
  /// The folder of its file, where relative paths in it start, from the whole workflow's; empty: the same.
  public var folder: String
  /// The step that binds its inputs, which everything in it comes after.
  public var entry: StepIndex
  /// The step that gives its outputs, once everything in it is settled: the one that the includer names.
  public var exit: StepIndex
  /// Its steps, and the entries of the workflows that it includes itself.
  public var members: [StepIndex] = []
  /// Environment variables for the child processes of its steps; values may hold `${{ }}`.
  public var environment: ValueObject
  /// The files of variables below those, as ``folder`` has them.
  public var environmentFiles: [EnvironmentFileName]

  /// A scope without steps.
  public init(
    prefix: String, folder: String, entry: StepIndex, exit: StepIndex, environment: ValueObject,
    environmentFiles: [EnvironmentFileName] = []
  ) {
    self.prefix = prefix
    self.folder = folder
    self.entry = entry
    self.exit = exit
    self.environment = environment
    self.environmentFiles = environmentFiles
  }
}

extension WorkflowScope {
  /// A path that its file states, as the whole workflow's folder has it.
  public func path(of name: String) -> String {
    name.hasPrefix("/") || folder.isEmpty ? name : "\(folder)/\(name)"
  }
}

/// What a step is for where a workflow is included.
public enum IncludeRole: UInt8, Sendable, Hashable {
  /// Nothing special.
  case none
  /// It binds the inputs: when it is skipped, everything inside is.
  case entry
  /// It gives the outputs: it fails when a failure inside was not taken up.
  case exit
}

extension Workflow {
  /// The scope that a step's expressions see; nil: the workflow's own.
  public func scope(of step: StepIndex) -> Int? {
    guard !scopes.isEmpty, scopeOfStep[Int(step)] > 0 else { return nil }
    return Int(scopeOfStep[Int(step)]) - 1
  }
}
