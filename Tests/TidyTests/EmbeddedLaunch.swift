import BasicsPlugin
import FlowKit

/// Runs the launch, shows the screen when the gate opens, and posts an event when the map is opened.
func launch(dataFolder: String) async throws -> RunReport {
  let engine = Engine { BasicsPlugin() }
  let folder = try DataFolder(making: dataFolder)
  var options = RunOptions(dataFolder: folder.path, workflowFolder: folder.path)
  options.acceptsEvents = true
  let run = try engine.start(Workflows.launch, .init(), options: options)

  let gate = await run.gate
  print("the gate opened \(gate.outcome.word)")

  run.post(Events.mapFirstUse)
  run.finishPosting()
  return await run.report
}
