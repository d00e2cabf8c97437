import FlowDiagnostics
import FlowModel
import FlowSyntax

/// The actions available to a workflow in the language server, supplied by code that knows the plugins.
package struct InstalledActions: Sendable {
  /// The actions.
  package var catalog: any ActionCatalog
  /// Returns diagnostics in addition to the loader's, for the file itself and for other files.
  package var additions: @Sendable (LoadResult, String) -> (own: [Diagnostic], others: [DiagnosticReport.File])
  /// The reason why some plugins cannot be used, for people, or nil.
  package var warning: String?
  /// The executors of plugins.
  package var executors: [String]

  /// Creates a value from a catalog and optional additions.
  package init(
    catalog: any ActionCatalog, warning: String? = nil, executors: [String] = [],
    additions: @escaping @Sendable (LoadResult, String) -> (own: [Diagnostic], others: [DiagnosticReport.File]) = {
      _, _ in ([], [])
    }
  ) {
    self.catalog = catalog
    self.warning = warning
    self.executors = executors
    self.additions = additions
  }
}

/// The functions with which the language server finds installed actions, files and the order of steps.
package struct LanguageWorkspace: Sendable {
  /// Returns the actions available to the file at a path.
  package var install: @Sendable (String) -> InstalledActions
  /// Returns a value that changes when the result of ``install`` for the path may have changed.
  package var stamp: @Sendable (String) -> String
  /// Reads an included file, or returns nil if it cannot be read.
  package var files: @Sendable (String) -> [UInt8]?
  /// Returns the names in a folder; names of folders end with a slash.
  package var names: @Sendable (String) -> [String]
  /// Returns the diagnostics of a file for a plugin, such as a schema of records, or nil for a workflow.
  package var pluginFileCheck: @Sendable ([UInt8], String) -> DiagnosticReport.File?
  /// Returns for each step its position in the start order of ready steps, from 1.
  package var rank: @Sendable (WorkflowGraph) -> [Int]
  /// Returns the recorded durations of a step of the file at a path, or nil.
  package var history: @Sendable (_ file: String, _ step: String) -> StepHistory?
  /// The version of flowrun.
  package var version: String

  /// Creates a workspace.
  package init(
    version: String, install: @escaping @Sendable (String) -> InstalledActions,
    stamp: @escaping @Sendable (String) -> String = { _ in "" },
    files: @escaping @Sendable (String) -> [UInt8]? = { _ in nil },
    names: @escaping @Sendable (String) -> [String] = { _ in [] },
    pluginFileCheck: @escaping @Sendable ([UInt8], String) -> DiagnosticReport.File? = { _, _ in nil },
    rank: @escaping @Sendable (WorkflowGraph) -> [Int] = { _ in [] },
    history: @escaping @Sendable (_ file: String, _ step: String) -> StepHistory? = { _, _ in nil }
  ) {
    self.version = version
    self.install = install
    self.stamp = stamp
    self.files = files
    self.names = names
    self.pluginFileCheck = pluginFileCheck
    self.rank = rank
    self.history = history
  }
}
