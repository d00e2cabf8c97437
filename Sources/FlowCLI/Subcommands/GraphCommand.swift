import ArgumentParser
import FlowCommandKit
import FlowModel

/// `flowrun graph FILE` draws the steps of a workflow and their dependencies.
struct GraphCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "graph", abstract: "Draws a workflow: steps, gate, deferral, queues.",
    discussion: """
      Examples:
        flowrun graph workflows/launch.yaml
        flowrun graph workflows/launch.yaml --format mermaid
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case mermaid, dot, json, ascii
  }

  @Argument(help: ArgumentHelp("The workflow file.", valueName: "FILE"), completion: Completions.files)
  var file: String

  @Option(help: ArgumentHelp("mermaid, dot, json or ascii.", valueName: "FORMAT"))
  var format = Format.ascii

  @Flag(help: "Draws the files between steps, too: what they produce and read.")
  var files = false

  @OptionGroup var plugins: PluginArguments

  func perform() async throws {
    let graph = try LoadedWorkflow.load(file, try Installation(around: file, given: plugins.folders))
    let drawing = GraphDrawing(graph, showsFiles: files)
    switch format {
    case .mermaid: StandardOutput.write(drawing.mermaid)
    case .dot: StandardOutput.write(drawing.dot)
    case .json: StandardOutput.write(json: drawing.json, layout: .indented)
    case .ascii: StandardOutput.write(drawing.ascii)
    }
  }
}
