import FlowDiagnostics
import FlowModel
import FlowSyntax

/// What is installed around a workflow, for the language server: it comes from anyone who knows the plugins.
public struct InstalledActions: Sendable {
  /// The actions.
  public var catalog: any ActionCatalog
  /// What there is to say of a file besides what the loader says: of itself, and of other files.
  public var additions: @Sendable (LoadResult, String) -> (own: [Diagnostic], others: [DiagnosticReport.File])
  /// Why plugins that were found cannot be used, for people; nil: all can.
  public var warning: String?
  /// The executors that plugins bring.
  public var executors: [String]

  /// Actions with further remarks.
  public init(
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

/// Where the language server learns what is installed and how steps are ordered.
public struct LanguageWorkspace: Sendable {
  /// The actions around the file at a path.
  public var install: @Sendable (String) -> InstalledActions
  /// Changes when what ``install`` gives for the path may have changed.
  public var stamp: @Sendable (String) -> String
  /// What is in a file that a workflow includes; nil if it cannot be read.
  public var files: @Sendable (String) -> [UInt8]?
  /// The names of what is in a folder, those of folders with a slash behind them.
  public var names: @Sendable (String) -> [String]
  /// The findings in a file that a plugin reads, such as a schema of records; nil for a workflow.
  public var pluginFileCheck: @Sendable ([UInt8], String) -> DiagnosticReport.File?
  /// For each step its place, from 1, in the order in which ready steps start.
  public var rank: @Sendable (WorkflowGraph) -> [Int]
  /// What is recorded of a step of the file at a path; nil: nothing.
  public var history: @Sendable (_ file: String, _ step: String) -> StepHistory?
  /// The version of flowrun.
  public var version: String

  /// A workspace.
  public init(
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
