import FlowCommandKit
import FlowDiagnostics
import FlowSystem

/// Where a run is written when it has ended, besides the terminal.
struct RunOutputs: Hashable {
  /// The file of the report.
  var report: String?
  /// The file of the Chrome trace.
  var trace: String?
  /// The file of the JUnit report.
  var junit: String?
  /// Where findings go that have a line in a workflow file.
  var findings = FindingOutputs()
  /// The server of OpenTelemetry traces, as a URL.
  var otlp: String?

  /// The files by the option that names each.
  var files: [(option: String, path: String)] {
    let all = [
      ("--report", report), ("--trace", trace), ("--junit", junit), (FindingOutputs.option, findings.codeQuality),
    ]
    return all.compactMap { option, path in path.map { (option, $0) } }
  }

  /// Whether the run is kept somewhere, so that it continues when the reader of standard output has gone.
  var isKept: Bool { !files.isEmpty || otlp != nil || findings.annotations != nil }

  /// Throws what is known to be wrong before anything runs: a file that cannot be written, that another option names, too, or
  /// that is one of `workflows`; an address that is not one.
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

/// Where findings go that have a line in a workflow file: of a run, its failed steps; of a check, its diagnostics.
struct FindingOutputs: Hashable {
  /// The system that annotates lines with them.
  var annotations: AnnotationSystem?
  /// The file of GitLab's code quality report.
  var codeQuality: String?

  static let option = "--code-quality"

  /// Whether nothing is asked for.
  var isEmpty: Bool { annotations == nil && codeQuality == nil }

  /// Writes the findings, annotations to standard error; throws a ``FileProblem`` for a file that cannot be written.
  func write(_ findings: [Finding]) throws(FileProblem) {
    switch annotations {
    case .github: StandardOutput.writeError(GitHubAnnotations.text(findings))
    case nil: break
    }
    if let codeQuality { try OutputFile.write(CodeQuality.bytes(findings), to: codeQuality) }
  }
}

/// The systems that flowrun writes annotations for.
enum AnnotationSystem: String, CaseIterable {
  case github
}
