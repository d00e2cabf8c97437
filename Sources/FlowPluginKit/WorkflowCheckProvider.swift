import FlowDiagnostics
import FlowModel

/// Checks of a plugin for workflows that use its actions. `flowrun validate` and editors show the findings.
public protocol WorkflowCheckProvider: Sendable {
  /// The findings in a workflow that loaded without errors; their locations are in its own file.
  func diagnostics(of checked: any CheckedWorkflow) -> [Diagnostic]
}

/// A workflow that has been loaded, for the checks of plugins.
public protocol CheckedWorkflow: Sendable {
  /// The workflow, with what it includes.
  var workflow: Workflow { get }
  /// The path of its file.
  var file: String { get }

  /// The location of a step's key, or of the step if it has no such key; nil for a step of an included file.
  func span(of step: StepIndex, key: String?) -> TextSpan?
  /// The value of a step's key; nil if the step has no such key or is in an included file.
  func value(of step: StepIndex, key: String) -> PlacedValue?
  /// Whether a value is known only during a run, because it contains an expression.
  func isOpen(_ value: Value) -> Bool
  /// The bytes of a file; nil if it cannot be read.
  func read(_ path: String) -> [UInt8]?
}

/// A kind of YAML file besides workflows that a plugin reads, such as the schemas of records, `*.sync.yaml`.
public struct PluginFileKind: Sendable {
  /// How the names of such files end.
  public let suffix: String
  /// The kind of file, for messages: `a schema of records`.
  public let name: String
  /// Advice for someone who tries to run it: `run the workflow that names it in 'sync.connect'`.
  public let use: String
  /// Checks the bytes of such a file, whose path is given for messages.
  public let check: @Sendable (_ bytes: [UInt8], _ file: String) -> Check

  /// The findings in such a file.
  public struct Check: Sendable {
    /// Its text.
    public let source: SourceText
    /// The findings.
    public let diagnostics: [Diagnostic]
    /// A summary of a valid file, such as `valid, 2 collections`; nil exactly when it has an error.
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
