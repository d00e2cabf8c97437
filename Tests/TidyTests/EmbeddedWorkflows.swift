import BasicsPlugin
import FlowKitYAML

/// The output that the build plugin would generate for the first workflow in docs/embedding.md.
enum Workflows {
  static let launch = Launch()

  struct Launch: PackagedWorkflow {
    struct Inputs: WorkflowInputs {
      var values: ValueObject { [:] }
    }

    struct Outputs: WorkflowOutputs {
      init(values: ValueObject) {}
    }

    /// The compiled workflow. Empty if the workflow on the page is invalid.
    static let compiled: [UInt8] = {
      let text = try? Block.all(in: Repository.text("docs/embedding.md")).first { $0.language == "yaml" }?.text
      let loader = WorkflowLoader(catalog: Engine { BasicsPlugin() }.registry)
      return loader.load(bytes: Array((text ?? "").utf8), file: "launch.yaml").compiled?.bytes ?? []
    }()
  }
}

enum Events: String, EventName {
  case mapFirstUse = "map.first-use"
}
