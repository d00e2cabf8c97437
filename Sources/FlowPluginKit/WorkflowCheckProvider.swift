import FlowDiagnostics
import FlowModel

/// What a plugin says of workflows that use its actions, before anything runs: `flowrun validate` and editors show it.
public protocol WorkflowCheckProvider: Sendable {
  /// What is found in a workflow that has been loaded without errors; its locations are in the workflow's own file.
  func diagnostics(of checked: any CheckedWorkflow) -> [Diagnostic]
}

/// A workflow that has been loaded, for the checks of plugins.
public protocol CheckedWorkflow: Sendable {
  /// The workflow, with what it includes.
  var workflow: Workflow { get }
  /// The path of its file.
  var file: String { get }

  /// Where a step's key is, or the step where it has none; nil for a step of an included file.
  func span(of step: StepIndex, key: String?) -> Span?
  /// What is under a step's key; nil if there is nothing, and for a step of an included file.
  func value(of step: StepIndex, key: String) -> PlacedValue?
  /// Whether only a run tells what a value is, since it holds an expression.
  func isOpen(_ value: Value) -> Bool
  /// The bytes of a file; nil if it cannot be read.
  func read(_ path: String) -> [UInt8]?
}

/// A kind of YAML file besides workflows that a plugin reads, such as the schemas of records, `*.sync.yaml`.
public struct PluginFileKind: Sendable {
  /// How the names of such files end.
  public let suffix: String
  /// What such a file is, for a message: `a schema of records`.
  public let name: String
  /// What to do instead of running it: `run the workflow that names it in 'sync.connect'`.
  public let use: String
  /// Checks the bytes of such a file, whose path is given for messages.
  public let check: @Sendable (_ bytes: [UInt8], _ file: String) -> Check

  /// What was found in such a file.
  public struct Check: Sendable {
    /// Its text.
    public let source: SourceText
    /// What was found.
    public let diagnostics: [Diagnostic]
    /// What is in it, in words; nil exactly when it has an error.
    public let summary: String?

    /// Notes what was found.
    public init(_ source: SourceText, _ diagnostics: [Diagnostic], summary: String?) {
      self.source = source
      self.diagnostics = diagnostics
      self.summary = summary
    }
  }

  /// A kind of file.
  public init(
    suffix: String, name: String, use: String,
    check: @escaping @Sendable (_ bytes: [UInt8], _ file: String) -> Check
  ) {
    self.suffix = suffix
    self.name = name
    self.use = use
    self.check = check
  }
}
