import BasicsPlugin
import FlowKit
import FlowSyntax
import Foundation

/// A workflow for tests, in the form that the build plugin generates.
struct TestLaunch: PackagedWorkflow {
  struct Inputs: WorkflowInputs {
    var values: ValueObject { [:] }
  }

  struct Outputs: WorkflowOutputs {
    var said: String?
    init(values: ValueObject) { said = values["said"]?.stringValue }
  }

  static let compiled = Workflow.compiled(
    """
    name: launch
    deadline: { min: 2s, max: 5s }
    events: [bell.rung, door.opened]
    steps:
      greet: { uses: flow.set, with: { values: { said: hello } } }
      later: { uses: flow.noop, defer: true, after: bell.rung }
      last: { uses: flow.noop, defer: true, after: door.opened }
    outputs: { said: "${{ steps.greet.outputs.said }}" }
    """, Engine { BasicsPlugin() })
}

enum Bell: String, EventName {
  case rung = "bell.rung"
}

enum Workflow {
  /// Returns the compiled bytes of a workflow, or an empty array if it has errors.
  static func compiled(_ text: String, _ engine: Engine) -> [UInt8] {
    WorkflowLoader(catalog: engine.registry).load(bytes: Array(text.utf8), file: "launch.yaml").compiled?.bytes ?? []
  }
}

func runOptions(clock: VirtualClock? = nil) -> RunOptions {
  let folder = FileManager.default.temporaryDirectory.path + "/flowrun-apple-\(UUID().uuidString)"
  var options = RunOptions(dataFolder: folder, workflowFolder: folder)
  options.clock = clock
  return options
}
