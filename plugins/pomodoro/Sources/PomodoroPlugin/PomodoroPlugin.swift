import FlowPluginKit

/// A Pomodoro timer that several devices share, over the connection that `sync.connect` opens.
public struct PomodoroPlugin: Plugin {
  /// `pomodoro`.
  public static let name = "pomodoro"

  /// The plugin.
  public init() {}

  /// Everything that begins with `pomodoro.`.
  public var actions: [any ActionType.Type] { [Timer.self, Push.self, Pull.self] }
}
