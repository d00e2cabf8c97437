import FlowDiagnostics
import FlowModel

/// Steps that take a share of the machine: that they are such as end and give it back.
extension WorkflowCheck {
  mutating func checkShares() {
    var shares: Set<MachineShare> = []
    for step in workflow.steps.indices where workflow.steps[step].hasOptions {
      let options = workflow.steps[step].options
      guard let share = options.share, node(.resources, of: step) != nil, !isSettled else { continue }
      if shares.insert(share).inserted, shares.count == Limits.shares + 1 {
        report(
          .outOfRange, "there are more than \(Limits.shares) different 'resources'", at: span(.resources, of: step),
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
          "step '\(name(step))' cannot have 'resources': '\(declaration.name)' is a service, which goes on behind its step",
          at: span(.resources, of: step), related: [.init(span(.uses, of: step), "it uses '\(declaration.name)' here")],
          help: "leave 'resources' out; the run would never have back what a service takes")
      }
    }
  }
}
