/// A workflow that is included by another. Its steps are among those of the including workflow, but their expressions
/// read only its own inputs, steps and variables.
package struct WorkflowScope: Sendable {
  /// The prefix of the ids of its steps, such as `build/`.
  package var prefix: String
  /// The path of its file, as given to the loader.
  package var file = ""
  /// The folder of its file, relative to that of the main workflow. Empty if it is the same.
  package var folder: String
  /// The step that binds its inputs. All of its steps depend on it.
  package var entry: StepIndex
  /// The step that returns its outputs when all of its steps have finished.
  package var exit: StepIndex
  /// Its steps, including the entries of the workflows that it includes.
  package var members: [StepIndex] = []
  /// Environment variables for commands and plugins of its steps. Values may contain `${{ }}`.
  package var environment: ValueObject
  /// The files in its `env-file`, which ``environment`` overrides. Paths are relative to the folder of the main
  /// workflow.
  package var environmentFiles: [EnvironmentFileName]

  /// Creates a scope without steps.
  package init(
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
  /// Converts a path in this scope's file to one relative to the main workflow's folder.
  package func path(of name: String) -> String {
    name.utf8.first == UInt8(ascii: "/") || folder.isEmpty ? name : "\(folder)/\(name)"
  }
}

/// The role of a step in an included workflow.
package enum IncludeRole: UInt8, Sendable, Hashable {
  /// An ordinary step.
  case none
  /// The step that binds the inputs. If it is skipped, so are all steps of the scope.
  case entry
  /// The step that returns the outputs. It fails if a step in the scope failed and no other step handled that.
  case exit
}

extension Workflow {
  /// Returns the index of the scope of a step, or nil if the step is in the workflow's own file.
  package func scope(of step: StepIndex) -> Int? {
    guard !scopes.isEmpty, scopeOfStep[Int(step)] > 0 else { return nil }
    return Int(scopeOfStep[Int(step)]) - 1
  }
}
