import FlowCommandKit
import FlowDiagnostics
import FlowSystem

/// The outputs of a finished run, in addition to the terminal.
struct RunOutputs: Hashable {
  var report: String?
  var trace: String?
  var junit: String?
  /// The outputs for findings with a line in a workflow file.
  var findings = FindingOutputs()
  /// The URL of the server for OpenTelemetry traces.
  var otlp: String?

  /// The files with the names of their options.
  var files: [(option: String, path: String)] {
    let all = [
      ("--report", report), ("--trace", trace), ("--junit", junit), (FindingOutputs.option, findings.codeQuality),
    ]
    return all.compactMap { option, path in path.map { (option, $0) } }
  }

  /// True if the run has an output other than standard output, so it continues after the reader of that has ended.
  var isKept: Bool { !files.isEmpty || otlp != nil || findings.annotations != nil }

  /// Throws for errors that are known before anything runs: a file that cannot be written, is named twice or is one of
  /// `workflows`; an invalid address.
  func check(among workflows: [String]) throws {
    let files = files
    for (index, (option, path)) in files.enumerated() {
      guard !path.isEmpty else { throw UsageProblem("\(option) is empty; name a file") }
      guard !workflows.contains(where: { FilePath.areSame(path, $0) }) else {
        throw UsageProblem("\(option) '\(path)' would overwrite the workflow; name another file")
      }
      if let other = files[..<index].first(where: { FilePath.areSame($0.path, path) }) {
        throw UsageProblem("\(other.option) and \(option) name the same file, '\(other.path)'; name two")
      }
    }
    for (_, path) in files { try OutputFile.check(path) }
    if let otlp { _ = try TraceServer(otlp) }
  }
}

/// The outputs for findings with a line in a workflow file: failed steps of a run, or diagnostics of a check.
struct FindingOutputs: Hashable {
  /// The system that shows findings as annotations.
  var annotations: AnnotationSystem?
  /// The file of GitLab's code quality report.
  var codeQuality: String?

  static let option = "--code-quality"

  /// True if no output is requested.
  var isEmpty: Bool { annotations == nil && codeQuality == nil }

  /// Writes the findings; annotations are written to standard error. Throws a ``FileProblem`` for a file that cannot be
  /// written.
  func write(_ findings: [Finding]) throws(FileProblem) {
    switch annotations {
    case .github: StandardOutput.writeError(GitHubAnnotations.text(findings))
    case nil: break
    }
    if let codeQuality { try OutputFile.write(CodeQuality.bytes(findings), to: codeQuality) }
  }
}

/// The systems with support for annotations.
enum AnnotationSystem: String, CaseIterable {
  case github
}
