import FlowCommandKit
import FlowDiagnostics
import FlowSyntax

/// The output of `flowrun` without arguments: the steps of `flowrun.yaml` with their descriptions, or a short help if
/// there is no such file.
enum StepList {
  /// Writes the output. The file's text is read, but nothing is checked or run.
  static func write() throws {
    guard let file = try DefaultWorkflow.find() else { return StandardOutput.write(FlowCommand.shortHelp) }
    guard let overview = StepOverview(try FileAccess.read(file), file: file) else {
      throw InvalidWorkflow(
        description: "flowrun: \(file) is not a workflow; 'flowrun validate \(file)' says what is wrong\n")
    }
    StandardOutput.write(text(overview, file: file, style: TextStyle(isColored: StandardOutput.allowsColor)))
  }

  /// Returns a title, the steps, one per line, and a line about running them.
  static func text(_ overview: StepOverview, file: String, style: TextStyle) -> String {
    let title = overview.description.map { ": " + TerminalText.visible($0) } ?? ""
    var text = style.bold("Steps of \(file)") + title + "\n"
    let names = overview.steps.map { TerminalText.visible($0.id) }
    let width = min(32, names.reduce(0) { max($0, TerminalText.columns(of: $1)) })
    for (name, step) in zip(names, overview.steps) {
      let description = step.description.map { "  " + style.dim(TerminalText.visible($0)) } ?? ""
      text += "  " + (description.isEmpty ? name : name.padded(to: width)) + description + "\n"
    }
    return text
      + "\nflowrun STEP… runs steps with all that they need, flowrun \(file) all steps. flowrun --help lists the "
      + "subcommands.\n"
  }
}
