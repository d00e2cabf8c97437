import FlowCommandKit
import FlowDiagnostics
import FlowSystem

/// The requested outputs of a finished run, except for the terminal.
struct RunOutputs: Hashable {
  var reports: [String] = []
  var traces: [String] = []
  var junits: [String] = []
  /// The requested outputs for findings.
  var findings = FindingOutputs()
  /// The URLs of the servers that receive OpenTelemetry traces.
  var otlps: [String] = []

  /// The files to write, each with the option that names it.
  var files: [(option: String, path: String)] {
    let all = [
      ("--report", reports), ("--trace", traces), ("--junit", junits), (FindingOutputs.option, findings.codeQuality),
    ]
    var files: [(option: String, path: String)] = []
    for (option, paths) in all { for path in paths { files.append((option, path)) } }
    return files
  }

  /// True if there is an output other than standard output, so that the run continues even if the reader of standard
  /// output ends.
  var isKept: Bool { !files.isEmpty || !otlps.isEmpty || findings.annotations != nil }

  /// Throws if there is a mistake that is evident before anything runs: an invalid address, or a file that cannot be
  /// written, is named twice or is one of `workflows`.
  func check(among workflows: [String]) throws {
    let files = files
    for (index, (option, path)) in files.enumerated() {
      guard !path.isEmpty else { throw UsageProblem("\(option) is empty; name a file") }
      guard !workflows.contains(where: { FilePath.areSame(path, $0) }) else {
        throw UsageProblem("\(option) '\(path)' would overwrite the workflow; name another file")
      }
      if let other = files[..<index].first(where: { FilePath.areSame($0.path, path) }) {
        let options = other.option == option ? "two \(option)" : "\(other.option) and \(option)"
        throw UsageProblem("\(options) name the same file, '\(other.path)'; name two")
      }
    }
    for (_, path) in files { try OutputFile.check(path) }
    for otlp in otlps { _ = try TraceServer(otlp) }
  }
}

/// The requested outputs for findings, which are failed steps of a run or diagnostics of a check.
struct FindingOutputs: Hashable {
  /// The system that shows findings as annotations, or nil if none does.
  var annotations: AnnotationSystem?
  /// The paths of the files for GitLab's code quality report.
  var codeQuality: [String] = []

  static let option = "--code-quality"

  var isEmpty: Bool { annotations == nil && codeQuality.isEmpty }

  /// Writes the findings to files, and as annotations to standard error. Throws a ``FileProblem`` if a file cannot be
  /// written.
  func write(_ findings: [Finding]) throws(FileProblem) {
    switch annotations {
    case .github: StandardOutput.writeError(GitHubAnnotations.text(findings))
    case nil: break
    }
    for path in codeQuality { try OutputFile.write(CodeQuality.bytes(findings), to: path) }
  }
}

/// The systems that show findings as annotations.
enum AnnotationSystem: String, CaseIterable {
  case github
}
