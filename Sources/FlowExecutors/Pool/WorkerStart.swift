import FlowModel

/// The start of a worker: its command and its properties.
package struct WorkerStart: Sendable, Hashable {
  /// The name in messages, such as `worker 3` or the name of a node.
  package var name: String
  /// The program to start, with its arguments. The worker's protocol uses its standard input and output.
  package var command: [String]
  /// The complete environment of the program.
  package var environment: [String: String]
  /// The maximum number of concurrent bodies.
  package var slots: Int
  /// The time limit for the worker's greeting, including the wait in an engine's queue.
  package var startLimit: Duration
  /// True if the worker's processes are on this machine, so that their end can be observed.
  package var isLocal: Bool
  /// Texts which show that the worker itself has ended, not only its transport. Its guard then ends its processes
  /// within moments.
  package var exitSigns: [String]
  /// Texts with which the transport announces its end on standard error.
  package var endSigns: [String]
  /// A command that succeeds if the engine has recorded that no process of the worker is running, or nil if there is
  /// none.
  package var endCheck: [String]?
  /// The command that releases the engine's allocation of a lost worker, or nil if there is none.
  package var release: [String]?
  /// Texts with which the engine reports that it temporarily cannot start anything.
  var passingSigns: [String] = []
  /// True if an allocation must be released before the worker is started again, because the engine may have created one
  /// without being able to report it.
  var isReleasedBeforeRestart = true
  /// The time for which a start is repeated while the engine temporarily cannot start anything.
  var patience = Duration.zero

  /// Creates a start from these values.
  package init(
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
package struct ExecutorProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problem, as a sentence without a period.
  package var message: String
  /// True if the command line is wrong rather than the engine.
  package var isUsage: Bool
  /// True if the problem may be temporary.
  var isPassing = false

  /// Creates a problem.
  package init(_ message: String, isUsage: Bool = false) {
    self.message = message
    self.isUsage = isUsage
  }

  /// The message.
  package var description: String { message }
}

/// The requirements that a worker must meet.
package struct WorkerRequirements: Sendable {
  /// The actions of the remote steps.
  package var actions: [ActionDeclaration]
  /// Returns the digest of an action's program on this machine.
  package var digest: @Sendable (ActionDeclaration) -> String

  /// Creates requirements with these actions and programs.
  package init(actions: [ActionDeclaration], digest: @escaping @Sendable (ActionDeclaration) -> String) {
    self.actions = actions
    self.digest = digest
  }

  /// Returns the reason why a worker with this greeting cannot be used, or nil.
  ///
  /// - Parameter copies: true if files are copied to workers.
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
