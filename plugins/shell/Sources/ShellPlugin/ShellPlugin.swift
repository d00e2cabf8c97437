import FlowPluginKit

/// The plugin `shell`, which runs commands as child processes.
public struct ShellPlugin: Plugin {
  /// The plugin's name.
  public static let name = "shell"

  /// Creates the plugin.
  public init() {}

  /// The actions `shell.run` and `shell.service`.
  public var actions: [any ActionType.Type] { [RunShell.self, RunService.self] }
}
