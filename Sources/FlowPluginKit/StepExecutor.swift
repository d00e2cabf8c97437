import FlowModel

/// Runs the bodies of steps in other processes or on other machines.
///
/// The engine decides which step runs and when. The executor decides where, and reports the end.
package protocol StepExecutor: Sendable {
  /// The name of the executor in `--on` and `executor:`.
  var name: String { get }

  /// The maximum number of bodies that run at the same time.
  var slots: Int { get }

  /// True if bodies run on this machine, so that their requests count against its capacity.
  var isHere: Bool { get }

  /// Runs an attempt of a step, and calls `begun()` on its context when the body begins. `request` has the resources
  /// that the step requests, or is nil if they are not counted. `files` has the files that the step declares, or is nil
  /// if it declares none. Throws an ``ExecutorLost`` if the result of the body is not known; by then, the body must not
  /// be running any more.
  func run(
    _ action: ActionDeclaration, _ inputs: ValueObject, taking request: MachineResources?, files: StepFiles?,
    _ context: ActionContext
  ) async throws -> ValueObject
}

/// The files that a step or item declares.
package struct StepFiles: Sendable, Hashable {
  /// The patterns of the files that are read (`inputs-from`).
  package var reads: [String]
  /// The patterns of the files that are produced (`produces`).
  package var makes: [String]
  /// The absolute path of the folder that the patterns are relative to.
  package var folder: String

  /// Creates the files of a step.
  package init(reads: [String], makes: [String], folder: String) {
    self.reads = reads
    self.makes = makes
    self.folder = folder
  }
}

extension StepExecutor {
  /// The default is false.
  package var isHere: Bool { false }
}

/// The error for a lost body: its process or machine has ended, or has not reported for too long.
package struct ExecutorLost: Error, Sendable, Hashable {
  /// The reason, without a final period.
  package var message: String
  /// True if another attempt would be lost, too.
  package var isFinal: Bool
  /// True if the time limit of a cluster job ended the body. Then `retry` decides whether the step runs again.
  package var isTimeUp: Bool

  /// Creates the loss of a body.
  package init(_ message: String, isFinal: Bool = false, isTimeUp: Bool = false) {
    self.message = message
    self.isFinal = isFinal
    self.isTimeUp = isTimeUp
  }

  /// True if the machine failed or was reassigned, according to Slurm's messages, so that the step need not request
  /// more resources.
  package var isOfMachine: Bool {
    ["DUE TO NODE FAILURE", "DUE TO PREEMPTION", "NODE_FAIL", "PREEMPTED"].contains(where: message.contains)
  }

  /// True if the body exceeded its memory, according to messages of Slurm or the system.
  package var isOutOfMemory: Bool {
    ["OUT_OF_MEMORY", "Out Of Memory", "oom-kill", "oom_kill", "Exceeded job memory limit"].contains(
      where: message.contains)
  }

  /// The failure code of a step whose body was lost too often.
  package static let code = "executor-lost"
}
