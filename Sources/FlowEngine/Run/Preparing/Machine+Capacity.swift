import FlowModel
import FlowPlatform

extension MachineResources {
  /// What this process may use of the machine.
  public static var ofThisMachine: MachineResources {
    let machine = Machine()
    return MachineResources(cpus: machine.cpus, memoryBytes: machine.memoryBytes, gpus: machine.gpus)
  }
}

extension WorkflowGraph {
  /// Whether a step asks for resources of a machine.
  public var hasRequests: Bool { !steps(stating: .request).isEmpty }

  /// What steps of a run may take at once: what is stated, or what this machine has.
  func capacity(_ stated: MachineResources?) -> MachineResources {
    stated ?? (hasRequests ? .ofThisMachine : .unlimited)
  }

  /// Throws where a step asks for more than there is: it would wait forever.
  ///
  /// - Parameters:
  ///   - stated: what the machine has; nil: what this one has.
  ///   - elsewhere: the steps that count against another machine.
  public func checkRequests(
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
