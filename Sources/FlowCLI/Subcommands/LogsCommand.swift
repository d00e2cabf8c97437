import ArgumentParser
import FlowCommandKit
import FlowEngine
import FlowModel
import FlowStore
import FlowSyntax
import FlowSystem

/// `flowrun logs RUN` prints the output of a run's steps.
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

  @Option(
    help: ArgumentHelp("Only this step, or one item of it ('convert[3]').", valueName: "STEP"),
    completion: Completions.steps)
  var step: String?

  @Flag(help: "Only the steps that failed, each with the cause.")
  var failed = false

  @OptionGroup var place: RunPlace
  @OptionGroup var plugins: PluginArguments

  /// The interval at which a running run is checked for new lines.
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
    let chosen = try step.map { try self.chosen($0, found, store) }
    let follower = LogFollower(found.id, in: store)
    let items = ItemNames()
    while true {
      let news = try follower.read()
      let text = RunLog(lines: news.lines, style: style, items: items).text(ofStep: chosen)
      StandardOutput.write(text)
      if let chosen, text.isEmpty, !follow { explain(chosen, found, store, style) }
      guard follow, news.isRunning, !StandardOutput.isLost else { return }
      try await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
    }
  }

  /// Returns the name that the log uses for the step or item that the user has named. The name is not checked if the
  /// recorded workflow can no longer be read.
  private func chosen(_ step: String, _ run: StoredRun, _ store: any RunStore) throws -> String {
    guard let recorded = try? recorded(run, store) else {
      return RecordedStep.item(in: step).map { "\($0.step)[\($0.index)]" } ?? step
    }
    // A running run may still get more items from posts, so the index is not checked.
    if follow, let item = RecordedStep.item(in: step) { return "\(item.step)[\(item.index)]" }
    return try RecordedStep(step, of: recorded.graph.workflow, in: recorded).name
  }

  /// Prints why a step or item without output has failed. If it has not failed, reports that it printed nothing.
  private func explain(_ step: String, _ run: StoredRun, _ store: any RunStore, _ style: TextStyle) {
    let item = StepID(unchecked: step).item
    let troubled = (try? recorded(run, store))?.report.troubledSteps ?? []
    let owner = troubled.first { $0.id.text == item?.step.text ?? step && $0.isFailed }
    if let owner, let failed = item.map({ owner.item($0.index) }) ?? owner, failed.isFailed {
      StandardOutput.write(RunLog(chunks: [], style: style).cause(of: failed, hasLines: false))
    } else {
      StandardOutput.writeError(
        "flowrun: \(item == nil ? "step" : "item") '\(step)' printed nothing in run \(RunReference.short(run.id))\n")
    }
  }

  private func recorded(_ run: StoredRun, _ store: any RunStore) throws -> HistoryRun {
    try HistoryRun(run, store, try Installation(around: run.file, given: plugins.folders))
  }
}
