import ArgumentParser
import FlowModel
import FlowStore
import FlowSyntax
import FlowSystem

/// `flowrun logs RUN`: everything that the steps of a run printed.
struct LogsCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "logs", abstract: "Prints what the steps of a run printed.",
    discussion: """
      Examples:
        flowrun logs
        flowrun logs last-failed --step test
        flowrun logs last --follow
      """)

  @Argument(help: "The run; default: the last.", completion: Completions.runs)
  var run = "last"

  @Flag(name: .shortAndLong, help: "Goes on until the run has ended.")
  var follow = false

  @Option(help: "Only this step.", completion: Completions.steps)
  var step: String?

  @OptionGroup var place: RunPlace
  @OptionGroup var plugins: PluginArguments

  /// How often a run that goes on is looked at.
  private static let lookMilliseconds = 200

  func perform() async throws {
    let store = try place.open()
    let found = try RunReference.find(run, in: try store.list(RunFilter()))
    if let step {
      let catalog = try Installation(around: found.file, given: plugins.folders).registry
      let loaded = WorkflowLoader(catalog: catalog).load(bytes: try store.definition(of: found.id), file: found.file)
      if let workflow = loaded.graph?.workflow, !workflow.steps.contains(where: { $0.id.text == step }) {
        throw UsageProblem(RunsCommand.Show.unknown(step, workflow))
      }
    }
    let style = TextStyle(isColored: StandardOutput.allowsColor)
    var shown = 0
    while true {
      // How it stands is asked first: what is written between is then among the chunks.
      let isRunning = try store.run(found.id)?.state == .running
      let chunks = try store.chunks(of: found.id)
      StandardOutput.write(RunLog(chunks: Array(chunks[min(shown, chunks.count)...]), step: step, style: style).text)
      shown = chunks.count
      guard follow, isRunning, !StandardOutput.isLost else { return }
      try await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
    }
  }
}
