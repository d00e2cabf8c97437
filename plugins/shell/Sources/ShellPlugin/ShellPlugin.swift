import FlowPluginKit

/// Runs commands as child processes.
public struct ShellPlugin: Plugin {
  /// `shell`.
  public static let name = "shell"

  /// The plugin.
  public init() {}

  /// Everything that begins with `shell.`.
  public var actions: [any ActionType.Type] { [RunShell.self, RunService.self] }
}
