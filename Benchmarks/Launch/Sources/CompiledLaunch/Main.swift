import FlowKit
import Stopwatch

/// Runs the launch from a workflow that was compiled into this program: `CompiledLaunch FOLDER`.
@main enum Main {
  static func main() async throws {
    let stopwatch = Stopwatch()
    let engine = Engine { LaunchPlugin(Steps()) }
    let folder = CommandLine.arguments[1]
    var options = RunOptions(dataFolder: folder, workflowFolder: folder)
    options.acceptsEvents = true
    let run = try engine.start(Workflows.launch, .init(), options: options, events: .none)
    stopwatch.finish(await run.gate.outcome.word)
  }
}

/// The action of every step of the launch, which does nothing.
private struct Steps: LaunchActions {
  func step(in context: ActionContext) {}
}
