/// An included workflow, flattened: its steps are among those of the whole workflow, and its expressions use its own
/// inputs, steps and variables.
public struct WorkflowScope: Sendable {
  /// The prefix of its steps' ids, such as `build/`.
  public var prefix: String
  /// The path of its file, as given to the loader.
  public var file = ""
  /// The folder of its file, relative to the whole workflow's; empty if they are the same.
  public var folder: String
  /// The step that binds its inputs and precedes all of its steps.
  public var entry: StepIndex
  /// The step of the includer, which returns the outputs once everything in the scope has finished.
  public var exit: StepIndex
  /// Its steps, and the entries of the workflows that it includes.
  public var members: [StepIndex] = []
  /// Environment variables for the child processes of its steps; values may contain `${{ }}`.
  public var environment: ValueObject
  /// The files of variables, which ``environment`` overrides, relative to the whole workflow's ``folder``.
  public var environmentFiles: [EnvironmentFileName]

  /// Creates a scope without steps.
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
  /// Returns a path of its file relative to the whole workflow's folder.
  public func path(of name: String) -> String {
    name.utf8.first == UInt8(ascii: "/") || folder.isEmpty ? name : "\(folder)/\(name)"
  }
}

/// The role of a step in an included workflow.
public enum IncludeRole: UInt8, Sendable, Hashable {
  /// An ordinary step.
  case none
  /// The step that binds the inputs. If it is skipped, everything in the scope is skipped.
  case entry
  /// The step that returns the outputs. It fails if a failure in the scope was not handled.
  case exit
}

extension Workflow {
  /// Returns the scope of a step's expressions, or nil for the workflow's own.
  public func scope(of step: StepIndex) -> Int? {
    guard !scopes.isEmpty, scopeOfStep[Int(step)] > 0 else { return nil }
    return Int(scopeOfStep[Int(step)]) - 1
  }
}
