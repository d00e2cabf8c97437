import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowSecrets
import FlowSyntax

/// The source of outputs for other systems: the report and additional data, with secrets masked and terminal sequences
/// removed.
struct RunAccount {
  /// The report. Use ``steps`` instead of its own steps, which are not masked.
  let report: RunReport
  /// All steps in the order of the file, masked.
  let steps: [RunReport.Step]
  /// The failures of the run itself, masked.
  private let ownFailures: [StepFailure]
  /// The path of the workflow file as the user entered it.
  let file: String
  /// The time at which the run was activated, in nanoseconds since 1970.
  let activatedAtNanoseconds: Int
  /// The time at which this process resumed the run, in milliseconds from the activation, or nil if the run started in
  /// this process.
  var resumedAt: Double?
  /// The result of loading the file. Nil if no output needs locations.
  var loaded: LoadResult?
  /// True if the command fails when the gate times out (`--strict`).
  var isStrict = false

  /// Creates the account from a report. `mask` replaces the secrets of the run.
  init(_ report: RunReport, file: String, mask: SecretMask?, activatedAtNanoseconds: Int) {
    var report = report
    report.workflow = Self.clean(report.workflow, mask)
    report.warnings = report.warnings.map { Self.clean($0, mask) }
    ownFailures = report.ownFailures.map { StepFailure(code: $0.code, message: Self.clean($0.message, mask)) }
    self.report = report
    self.file = file
    self.activatedAtNanoseconds = activatedAtNanoseconds
    steps = report.steps.map { step in step.withTexts { Self.clean($0, mask) } }
  }

  /// True if the command fails because the gate timed out.
  var isTooLate: Bool { isStrict && report.gate.outcome == .timedOut }

  /// Returns the failure of the run itself, or nil if it has none. Without it, a run that was cancelled or timed out
  /// would look like a success in a report of its steps.
  ///
  /// - Parameter isExplained: True if the report has failures of steps. A run without other failures then has none.
  func failure(isExplained: Bool) -> StepFailure? {
    if let first = ownFailures.first {
      return StepFailure(code: first.code, message: ownFailures.map(\.message).joined(separator: "\n"))
    }
    let conclusion = report.conclusion
    guard conclusion == .failure || conclusion == .cancelled, report.reason != nil || !isExplained else { return nil }
    return StepFailure(
      code: report.reason ?? conclusion.rawValue,
      message: report.warnings.last ?? "The run ended as \(conclusion.rawValue)")
  }

  /// True if the author of the workflow wrote the step. The generated first step of an included file is shown only if
  /// it fails.
  static func isOwn(_ step: RunReport.Step) -> Bool { !step.id.text.hasSuffix("/") || step.outcome == .failure }

  private static func clean(_ text: String, _ mask: SecretMask?) -> String {
    TerminalText.commandText(mask?.masked(text) ?? text)
  }
}
