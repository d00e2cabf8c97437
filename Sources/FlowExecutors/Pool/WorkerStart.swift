import FlowModel

/// How one worker of an executor is started and what it is good for.
public struct WorkerStart: Sendable, Hashable {
  /// What messages call it: `worker 3`, the name of a node.
  public var name: String
  /// The program that carries the worker's standard input and output, with its arguments.
  public var command: [String]
  /// The program's whole environment.
  public var environment: [String: String]
  /// The number of bodies that it runs at once.
  public var slots: Int
  /// How long it may take until the worker answers, waiting in a queue of the engine included.
  public var startLimit: Duration
  /// Whether its processes are of this machine, so that it can be seen that none is left.
  public var isLocal: Bool
  /// Texts by which it can be told that the worker itself ended, not only what carries its pipe: its guard ends what it ran
  /// within moments then.
  public var exitSigns: [String]
  /// Texts on standard error by which the transport says that it is about to end.
  public var endSigns: [String]
  /// The command that succeeds once the engine knows from the worker's side that nothing of the worker runs any more; nil: no
  /// engine knows.
  public var endCheck: [String]?
  /// The command by which an engine takes back what it gave for this worker, when the worker is lost; nil: nothing is given.
  public var release: [String]?
  /// Texts by which the engine says that it cannot start anything now, and may a moment later.
  var passingSigns: [String] = []
  /// Whether what was given for a worker must be taken back before it is asked for again, since the engine may have given it
  /// though it could not say so.
  var isReleasedBeforeRestart = true
  /// For how long a worker is asked for again that the engine cannot start now.
  var patience = Duration.zero

  /// A worker of these parts.
  public init(
    name: String, command: [String], environment: [String: String], slots: Int,
    startLimit: Duration = .seconds(10), isLocal: Bool = false, exitSigns: [String] = [], endSigns: [String] = [],
    endCheck: [String]? = nil, release: [String]? = nil
  ) {
    self.name = name
    self.command = command
    self.environment = environment
    self.slots = slots
    self.startLimit = startLimit
    self.isLocal = isLocal
    self.exitSigns = exitSigns
    self.endSigns = endSigns
    self.endCheck = endCheck
    self.release = release
  }
}

/// Why an executor cannot be used.
public struct ExecutorProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, as a sentence without a full stop.
  public var message: String
  /// Whether it is the command line that is wrong, not the engine.
  public var isUsage: Bool
  /// Whether the engine may do it a moment later.
  var isPassing = false

  /// A problem.
  public init(_ message: String, isUsage: Bool = false) {
    self.message = message
    self.isUsage = isUsage
  }

  /// The message.
  public var description: String { message }
}

/// What a worker must have to be used.
public struct WorkerRequirements: Sendable {
  /// The actions of the remote steps.
  public var actions: [ActionDeclaration]
  /// What distinguishes an action's program from others here.
  public var digest: @Sendable (ActionDeclaration) -> String

  /// These actions, with these programs.
  public init(actions: [ActionDeclaration], digest: @escaping @Sendable (ActionDeclaration) -> String) {
    self.actions = actions
    self.digest = digest
  }

  /// What a worker lacks that has introduced itself so; nil: nothing.
  ///
  /// - Parameter copies: whether files are copied.
  func lack(of greeting: Value, copies: Bool) -> String? {
    guard let members = greeting.objectValue, members["name"]?.stringValue == "flowrun-worker" else {
      return "what was started is not a worker: it introduced itself with \(greeting.shortText)"
    }
    let uses = members["uses"]?.arrayValue?.compactMap(\.stringValue) ?? []
    guard uses.contains("ping"), uses.contains("capabilities") else {
      return "its flowrun \(members["version"]?.stringValue ?? "") does not send heartbeats; install this version there"
    }
    if copies, !uses.contains("files") {
      return "its flowrun \(members["version"]?.stringValue ?? "") does not copy files; install this version there"
    }
    let offered = members["actions"]?.objectValue ?? [:]
    for action in actions {
      guard let theirs = offered[action.name]?.stringValue else { return "it has no action '\(action.name)'" }
      let own = digest(action)
      if theirs != own { return "its '\(action.name)' is of \(theirs), here it is of \(own)" }
    }
    return nil
  }
}
