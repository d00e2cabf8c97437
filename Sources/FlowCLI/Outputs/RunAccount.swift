import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowSecrets
import FlowSyntax

/// What outputs for other systems are made from: the report after a last look for secrets and without what only a terminal
/// understands, and what the report does not have.
struct RunAccount {
  /// The report; its steps are in ``steps``.
  let report: RunReport
  /// Every step, in the order of the file.
  let steps: [RunReport.Step]
  /// The workflow file, as the user named it.
  let file: String
  /// The instant from which the report counts, in nanoseconds since 1970.
  let activatedAtNanoseconds: Int
  /// How much of the report is about an earlier process, which this run is a resume of, in milliseconds from activation.
  var resumedAt: Double?
  /// What loading the file gave; nil: no output needs lines.
  var loaded: LoadResult?

  /// Takes a report in; `mask` hides the secrets of the run.
  init(_ report: RunReport, file: String, mask: SecretMask?, activatedAtNanoseconds: Int) {
    var report = report
    report.workflow = Self.clean(report.workflow, mask)
    report.warnings = report.warnings.map { Self.clean($0, mask) }
    self.report = report
    self.file = file
    self.activatedAtNanoseconds = activatedAtNanoseconds
    // What binds the inputs of an included file is not a step that its author knows, unless it fails.
    steps = report.steps.map { Self.clean($0, mask) }
  }

  /// Whether a step is one that its author wrote; an included file begins with one that binds its inputs.
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
