import ArgumentParser
import FlowCommandKit
import FlowEngine
import FlowModel
import FlowStore
import FlowSyntax
import FlowSystem

/// `flowrun logs RUN`: prints the output of the steps of a run.
struct LogsCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "logs", abstract: "Prints the output of the steps of a run.",
    discussion: """
      Examples:
        flowrun logs
        flowrun logs last --failed
        flowrun logs last-failed --step test
        flowrun logs last --follow
      """)

  @Argument(help: ArgumentHelp("The run; default: the last.", valueName: "RUN"), completion: Completions.runs)
  var run = "last"

  @Flag(name: .shortAndLong, help: "Keeps printing until the run has ended.")
  var follow = false

  @Option(help: ArgumentHelp("Only this step.", valueName: "STEP"), completion: Completions.steps)
  var step: String?

  @Flag(help: "Only the steps that failed, each with the cause.")
  var failed = false

  @OptionGroup var place: RunPlace
  @OptionGroup var plugins: PluginArguments

  /// The interval at which a run in progress is checked for new lines.
  private static let lookMilliseconds = 200

  func perform() async throws {
    guard !failed || step == nil && !follow else {
      throw UsageProblem("--failed shows the steps that have failed so far; leave --step and --follow out")
    }
    let store = try place.open()
    let found = try RunReference.find(run, in: try store.list(RunFilter()))
    let style = TextStyle(isColored: StandardOutput.allowsColor)
    if failed {
      let recorded = try self.recorded(found, store)
      let steps = recorded.report.troubledSteps.filter(\.isFailed)
      let log = RunLog(chunks: recorded.chunks, style: style)
      let none = "no step of run \(RunReference.short(found.id)) failed\n"
      return StandardOutput.write(steps.isEmpty ? none : log.text(ofFailed: steps))
    }
    if let step {
      let catalog = try Installation(around: found.file, given: plugins.folders).registry
      let loaded = WorkflowLoader(catalog: catalog).load(bytes: try store.definition(of: found.id), file: found.file)
      if let workflow = loaded.graph?.workflow, !workflow.steps.contains(where: { $0.id.text == step }) {
        throw UsageProblem(LoadedWorkflow.unknownStep(step, workflow))
      }
    }
    let follower = LogFollower(found.id, in: store)
    let items = ItemNames()
    while true {
      let news = try follower.read()
      let text = RunLog(lines: news.lines, style: style, items: items).text(ofStep: step)
      StandardOutput.write(text)
      if let step, text.isEmpty, !follow { explain(step, found, store, style) }
      guard follow, news.isRunning, !StandardOutput.isLost else { return }
      try await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
    }
  }

  /// Prints the reason why a step without output failed, if it did.
  private func explain(_ step: String, _ run: StoredRun, _ store: any RunStore, _ style: TextStyle) {
    let troubled = (try? recorded(run, store))?.report.troubledSteps ?? []
    if let failed = troubled.first(where: { $0.id.text == step && $0.isFailed }) {
      StandardOutput.write(RunLog(chunks: [], style: style).cause(of: failed, hasLines: false))
    } else {
      StandardOutput.writeError("flowrun: step '\(step)' printed nothing in run \(RunReference.short(run.id))\n")
    }
  }

  private func recorded(_ run: StoredRun, _ store: any RunStore) throws -> HistoryRun {
    try HistoryRun(run, store, try Installation(around: run.file, given: plugins.folders))
  }
}
