import FlowCommandKit
import FlowEngine
import FlowModel
import FlowSyntax

extension RunOutputs {
  var needsAccount: Bool { !junits.isEmpty || !findings.isEmpty || !otlps.isEmpty }

  /// Writes the run to all requested files. Prints errors to standard error. Returns false if there were any. `account`
  /// is nil if no output needs it.
  func write(_ report: RunReport, _ account: RunAccount?, trace recorder: TraceRecorder?) -> Bool {
    var areWritten = true
    func attempt(_ body: () throws(FileProblem) -> Void) {
      do throws(FileProblem) {
        try body()
      } catch {
        StandardOutput.writeError("flowrun: cannot write \(error)\n")
        areWritten = false
      }
    }
    for path in reports { attempt { () throws(FileProblem) in try Self.write(report, to: path) } }
    if !traces.isEmpty {
      // A run that has not started has an empty trace.
      let bytes = (recorder ?? TraceRecorder()).bytes
      for path in traces { attempt { () throws(FileProblem) in try OutputFile.write(bytes, to: path) } }
    }
    guard let account else { return areWritten }
    for path in junits {
      attempt { () throws(FileProblem) in try OutputFile.write(JUnitReport(account).bytes, to: path) }
    }
    if !findings.isEmpty {
      let diagnostics = account.loaded.map { Finding.all(in: DiagnosticReport($0)) } ?? []
      attempt { () throws(FileProblem) in try findings.write(diagnostics + Finding.all(in: account)) }
    }
    if findings.annotations == .github, let path = Environment.value("GITHUB_STEP_SUMMARY") {
      attempt { () throws(FileProblem) in try Self.addSummary(of: account, to: path) }
    }
    return areWritten
  }

  /// Removes the output files of an earlier run. This run did not start or ended at once, and they might be mistaken
  /// for its output.
  ///
  /// - Parameter keepsFindings: True if the file for findings has already been written for this run.
  func removeOld(keepsFindings: Bool = false) {
    for (option, path) in files where !keepsFindings || option != FindingOutputs.option { OutputFile.removeOld(path) }
  }

  /// Removes the output files of an earlier run before the workflows of this one are known. A file is kept if it may be
  /// a workflow or anything else that runs do not write.
  func removeOldOutputs() {
    for (_, path) in files where OutputFile.isOutput(path) { OutputFile.removeOld(path) }
  }

  /// Sends the run as a trace if that is requested. A problem is printed to standard error and does not change the
  /// result of the run.
  func export(_ account: RunAccount, _ context: TraceContext?) {
    guard let context else { return }
    let servers = otlps.compactMap { try? TraceServer($0) }
    let warnings = [context.problem] + servers.map { TraceExport.send(RunSpans(account, context), context, to: $0) }
    for case let warning? in warnings { StandardOutput.writeError("flowrun: warning: \(warning)\n") }
  }

  private static func write(_ report: RunReport, to path: String) throws(FileProblem) {
    guard !path.hasSuffix(".html") else {
      guard let page = CommandParts.current.reportPage?(report) else {
        throw FileProblem(path: path, cause: "this program writes no pages", .write)
      }
      return try OutputFile.write(Array(page.utf8), to: path)
    }
    let file = try OutputFile(path)
    try report.write { (bytes) throws(FileProblem) in try file.write(bytes) }
    try file.finish()
  }

  /// Appends the summary to those that earlier commands have written in the same step of the job. GitHub limits their
  /// total size.
  private static func addSummary(of account: RunAccount, to path: String) throws(FileProblem) {
    let text = GitHubSummary.text(account, room: GitHubSummary.limitBytes - FileAccess.size(path))
    guard !text.isEmpty else {
      return StandardOutput.writeError(
        "flowrun: warning: the summary of the run is left out: '\(path)' holds nearly 1 MiB, and GitHub shows no more\n"
      )
    }
    let file = try OutputFile(appendingTo: path)
    try file.write(Array(text.utf8))
    try file.finish()
  }
}
