import FlowModel
import FlowSystem

extension MachineShare {
  /// What this process may use of the machine.
  public static var ofThisMachine: MachineShare {
    let machine = Machine()
    return MachineShare(cpus: machine.cpus, memoryBytes: machine.memoryBytes, gpus: machine.gpus)
  }
}

extension WorkflowGraph {
  /// Whether a step asks for a share of a machine.
  public var hasShares: Bool { stepsWithOptions.contains { workflow.steps[Int($0)].options.share != nil } }

  /// What steps of a run may take at once: what is stated, or what this machine has.
  func supply(_ stated: MachineShare?) -> MachineShare {
    stated ?? (hasShares ? .ofThisMachine : .unlimited)
  }

  /// Throws where a step asks for more than there is: it would wait for ever.
  ///
  /// - Parameter elsewhere: the steps that count against another machine.
  public func checkShares(
    in stated: MachineShare?, except elsewhere: (StepIndex) -> Bool = { _ in false }
  ) throws(PreparedWorkflow.Problem) {
    guard hasShares else { return }
    let supply = supply(stated)
    for step in stepsWithOptions {
      let place = workflow.steps[Int(step)]
      guard let share = place.options.share, !elsewhere(step), let shortage = share.shortage(in: supply) else {
        continue
      }
      throw PreparedWorkflow.Problem(
        step: place.id,
        message: "asks for \(shortage) \(stated == nil ? "on this machine" : "in '--resources'")")
    }
  }
}
