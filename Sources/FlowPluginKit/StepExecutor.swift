import FlowModel

/// Runs the bodies of portable actions somewhere else: in other processes, on other machines.
///
/// The engine says what runs when; an executor says where, and whether it ended.
public protocol StepExecutor: Sendable {
  /// As `--on` and `executor:` write it.
  var name: String { get }

  /// The number of bodies that it runs at once at most.
  var slots: Int { get }

  /// Whether what its bodies take of a machine (`handles`) counts against this one.
  var isHere: Bool { get }

  /// Runs one attempt of a step with complete inputs, and calls `begun()` of its context when its body begins.
  /// `request` is what it takes of a machine; nil: that is not counted. `files` are those that it says it reads and makes; nil:
  /// it says nothing of files. Throws an ``ExecutorLost`` when it cannot be
  /// known how the body ended; the body does not run any more then.
  func run(
    _ action: ActionDeclaration, _ inputs: ValueObject, taking request: MachineResources?, files: StepFiles?,
    _ context: ActionContext
  ) async throws -> ValueObject
}

/// The files of a step, or of an item of one: what it says it reads and makes.
public struct StepFiles: Sendable, Hashable {
  /// Patterns of the files that it reads (`inputs-from`).
  public var reads: [String]
  /// Patterns of the files that it makes (`produces`).
  public var makes: [String]
  /// The absolute path of the folder from which both are named.
  public var folder: String

  /// Files named from a folder.
  public init(reads: [String], makes: [String], folder: String) {
    self.reads = reads
    self.makes = makes
    self.folder = folder
  }
}

extension StepExecutor {
  /// It does not, unless the executor says otherwise.
  public var isHere: Bool { false }
}

/// A body was lost: the process or the machine that it ran on is gone, or has not been heard of for too long.
public struct ExecutorLost: Error, Sendable, Hashable {
  /// What happened, as a sentence without a full stop.
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
