import FlowKitYAML
import BasicsPlugin

/// Loads a workflow, posts an event when the map is opened, and shows the screen when the gate opens.
func launch(workflow path: String, dataFolder: String) async throws -> RunReport {
  let engine = Engine(plugins: [BasicsPlugin()])
  let graph = try engine.load(path)
  let folder = try DataFolder(making: dataFolder)
  var options = RunOptions(dataFolder: folder.path, workflowFolder: dataFolder)
  options.acceptsEvents = true
  let run = try engine.start(graph, options: options)

  let gate = await run.gate
  print("the gate opened \(gate.outcome.word)")

  run.post("map.first-use")
  run.finishPosting()
  return await run.report
}
