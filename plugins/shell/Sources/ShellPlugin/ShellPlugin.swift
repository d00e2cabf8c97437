import FlowPluginKit

/// The plugin `shell`, which runs commands as child processes.
public struct ShellPlugin: Plugin {
  /// The plugin's name, which is also the prefix of its actions' names.
  public static let name = "shell"

  /// Creates the plugin. It has no options.
  public init() {}

  /// The actions `shell.run` and `shell.service`.
  public var actions: [any ActionType.Type] { [RunShell.self, RunService.self] }
}
