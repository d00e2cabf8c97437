import FlowDiagnostics
import FlowModel

/// A plugin's own check of workflows that use its actions. `flowrun validate` and editors show the results.
package protocol WorkflowCheckProvider: Sendable {
  /// Returns the problems in a workflow that was loaded without errors. Their locations must be in the workflow file
  /// itself.
  func diagnostics(of checked: any CheckedWorkflow) -> [Diagnostic]
}

/// A workflow that was loaded without errors, in the form that checks of plugins receive.
package protocol CheckedWorkflow: Sendable {
  /// The workflow, including the steps of included files.
  var workflow: Workflow { get }
  /// The path of the workflow file.
  var file: String { get }

  /// Returns the location of a key in a step, or that of the step if it does not have the key. Returns nil for a step
  /// in an included file.
  func span(of step: StepIndex, key: String?) -> TextSpan?
  /// Returns the value of a key in a step, or nil if the step does not have the key or is in an included file.
  func value(of step: StepIndex, key: String) -> PlacedValue?
  /// True if the value contains an expression, so that its final value is known only during a run.
  func isOpen(_ value: Value) -> Bool
  /// Returns the content of a file, or nil if it cannot be read.
  func read(_ path: String) -> [UInt8]?
}

/// A kind of YAML file, other than a workflow, that a plugin reads, such as the schemas of records in `*.sync.yaml`.
package struct PluginFileKind: Sendable {
  /// The suffix of the names of such files.
  package let suffix: String
  /// The name of the kind in messages, such as `a schema of records`.
  package let name: String
  /// Advice for a user who tries to run such a file, such as `run the workflow that names it in 'sync.connect'`.
  package let use: String
  /// Checks the content of such a file. The path of the file is used only in messages.
  package let check: @Sendable (_ bytes: [UInt8], _ file: String) -> Check

  package struct Check: Sendable {
    /// The text in which the problems are located.
    package let source: SourceText
    /// The errors and warnings that the check has found.
    package let diagnostics: [Diagnostic]
    /// A summary of a valid file, such as `valid, 2 collections`, or nil if the file has errors.
    package let summary: String?

    package init(_ source: SourceText, _ diagnostics: [Diagnostic], summary: String?) {
      self.source = source
      self.diagnostics = diagnostics
      self.summary = summary
    }
  }

  package init(
    suffix: String, name: String, use: String,
    check: @escaping @Sendable (_ bytes: [UInt8], _ file: String) -> Check
  ) {
    self.suffix = suffix
    self.name = name
    self.use = use
    self.check = check
  }
}
