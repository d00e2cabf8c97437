import ArgumentParser
import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowSyntax

/// `flowrun validate FILE…` checks files and prints all diagnostics.
struct ValidateCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "validate", abstract: "Checks workflow files without running anything.",
    discussion: """
      In a folder, all workflows are checked: the YAML files with a line that begins with 'steps:'. A schema of records, \
      *.sync.yaml, is checked too. Exit code 2 if a file has an error or cannot be read.
      Examples:
        flowrun validate workflows
        flowrun validate launch.yaml --watch
        flowrun validate launch.yaml --format sarif
        flowrun validate workflows --annotations github
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, sarif
  }

  @Argument(
    help: ArgumentHelp("The workflow files, or folders of them.", valueName: "FILE"), completion: Completions.files)
  var files: [String]

  @Option(help: ArgumentHelp("text, json (an array of diagnostics) or sarif (2.1.0).", valueName: "FORMAT"))
  var format = Format.text

  @Option(
    help: ArgumentHelp(
      "Lists which steps would run there, as with flowrun run --on, and why others run here.", valueName: "EXECUTOR"))
  var on: String?

  @Flag(help: "Checks again at each save, until Ctrl-C.")
  var watch = false

  @OptionGroup var findings: FindingArguments
  @OptionGroup var plugins: PluginArguments

  func perform() async throws {
    try CommandParts.current.executors.check(on)
    try RunOutputs(findings: findings.outputs).check(among: files)
    guard watch else {
      if try !check() { ExitStatus.invalidWorkflow.exit() }
      return
    }
    guard format == .text else { throw UsageProblem("--watch writes text; leave out --format") }
    while !StandardOutput.hasFailed {
      // The state of the files is read before the check, so that changes during the check are detected as well.
      var changes = FileWatch(WatchedFiles(workflows: files, pluginFolders: plugins.folders))
      if StandardOutput.isTerminal { StandardOutput.draw("\u{1B}[2J\u{1B}[H") }
      do {
        _ = try check()
      } catch let problem as FileProblem {
        StandardOutput.writeError("flowrun: cannot \(problem.purpose.rawValue) \(problem)\n")
      } catch let problem as InvalidWorkflow {
        StandardOutput.writeError(problem.description)
      }
      StandardOutput.write("watching for changes; press Ctrl-C to stop\n")
      guard await changes.change() != nil else { return }
    }
  }

  /// Returns an error if a step that uses resources of this machine requests more than the machine has, or nil. The
  /// error does not make the file invalid.
  private static func shortage(
    of graph: WorkflowGraph, _ placement: StepPlacement
  ) -> PreparedWorkflow.PreparationProblem? {
    do throws(PreparedWorkflow.PreparationProblem) {
      try graph.checkRequests(in: nil) { !placement.countsHere($0) }
      return nil
    } catch {
      return error
    }
  }

  /// Checks all files and prints the diagnostics. Returns true if all files are valid and, with `--on`, all workflows
  /// can run.
  private func check() throws -> Bool {
    let named = try WorkflowFiles(files)
    var reports: [DiagnosticReport.File] = []
    var isValid = true
    var summaries = ""
    for file in named.files {
      let installation = try Installation(around: file, given: plugins.folders)
      do throws(FileProblem) {
        let bytes = try FileAccess.read(file)
        if let check = PluginFiles.check(bytes, file) {
          isValid = isValid && check.summary != nil
          reports.append(check.report)
          if let summary = check.summary { summaries += "\(TerminalText.visible(file)): \(summary)\n" }
          continue
        }
        let check = FileCheck(bytes: bytes, file: file, installation)
        if check.result.graph == nil { installation.explainUnusable() }
        isValid = isValid && check.isValid
        reports.append(check.report)
        // If several workflows use the same plugin, the plugin's problems are reported only once.
        reports += check.others.filter { problem in !reports.contains { $0.source.file == problem.source.file } }
        if check.isValid, let steps = check.result.graph?.workflow.steps.count {
          summaries += "\(TerminalText.visible(file)): valid, \(steps) step\(steps == 1 ? "" : "s")\n"
        }
        if check.isValid, let graph = check.result.graph {
          let placement = StepPlacement(graph.workflow, installation.registry, on: on)
          if let shortage = Self.shortage(of: graph, placement) {
            if on == nil {
              summaries += "  it cannot run on this machine: \(shortage)\n"
            } else {
              isValid = false
              StandardOutput.writeError("\(TerminalText.visible(file)): error: \(shortage)\n")
            }
          }
          if on != nil { summaries += PlacementText.text(graph.workflow, placement) }
        }
      } catch {
        isValid = false
        StandardOutput.writeError("flowrun: cannot read the workflow \(error)\(Completions.question(file))\n")
      }
    }
    let count = named.passedOver
    if count > 0 { summaries += "\(count) YAML file\(count == 1 ? "" : "s") without 'steps' skipped\n" }
    let report = DiagnosticReport(reports)
    switch format {
    case .text:
      StandardOutput.write(report.text(usesColor: StandardOutput.allowsColor) + summaries)
      if report.files.contains(where: { !$0.diagnostics.isEmpty }) { StandardOutput.write(report.summary + "\n") }
    case .json: StandardOutput.write(json: report.json(), layout: .indented)
    case .sarif: StandardOutput.write(json: report.sarif(), layout: .indented)
    }
    try findings.outputs.write(Finding.all(in: report))
    return isValid
  }
}
