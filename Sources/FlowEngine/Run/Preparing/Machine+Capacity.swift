import FlowModel
import FlowPlatform

extension MachineResources {
  /// The resources that this process may use.
  package static var ofThisMachine: MachineResources {
    let machine = Machine()
    return MachineResources(cpus: machine.cpus, memoryBytes: machine.memoryBytes, gpus: machine.gpus)
  }
}

extension WorkflowGraph {
  /// True if a step requests `resources`.
  package var hasRequests: Bool { !steps(stating: .request).isEmpty }

  /// Returns `stated` or, if it is nil, the capacity of this machine. The capacity is unlimited if no step requests
  /// resources.
  func capacity(_ stated: MachineResources?) -> MachineResources {
    stated ?? (hasRequests ? .ofThisMachine : .unlimited)
  }

  /// Throws if a step requests more than the capacity, because the step would wait forever.
  ///
  /// - Parameters:
  ///   - stated: The capacity, or nil for the capacity of this machine.
  ///   - elsewhere: Returns true for steps whose requests count on another machine.
  package func checkRequests(
    in stated: MachineResources?, except elsewhere: (StepIndex) -> Bool = { _ in false }
  ) throws(PreparedWorkflow.PreparationProblem) {
    guard hasRequests else { return }
    let capacity = capacity(stated)
    for step in steps(stating: .request) {
      let place = workflow.steps[Int(step)]
      guard !elsewhere(step) else { continue }
      for (attempt, request) in place.options.requests {
        guard let shortage = request.shortage(in: capacity) else { continue }
        throw PreparedWorkflow.PreparationProblem(
          step: place.id,
          message: "\(attempt == 1 ? "" : "attempt \(attempt) ")asks for \(shortage) "
            + (stated == nil ? "on this machine" : "in '--resources'"))
      }
    }
  }
}
