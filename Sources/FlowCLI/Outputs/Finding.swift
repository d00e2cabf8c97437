import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowSyntax
import FlowSystem

/// A problem that belongs to a line of a workflow file: a diagnostic or a failed step.
struct Finding {
  /// The severity of the problem. An error makes the run or the check fail.
  var severity: Diagnostic.Severity
  /// The code of the diagnostic, or of the step's error.
  var code: String
  /// A short headline for the problem.
  var title: String
  /// The message. It can have several lines.
  var message: String
  var place: Place
  /// The part that identifies the problem even if lines or messages change: the step, or the message of a diagnostic.
  var identity: String

  struct Place {
    /// The path of the file. It is relative to the root of the repository if that is known.
    var file: String
    /// The line and column, counted from 1. Columns are in code points.
    var location: TextLocation

    init(_ source: SourceText, _ span: TextSpan, root: String?) {
      self.init(file: source.file, LineTable(source).location(of: span.start), root: root)
    }

    /// Creates a location in a file, whose path is absolute or relative to the working folder.
    init(file: String, _ location: TextLocation, root: String?) {
      self.file = Self.relative(file, to: root)
      self.location = location
    }

    /// Returns the path relative to `root` or, if the file is not below it, relative to the working folder. Returns the
    /// absolute path if the file is in neither.
    private static func relative(_ file: String, to root: String?) -> String {
      let path = FilePath.normalized(file)
      for folder in [root.map(FilePath.real), root, FilePath.absolute(".")].compactMap({ $0 }) {
        if let path = FilePath.path(of: path, below: FilePath.normalized(folder)) { return path }
      }
      return path
    }
  }
}

extension Finding {
  /// The root folder of the repository in a job of GitHub or GitLab, or nil elsewhere.
  static var repository: String? { Environment.value("GITHUB_WORKSPACE") ?? Environment.value("CI_PROJECT_DIR") }

  static func all(in report: DiagnosticReport, root: String? = repository) -> [Finding] {
    report.files.flatMap { file in
      file.diagnostics.map { diagnostic in
        Finding(
          severity: diagnostic.severity, code: diagnostic.code.rawValue, title: diagnostic.code.rawValue,
          message: diagnostic.message + (diagnostic.help.map { "; \($0)" } ?? ""),
          place: Place(file.source, diagnostic.span, root: root), identity: diagnostic.message)
      }
    }
  }

  /// Returns the failures of a run, in the order of the steps: steps that failed or timed out, and steps that were late
  /// for the gate. If the run itself failed or no step explains its end, the last finding is about the run.
  static func all(in account: RunAccount, root: String? = repository) -> [Finding] {
    let late = Set(account.report.gate.late)
    var findings: [Finding] = []
    for (index, step) in account.steps.enumerated() {
      // If a step of an included file has failed, its failure is reported rather than that of the including step.
      let isTold = step.failure?.code == "include-failed" && step.attempts == 0
      let hasFailed = !isTold && (step.outcome == .failure || step.outcome == .timedOut)
      guard hasFailed || late.contains(step.id) else { continue }
      let place = Place(account: account, StepIndex(index), root: root)
      if hasFailed {
        let word = step.outcome == .failure ? "failed" : "timed out"
        findings.append(
          Finding(
            severity: step.conclusion == .success ? .warning : .error, code: step.failure?.code ?? step.outcome.word,
            title: "step '\(step.id)' \(word)", message: step.failure?.message ?? "The step \(word)", place: place,
            identity: step.id.text))
      } else {
        let limit = account.report.gate.max.map { " of \(Milliseconds.text($0))" } ?? ""
        findings.append(
          Finding(
            severity: account.isTooLate ? .error : .warning, code: "late", title: "step '\(step.id)' is late",
            message: "The gate opened at its maximum\(limit) before this step had finished", place: place,
            identity: step.id.text))
      }
    }
    if let failure = account.failure(isExplained: findings.contains { $0.severity == .error }) {
      let isCancelled = account.report.conclusion == .cancelled
      let word = failure.code == RunReport.timedOut ? "timed out" : isCancelled ? "was cancelled" : "failed"
      findings.append(
        Finding(
          severity: .error, code: failure.code, title: "the run \(word)",
          message: failure.message,
          place: Place(file: account.file, TextLocation(line: 1, column: 1), root: root), identity: "the run"))
    }
    return findings
  }
}

extension Finding.Place {
  /// Creates the location where a step is defined. If that is unknown, it is the first line of the workflow.
  fileprivate init(account: RunAccount, _ step: StepIndex, root: String?) {
    if let (source, span) = account.loaded?.definition(of: step) {
      self.init(source, span, root: root)
    } else if let location = account.loaded?.compiledLocation(of: step) {
      self.init(file: FilePath.folder(of: account.file) + "/" + location.file, location.position, root: root)
    } else {
      self.init(file: account.file, TextLocation(line: 1, column: 1), root: root)
    }
  }
}

extension LoadResult {
  /// Returns the location of a step, such as `release.yaml:5`, or nil if it is unknown. The path of a file below the
  /// working folder is relative to that folder.
  func place(of step: StepID) -> String? {
    let id = step.item?.step ?? step
    guard let index = graph?.workflow.steps.firstIndex(where: { $0.id == id }) else { return nil }
    if let (source, span) = definition(of: StepIndex(index)) {
      let file = FilePath.path(of: source.file, below: FilePath.normalized(".")) ?? source.file
      return TerminalText.visible("\(file):\(LineTable(source).location(of: span.start).line)")
    }
    return compiledLocation(of: StepIndex(index)).map { TerminalText.visible("\($0.file):\($0.position.line)") }
  }
}
