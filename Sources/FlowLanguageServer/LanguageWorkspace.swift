import FlowDiagnostics
import FlowModel
import FlowSyntax

/// The actions that are available to a workflow in the language server. They are provided by the code that has access
/// to the plugins.
package struct InstalledActions: Sendable {
  package var catalog: any ActionCatalog
  /// Returns further diagnostics for a loaded file, in addition to the loader's: those of the file itself and those of
  /// other files.
  package var additions: @Sendable (LoadResult, String) -> (own: [Diagnostic], others: [DiagnosticReport.File])
  /// A message for the user if some plugins cannot be used, or nil if all can.
  package var warning: String?
  /// The names of executors that plugins provide.
  package var executors: [String]

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

/// The functions through which the language server accesses installed actions, files and run history.
package struct LanguageWorkspace: Sendable {
  /// Returns the actions that are available to the file at a path.
  package var install: @Sendable (String) -> InstalledActions
  /// Returns a string that changes when ``install`` may return other actions for the path.
  package var stamp: @Sendable (String) -> String
  /// Returns the content of an included file, or nil if it cannot be read.
  package var files: @Sendable (String) -> [UInt8]?
  /// Returns the names of the files and folders in a folder. Those of folders end with a slash.
  package var names: @Sendable (String) -> [String]
  /// Returns the diagnostics of a file for a plugin, such as a schema of records. Returns nil for any other file.
  package var pluginFileCheck: @Sendable ([UInt8], String) -> DiagnosticReport.File?
  /// Returns, for each step, its position among ready steps in the order of starts, from 1.
  package var rank: @Sendable (WorkflowGraph) -> [Int]
  /// Returns the recorded durations of a step of the workflow at a path, or nil if there are none.
  package var history: @Sendable (_ file: String, _ step: String) -> StepHistory?
  /// The version of flowrun, which is reported to the client.
  package var version: String

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
