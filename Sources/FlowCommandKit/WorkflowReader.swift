import FlowModel

/// Reads workflows for the subcommands of plugins. The command line gives them one that knows all plugins.
package struct WorkflowReader: Sendable {
  /// The one of the command that runs.
  @TaskLocal package static var current = WorkflowReader { _, _ in
    throw UsageProblem("this subcommand needs flowrun, which reads workflows")
  }

  private let read: @Sendable (_ file: String, _ plugins: PluginArguments) throws -> Workflow

  /// Reads workflows in this way.
  package init(_ read: @escaping @Sendable (_ file: String, _ plugins: PluginArguments) throws -> Workflow) {
    self.read = read
  }

  /// The checked workflow in `file`; what was found in it goes to standard error. Throws a ``CommandProblem`` when it
  /// cannot be read or has an error.
  package static func workflow(in file: String, _ plugins: PluginArguments) throws -> Workflow {
    try current.read(file, plugins)
  }
}
