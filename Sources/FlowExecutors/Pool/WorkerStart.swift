import FlowModel

/// The command and properties of one worker of an executor.
public struct WorkerStart: Sendable, Hashable {
  /// The name in messages: `worker 3`, or the name of a node.
  public var name: String
  /// The program connected to the worker's standard input and output, with its arguments.
  public var command: [String]
  /// The program's whole environment.
  public var environment: [String: String]
  /// The number of concurrent bodies.
  public var slots: Int
  /// The time limit for the worker's first answer, including waiting in a queue of the engine.
  public var startLimit: Duration
  /// True if its processes are on this machine, so that their end can be observed.
  public var isLocal: Bool
  /// Texts that show that the worker itself ended, not only its transport; its guard then ends its processes within
  /// moments.
  public var exitSigns: [String]
  /// Texts on standard error with which the transport announces its end.
  public var endSigns: [String]
  /// The command that succeeds once the engine has recorded that no process of the worker is running, or nil if there
  /// is none.
  public var endCheck: [String]?
  /// The command that releases the engine's allocation for a lost worker, or nil if there is none.
  public var release: [String]?
  /// Texts with which the engine reports that it temporarily cannot start anything.
  var passingSigns: [String] = []
  /// True if an allocation must be released before the worker is requested again, since the engine may have made it
  /// without being able to report it.
  var isReleasedBeforeRestart = true
  /// The time for which the start of a worker is repeated while the engine temporarily cannot start it.
  var patience = Duration.zero

  /// Creates a start from these values.
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

/// The reason why an executor cannot be used.
public struct ExecutorProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problem, as a sentence without a period.
  public var message: String
  /// True if the command line is wrong, not the engine.
  public var isUsage: Bool
  /// True if the engine may succeed a moment later.
  var isPassing = false

  /// Creates a problem.
  public init(_ message: String, isUsage: Bool = false) {
    self.message = message
    self.isUsage = isUsage
  }

  /// The message.
  public var description: String { message }
}

/// The requirements for a worker.
public struct WorkerRequirements: Sendable {
  /// The actions of the remote steps.
  public var actions: [ActionDeclaration]
  /// The digest of an action's program on this machine.
  public var digest: @Sendable (ActionDeclaration) -> String

  /// Creates requirements with these actions and programs.
  public init(actions: [ActionDeclaration], digest: @escaping @Sendable (ActionDeclaration) -> String) {
    self.actions = actions
    self.digest = digest
  }

  /// The reason why a worker with this greeting cannot be used, or nil.
  ///
  /// - Parameter copies: true if files are copied.
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
