import FlowModel

/// The command that starts a worker, and the worker's properties.
package struct WorkerStart: Sendable, Hashable {
  /// The name in messages, such as `worker 3` or the name of a node.
  package var name: String
  /// The program to start and its arguments. The host communicates with the worker through the program's standard input
  /// and output.
  package var command: [String]
  /// All environment variables that the program gets.
  package var environment: [String: String]
  /// The maximum number of concurrent bodies.
  package var slots: Int
  /// The time limit for the worker's greeting, including the wait in an engine's queue.
  package var startLimit: Duration
  /// True if the worker's processes are on this machine, so that their end can be observed.
  package var isLocal: Bool
  /// Texts in the program's output which show that the worker itself has ended, not only the connection to it. The
  /// worker's guard then ends its processes within moments.
  package var exitSigns: [String]
  /// Texts that the transport prints to standard error when it ends.
  package var endSigns: [String]
  /// A command that succeeds if the engine confirms that no process of the worker is running, or nil if there is none.
  package var endCheck: [String]?
  /// The command that releases the allocation of a lost worker, or nil if there is no allocation.
  package var release: [String]?
  /// Parts of the engine's messages that report that it temporarily cannot start anything.
  var passingSigns: [String] = []
  /// True if an allocation must be released before the worker is started again. The engine may have created one without
  /// being able to report it.
  var isReleasedBeforeRestart = true
  /// The maximum time to repeat a start while the engine temporarily cannot start anything.
  var patience = Duration.zero

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
  /// True if the command line is at fault rather than the engine.
  package var isUsage: Bool
  /// True if the problem may be temporary, so that another attempt can succeed.
  var isPassing = false

  package init(_ message: String, isUsage: Bool = false) {
    self.message = message
    self.isUsage = isUsage
  }

  package var description: String { message }
}

/// The requirements that a worker must meet for a run to use it.
package struct WorkerRequirements: Sendable {
  /// The actions that the worker must be able to run.
  package var actions: [ActionDeclaration]
  /// Returns the digest of an action's program on this machine.
  package var digest: @Sendable (ActionDeclaration) -> String

  package init(actions: [ActionDeclaration], digest: @escaping @Sendable (ActionDeclaration) -> String) {
    self.actions = actions
    self.digest = digest
  }

  /// Returns the reason why a worker with this greeting cannot be used, or nil if it meets the requirements.
  ///
  /// - Parameter copies: True if the worker must support file transfer.
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
