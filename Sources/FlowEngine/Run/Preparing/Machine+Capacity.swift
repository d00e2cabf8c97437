import FlowModel
import FlowPlatform

extension MachineResources {
  /// The resources of the machine that this process may use.
  public static var ofThisMachine: MachineResources {
    let machine = Machine()
    return MachineResources(cpus: machine.cpus, memoryBytes: machine.memoryBytes, gpus: machine.gpus)
  }
}

extension WorkflowGraph {
  /// True if a step requests resources of the machine.
  public var hasRequests: Bool { !steps(stating: .request).isEmpty }

  /// The capacity for the steps of a run: the stated one, or that of this machine.
  func capacity(_ stated: MachineResources?) -> MachineResources {
    stated ?? (hasRequests ? .ofThisMachine : .unlimited)
  }

  /// Throws if a step requests more than the capacity, because it would wait forever.
  ///
  /// - Parameters:
  ///   - stated: The machine's capacity, or nil for that of this machine.
  ///   - elsewhere: True for steps that count against another machine.
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
