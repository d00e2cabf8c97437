import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowSyntax
import FlowSystem

/// A problem at a line of a workflow file: a diagnostic, or a step that failed.
struct Finding {
  /// How bad it is: an error fails the run or the check.
  var severity: Diagnostic.Severity
  /// The rule or the error code.
  var code: String
  /// A few words for a headline.
  var title: String
  /// What is wrong, perhaps in several lines.
  var message: String
  /// Where it is.
  var place: Place
  /// What stays the same while lines move and messages change; the step, or the message itself.
  var identity: String

  /// A place in a file.
  struct Place {
    /// The path from the root of the repository, where that is known.
    var file: String
    /// The line and the column in code points, both from 1.
    var location: TextLocation

    /// The start of a span.
    init(_ source: SourceText, _ span: TextSpan, root: String?) {
      self.init(file: source.file, LineTable(source).location(of: span.start), root: root)
    }

    /// A location in a file that the user named by this path.
    init(file: String, _ location: TextLocation, root: String?) {
      self.file = Self.relative(file, to: root)
      self.location = location
    }

    /// The path from `root`, else from the working folder; the absolute one where the file is outside.
    private static func relative(_ file: String, to root: String?) -> String {
      let path = FilePath.normalized(file)
      for folder in [root.map(FilePath.real), root, FilePath.absolute(".")].compactMap({ $0 }) {
        let start = FilePath.normalized(folder) + "/"
        if path.hasPrefix(start) { return String(path.dropFirst(start.count)) }
      }
      return path
    }
  }
}

extension Finding {
  /// The folder of the repository in GitHub's and GitLab's jobs; nil elsewhere.
  static var repository: String? { Environment.value("GITHUB_WORKSPACE") ?? Environment.value("CI_PROJECT_DIR") }

  /// What was found in files, in their order.
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

  /// What went wrong in a run, in the order of its steps: those that failed or timed out, and those that the gate did not
  /// wait for any longer.
  static func all(in account: RunAccount, root: String? = repository) -> [Finding] {
    let late = Set(account.report.gate.late)
    var findings: [Finding] = []
    for (index, step) in account.steps.enumerated() {
      // An include that failed because of its steps has nothing to add to what these say.
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
            severity: .warning, code: "late", title: "step '\(step.id)' is late",
            message: "The gate opened at its maximum\(limit) before this step had finished", place: place,
            identity: step.id.text))
      }
    }
    return findings
  }
}

extension Finding.Place {
  /// Where a step is defined; the first line of the workflow where that is not known.
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
  /// The place of a step, such as `release.yaml:5`, from the working folder if it is below that; nil if it is not known.
  func place(of step: StepID) -> String? {
    let id = step.item?.step ?? step
    guard let index = graph?.workflow.steps.firstIndex(where: { $0.id == id }) else { return nil }
    if let (source, span) = definition(of: StepIndex(index)) {
      let here = FilePath.normalized(".") + "/"
      let file = source.file.hasPrefix(here) ? String(source.file.dropFirst(here.count)) : source.file
      return TerminalText.visible("\(file):\(LineTable(source).location(of: span.start).line)")
    }
    return compiledLocation(of: StepIndex(index)).map { TerminalText.visible("\($0.file):\($0.position.line)") }
  }
}
