import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowSecrets
import FlowSyntax

/// The source of outputs for other systems: the report with secrets masked and terminal sequences removed, and
/// additional data.
struct RunAccount {
  /// The report. Its masked steps are in ``steps``.
  let report: RunReport
  /// All steps in file order.
  let steps: [RunReport.Step]
  /// The workflow file as named by the user.
  let file: String
  /// The instant of activation, in nanoseconds since 1970.
  let activatedAtNanoseconds: Int
  /// The instant at which this process resumed the run, in milliseconds from activation, or nil if it started here.
  var resumedAt: Double?
  /// The result of loading the file, or nil if no output needs lines.
  var loaded: LoadResult?

  /// Creates an account of a report. `mask` hides the secrets of the run.
  init(_ report: RunReport, file: String, mask: SecretMask?, activatedAtNanoseconds: Int) {
    var report = report
    report.workflow = Self.clean(report.workflow, mask)
    report.warnings = report.warnings.map { Self.clean($0, mask) }
    self.report = report
    self.file = file
    self.activatedAtNanoseconds = activatedAtNanoseconds
    // The step that binds the inputs of an included file is hidden from its author, unless it fails.
    steps = report.steps.map { Self.clean($0, mask) }
  }

  /// True for a step written by the author. An included file begins with a generated step that binds its inputs.
  static func isOwn(_ step: RunReport.Step) -> Bool { !step.id.text.hasSuffix("/") || step.outcome == .failure }

  private static func clean(_ step: RunReport.Step, _ mask: SecretMask?) -> RunReport.Step {
    var step = step
    step.failure = step.failure.map { clean($0, mask) }
    step.items = step.items?.map { item in
      var item = item
      item.key = item.key.map { clean($0, mask) }
      item.failure = item.failure.map { clean($0, mask) }
      item.steps = item.steps?.map { clean($0, mask) }
      return item
    }
    return step
  }

  private static func clean(_ failure: StepFailure, _ mask: SecretMask?) -> StepFailure {
    StepFailure(code: failure.code, message: clean(failure.message, mask))
  }

  private static func clean(_ text: String, _ mask: SecretMask?) -> String {
    TerminalText.commandText(mask?.masked(text) ?? text)
  }
}
