import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowSecrets
import FlowSyntax

/// The data from which outputs for other systems are written: the report and some additions. Secrets are masked, and
/// terminal sequences are removed.
struct RunAccount {
  /// The report of the run. Its steps are not masked; use ``steps`` instead.
  let report: RunReport
  /// All steps in file order, masked.
  let steps: [RunReport.Step]
  /// The masked failures of the run itself, rather than of its steps.
  private let ownFailures: [StepFailure]
  /// The path of the workflow file, absolute or relative to the working folder.
  let file: String
  /// The time of the run's activation, in nanoseconds since 1970.
  let activatedAtNanoseconds: Int
  /// The time from the activation until this process resumed the run, in milliseconds. Nil if the run started in this
  /// process.
  var resumedAt: Double?
  /// The result of loading the file, or nil if no output needs locations in it.
  var loaded: LoadResult?
  /// True if a timeout of the gate makes the command fail (`--strict`).
  var isStrict = false

  /// Creates the account of a run from its report. `mask` replaces the run's secrets.
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

  /// True if the command fails because the gate has timed out.
  var isTooLate: Bool { isStrict && report.gate.outcome == .timedOut }

  /// Returns the failure of the run itself, or nil if there is none. Without it, a run that was cancelled or timed out
  /// would look successful if none of its steps failed.
  ///
  /// - Parameter isExplained: True if the output already contains failures of steps. A run that ended only because of
  ///   these has no failure of its own.
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

  /// True if outputs show the step. The generated first step of an included file is shown only if it failed.
  static func isOwn(_ step: RunReport.Step) -> Bool { !step.id.text.hasSuffix("/") || step.outcome == .failure }

  private static func clean(_ text: String, _ mask: SecretMask?) -> String {
    TerminalText.commandText(mask?.masked(text) ?? text)
  }
}
