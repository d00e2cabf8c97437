import FlowPluginKit

/// Runs commands as child processes.
public struct ShellPlugin: Plugin {
  /// `shell`.
  public static let name = "shell"

  /// Creates the plugin.
  public init() {}

  /// The actions whose names begin with `shell.`.
  public var actions: [any ActionType.Type] { [RunShell.self, RunService.self] }
}
