import FlowDiagnostics
import FlowModel

/// Checks `resources`. Services cannot have them, because they would not release them before the end of the run.
extension WorkflowCheck {
  mutating func checkMachineResources() {
    var requests: Set<MachineResources> = []
    var ownQueues = 0
    for step in workflow.steps.indices where workflow.steps[step].hasOptions {
      let options = workflow.steps[step].options
      if options.request.map({ $0.memoryBytes > 0 }) == true, let text = options.executor,
        (try? ExecutorAddress(text))?.statesMemory == true, node(.executor, of: step) != nil, !isSettled
      {
        report(
          .conflictingKeys, "step '\(name(step))' says how much memory it takes in 'resources' and in 'executor'",
          at: span(.executor, of: step), related: [.init(span(.resources, of: step), "its 'resources' are here")],
          help: "write 'memory' in 'resources' only")
      }
      guard let request = options.request, node(.resources, of: step) != nil, !isSettled else { continue }
      let isNew = requests.insert(request).inserted
      if !options.laterRequests.isEmpty { ownQueues += 1 }
      if isNew || !options.laterRequests.isEmpty, requests.count + ownQueues == Limits.requests + 1 {
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
