import FlowPluginKit

/// A Pomodoro timer that several devices share over the connection opened by `sync.connect`.
public struct PomodoroPlugin: Plugin {
  /// The plugin's name, which is also the prefix of its actions' names.
  public static let name = "pomodoro"

  /// Creates the plugin. It has no options.
  public init() {}

  /// The actions whose names begin with `pomodoro.`.
  public var actions: [any ActionType.Type] { [Timer.self, Push.self, Pull.self] }
}
