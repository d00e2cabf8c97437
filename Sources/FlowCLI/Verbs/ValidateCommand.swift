import ArgumentParser
import FlowDiagnostics
import FlowModel
import FlowSyntax

/// `flowrun validate FILE…`: every diagnostic of every file.
struct ValidateCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "validate", abstract: "Checks workflow files without running anything.",
    discussion: "Exit code 2 when any file has an error or cannot be read.")

  /// How diagnostics are written.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, sarif
  }

  @Argument(help: "The workflow files.")
  var files: [String]

  @Option(help: "text, json (an array of diagnostics) or sarif (2.1.0).")
  var format = Format.text

  @OptionGroup var plugins: PluginArguments

  func perform() async throws {
    var reports: [DiagnosticReport.File] = []
    var isValid = true
    var summaries = ""
    for file in files {
      let installation = try Installation(around: file, given: plugins.folders)
      do throws(FileProblem) {
        let bytes = try FileAccess.read(file)
        let result = WorkflowLoader(catalog: installation.registry).load(bytes: bytes, file: file)
        if result.graph == nil { installation.explainUnusable() }
        let problems = result.graph.map { installation.programProblems(of: $0.workflow) } ?? []
        isValid = isValid && result.graph != nil && problems.isEmpty
        reports.append(
          DiagnosticReport.File(
            source: result.source,
            diagnostics: result.diagnostics + LaunchScreenCheck.diagnostics(of: result, file: file)))
        // Several workflows may use one plugin.
        reports += problems.filter { problem in !reports.contains { $0.source.file == problem.source.file } }
        if problems.isEmpty, let steps = result.graph?.workflow.steps.count {
          summaries += "\(TerminalText.visible(file)): valid, \(steps) step\(steps == 1 ? "" : "s")\n"
        }
      } catch {
        isValid = false
        StandardOutput.writeError("flowrun: cannot read the workflow \(error)\n")
      }
    }
    let report = DiagnosticReport(reports)
    switch format {
    case .text:
      StandardOutput.write(report.text(usesColor: StandardOutput.allowsColor) + summaries)
      if report.files.contains(where: { !$0.diagnostics.isEmpty }) { StandardOutput.write(report.summary + "\n") }
    case .json: StandardOutput.write(json: report.json(), layout: .indented)
    case .sarif: StandardOutput.write(json: report.sarif(), layout: .indented)
    }
    if !isValid { ExitStatus.invalidWorkflow.exit() }
  }
}
