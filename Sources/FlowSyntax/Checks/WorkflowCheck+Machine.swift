import FlowDiagnostics
import FlowModel

/// Steps that take resources of the machine: that they are such as end and give it back.
extension WorkflowCheck {
  mutating func checkMachineResources() {
    var requests: Set<MachineResources> = []
    for step in workflow.steps.indices where workflow.steps[step].hasOptions {
      let options = workflow.steps[step].options
      guard let request = options.request, node(.resources, of: step) != nil, !isSettled else { continue }
      if requests.insert(request).inserted, requests.count == Limits.requests + 1 {
        report(
          .outOfRange, "there are more than \(Limits.requests) different 'resources'", at: span(.resources, of: step),
          help: "round them up, so that steps share some")
      }
      if options.queue == Queue.main {
        report(
          .conflictingKeys,
          "step '\(name(step))' cannot have 'resources': it runs on the main thread, of which there is one",
          at: span(.resources, of: step), related: [.init(span(.queue, of: step), "it is in the queue 'main' here")],
          help: "remove one of the two")
      }
      if let declaration = actions.declaration(ofStep: step), declaration.isService {
        report(
          .conflictingKeys,
          "step '\(name(step))' cannot have 'resources': '\(declaration.name)' is a service, which keeps running after its step",
          at: span(.resources, of: step), related: [.init(span(.uses, of: step), "it uses '\(declaration.name)' here")],
          help: "leave 'resources' out; a service would never return them")
      }
    }
  }
}
