import FlowPluginKit

/// Basic actions: do nothing, wait, fail, set values, post and follow events, ask a person, and log.
public struct BasicsPlugin: Plugin {
  /// The plugin's name, which is also the prefix of its actions' names.
  public static let name = "flow"

  /// Creates the plugin. It has no options.
  public init() {}

  /// The actions whose names begin with `flow.`.
  public var actions: [any ActionType.Type] {
    [
      DoNothing.self, Sleep.self, Fail.self, SetValues.self, PostEvent.self, FollowEvent.self, Log.self, Spin.self,
      Block.self, Ask.self,
    ]
  }
}
