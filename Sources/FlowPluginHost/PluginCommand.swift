import FlowSystem

/// The command of a plugin and the part of this process's environment that it may see.
package struct PluginCommand: Sendable, Hashable {
  /// The program and its arguments.
  var arguments: [String]
  /// Its whole environment.
  var environment: [String: String]

  /// Creates a command with an explicit environment.
  package init(_ arguments: [String], environment: [String: String]) {
    self.arguments = arguments
    self.environment = environment
  }

  /// Creates a command that sees `PATH` and those variables in `names` that this process has.
  init(_ arguments: [String], seeing names: [String]) {
    self.arguments = arguments
    environment = [:]
    for name in ["PATH"] + names { environment[name] = getenv(name).map { String(cString: $0) } }
  }
}
