import FlowModel

/// Runs the bodies of steps in other processes or on other machines.
///
/// The engine decides which step runs and when. The executor decides where it runs, and reports its end.
package protocol StepExecutor: Sendable {
  /// The name of the executor in `--on` and `executor:`.
  var name: String { get }

  /// The maximum number of bodies that run at the same time.
  var slots: Int { get }

  /// True if bodies run on this machine. The resources that they request then count against its capacity.
  var isHere: Bool { get }

  /// Runs an attempt of a step, and calls `begun()` on its context when the body starts.
  ///
  /// Throws an ``ExecutorLost`` if the result of the body is unknown. In that case, the body must have stopped before
  /// the error is thrown.
  ///
  /// - Parameters:
  ///   - request: The resources that the step requests, or nil if they are not counted.
  ///   - files: The files that the step declares, or nil if it declares none.
  func run(
    _ action: ActionDeclaration, _ inputs: ValueObject, taking request: MachineResources?, files: StepFiles?,
    _ context: ActionContext
  ) async throws -> ValueObject
}

/// The files that a step or item reads and produces.
package struct StepFiles: Sendable, Hashable {
  /// The patterns of the files that the step or item reads (`inputs-from`).
  package var reads: [String]
  /// The patterns of the files that the step or item produces (`produces`).
  package var makes: [String]
  /// The absolute path of the folder to which the patterns are relative.
  package var folder: String

  package init(reads: [String], makes: [String], folder: String) {
    self.reads = reads
    self.makes = makes
    self.folder = folder
  }
}

extension StepExecutor {
  package var isHere: Bool { false }
}

/// The error for a lost body, whose process or machine has ended or has not reported for too long.
package struct ExecutorLost: Error, Sendable, Hashable {
  /// The reason for the loss, without a final period.
  package var message: String
  /// True if the step must not run again automatically, because another attempt would be lost, too.
  package var isFinal: Bool
  /// True if the body was ended by the time limit of its cluster job. In this case, `retry` decides whether the step
  /// runs again.
  package var isTimeUp: Bool

  package init(_ message: String, isFinal: Bool = false, isTimeUp: Bool = false) {
    self.message = message
    self.isFinal = isFinal
    self.isTimeUp = isTimeUp
  }

  /// True if messages of Slurm show that the machine failed or was reassigned. The step then need not request more
  /// resources.
  package var isOfMachine: Bool {
    ["DUE TO NODE FAILURE", "DUE TO PREEMPTION", "NODE_FAIL", "PREEMPTED"].contains(where: message.contains)
  }

  /// True if messages of Slurm or the system show that the body ran out of memory.
  package var isOutOfMemory: Bool {
    ["OUT_OF_MEMORY", "Out Of Memory", "oom-kill", "oom_kill", "Exceeded job memory limit"].contains(
      where: message.contains)
  }

  /// The failure code of a step whose body was lost too often.
  package static let code = "executor-lost"
}
