import FlowModel

/// Reads workflows for the subcommands of plugins. The command line provides a reader with the actions of all plugins.
package struct WorkflowReader: Sendable {
  /// The reader that the running command has set.
  @TaskLocal package static var current = WorkflowReader { _, _ in
    throw UsageProblem("this subcommand needs flowrun, which reads workflows")
  }

  private let read: @Sendable (_ file: String, _ plugins: PluginArguments) throws -> Workflow

  package init(_ read: @escaping @Sendable (_ file: String, _ plugins: PluginArguments) throws -> Workflow) {
    self.read = read
  }

  /// Returns the checked workflow in `file`, and prints its diagnostics to standard error. Throws a ``CommandProblem``
  /// if the file cannot be read or has an error.
  package static func workflow(in file: String, _ plugins: PluginArguments) throws -> Workflow {
    try current.read(file, plugins)
  }
}
