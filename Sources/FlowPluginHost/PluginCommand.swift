import FlowSystem

/// The command line of a program, and the environment in which it runs.
package struct PluginCommand: Sendable, Hashable {
  var arguments: [String]
  /// All environment variables that the program gets.
  var environment: [String: String]

  package init(_ arguments: [String], environment: [String: String]) {
    self.arguments = arguments
    self.environment = environment
  }

  /// Creates a command whose environment contains `PATH` and the variables in `names`, with their values in this
  /// process. Variables that are not set are omitted.
  init(_ arguments: [String], seeing names: [String]) {
    self.arguments = arguments
    environment = [:]
    for name in ["PATH"] + names { environment[name] = getenv(name).map { String(cString: $0) } }
  }
}
