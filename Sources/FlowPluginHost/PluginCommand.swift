import FlowSystem

/// What is executed for a plugin, and what it may see of this process's environment.
package struct PluginCommand: Sendable, Hashable {
  /// The program and its arguments.
  var arguments: [String]
  /// Its whole environment.
  var environment: [String: String]

  /// A program with everything stated.
  package init(_ arguments: [String], environment: [String: String]) {
    self.arguments = arguments
    self.environment = environment
  }

  /// A program that sees `PATH` and those of `names` that this process has.
  init(_ arguments: [String], seeing names: [String]) {
    self.arguments = arguments
    environment = [:]
    for name in ["PATH"] + names { environment[name] = getenv(name).map { String(cString: $0) } }
  }
}
