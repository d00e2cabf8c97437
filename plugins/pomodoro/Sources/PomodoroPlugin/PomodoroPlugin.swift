import FlowPluginKit

/// A Pomodoro timer shared by several devices, over the connection that `sync.connect` opens.
public struct PomodoroPlugin: Plugin {
  /// The plugin's name.
  public static let name = "pomodoro"

  /// Creates the plugin.
  public init() {}

  /// The actions whose names begin with `pomodoro.`.
  public var actions: [any ActionType.Type] { [Timer.self, Push.self, Pull.self] }
}
