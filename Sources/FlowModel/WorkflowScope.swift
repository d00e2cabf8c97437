/// An included workflow. Its steps are among those of the including workflow, but their expressions read only the
/// included workflow's own inputs, steps and variables.
package struct WorkflowScope: Sendable {
  /// The prefix that the ids of the workflow's steps have, such as `build/`.
  package var prefix: String
  /// The path of the workflow's file, as given to the loader.
  package var file = ""
  /// The folder of the workflow's file, relative to the main workflow's folder. Empty if both are the same.
  package var folder: String
  /// The step that binds the inputs. All steps of the workflow depend on it.
  package var entry: StepIndex
  /// The step that returns the outputs after all steps of the workflow have finished.
  package var exit: StepIndex
  /// The steps of the workflow, including the entries of workflows that it includes itself.
  package var members: [StepIndex] = []
  /// The environment variables of commands and plugins in the workflow's steps. Values may contain `${{ }}`.
  package var environment: ValueObject
  /// The files in the workflow's `env-file`. ``environment`` overrides them. Paths are relative to the main workflow's
  /// folder.
  package var environmentFiles: [EnvironmentFileName]

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
  /// Returns a path in the workflow's file as a path relative to the main workflow's folder. An absolute path is
  /// returned unchanged.
  package func path(of name: String) -> String {
    name.utf8.first == UInt8(ascii: "/") || folder.isEmpty ? name : "\(folder)/\(name)"
  }
}

/// The role that a step has in an included workflow.
package enum IncludeRole: UInt8, Sendable, Hashable {
  /// The step has no special role.
  case none
  /// The step binds the inputs. If it is skipped, all steps of the scope are skipped.
  case entry
  /// The step returns the outputs. It fails if a step of the scope has failed and no other step has handled the
  /// failure.
  case exit
}

extension Workflow {
  /// Returns the index of the scope that contains a step, or nil if the step is in the main file.
  package func scope(of step: StepIndex) -> Int? {
    guard !scopes.isEmpty, scopeOfStep[Int(step)] > 0 else { return nil }
    return Int(scopeOfStep[Int(step)]) - 1
  }
}
