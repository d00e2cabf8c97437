import ArgumentParser
import FlowCommandKit
import FlowCompiled
import FlowDiagnostics
import FlowModel
import FlowSyntax
import FlowSystem

/// `flowrun compile FILE` checks a workflow and writes it to a file that is loaded without a YAML parser.
struct CompileCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "compile", abstract: "Writes a checked workflow as a file that loads without YAML, for apps.",
    discussion: """
      An app loads the file with WorkflowGraph(compiled:). The commands that take a workflow file take a compiled one, too. \
      Relative paths in the workflow start at the folder of the compiled file, so keep it next to the files that it names.
      Examples:
        flowrun compile launch.yaml
        flowrun compile launch.yaml -o Resources/launch.flow
      """)

  @Argument(help: ArgumentHelp("The workflow file.", valueName: "FILE"), completion: Completions.files)
  var file: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; default: FILE with the ending .flow.", valueName: "FILE"))
  var output: String?

  @OptionGroup var plugins: PluginArguments

  func perform() async throws {
    let output = output ?? Self.defaultOutput(for: file)
    guard !FilePath.areSame(output, file) else {
      throw UsageProblem("-o \(output): that is the workflow itself; name another file")
    }
    let loaded = try LoadedWorkflow.loadWithText(file, try Installation(around: file, given: plugins.folders)).loaded
    guard !CompiledWorkflow.isCompiled(loaded.definition), let compiled = loaded.compiled else {
      throw UsageProblem("'\(file)' is compiled already; name the YAML file")
    }
    let written = try OutputFile(output)
    try written.write(compiled.bytes)
    try written.finish()
  }

  /// Returns the file name with the extension `.flow` in place of `.yaml` or `.yml`.
  private static func defaultOutput(for file: String) -> String {
    let ending = [".yaml", ".yml"].first { file.hasSuffix($0) } ?? ""
    return String(file.dropLast(ending.count)) + ".flow"
  }
}
