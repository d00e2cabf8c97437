import FlowModel

/// Runs the bodies of portable actions in other processes or on other machines.
///
/// The engine decides what runs when; an executor decides where, and reports the end.
public protocol StepExecutor: Sendable {
  /// The name in `--on` and `executor:`.
  var name: String { get }

  /// The maximum number of bodies that it runs at once.
  var slots: Int { get }

  /// True if the resources of its bodies count against those of this machine.
  var isHere: Bool { get }

  /// Runs one attempt of a step with complete inputs, and calls `begun()` of its context when the body starts.
  /// `request` are the resources it needs, or nil if they are not counted. `files` are the files it declares to read
  /// and make, or nil if it declares none. Throws an ``ExecutorLost`` if the end of the body cannot be known; the body
  /// is no longer running then.
  /// known how the body ended; the body does not run any more then.
  func run(
    _ action: ActionDeclaration, _ inputs: ValueObject, taking request: MachineResources?, files: StepFiles?,
    _ context: ActionContext
  ) async throws -> ValueObject
}

/// The declared files of a step, or of an item of one.
public struct StepFiles: Sendable, Hashable {
  /// The patterns of the files that it reads (`inputs-from`).
  public var reads: [String]
  /// The patterns of the files that it makes (`produces`).
  public var makes: [String]
  /// The absolute path of the folder to which both are relative.
  public var folder: String

  /// Makes the files of a step, relative to a folder.
  public init(reads: [String], makes: [String], folder: String) {
    self.reads = reads
    self.makes = makes
    self.folder = folder
  }
}

extension StepExecutor {
  /// False, unless the executor declares otherwise.
  public var isHere: Bool { false }
}

/// The loss of a body: its process or machine has ended, or has been silent for too long.
public struct ExecutorLost: Error, Sendable, Hashable {
  /// The reason, as a sentence without a full stop.
  public var message: String
  /// Whether another attempt would be lost as well.
  public var isFinal: Bool
  /// Whether the engine's time limit ended it: `retry` decides whether it runs again.
  public var isTimeUp: Bool

  /// A body that was lost so.
  public init(_ message: String, isFinal: Bool = false, isTimeUp: Bool = false) {
    self.message = message
    self.isFinal = isFinal
    self.isTimeUp = isTimeUp
  }

  /// Whether the machine failed or was given to others, in Slurm's words: it says nothing of what the body takes.
  package var isOfMachine: Bool {
    ["DUE TO NODE FAILURE", "DUE TO PREEMPTION", "NODE_FAIL", "PREEMPTED"].contains(where: message.contains)
  }

  /// Whether the machine ended it because it took too much memory, in the words of Slurm and the system.
  package var isOutOfMemory: Bool {
    ["OUT_OF_MEMORY", "Out Of Memory", "oom-kill", "oom_kill", "Exceeded job memory limit"].contains(
      where: message.contains)
  }

  /// The code of a step whose bodies were lost too often.
  public static let code = "executor-lost"
}
