import FlowPluginKit

/// Basic building blocks: steps that do nothing, wait, fail, hand on values, post and follow events, ask, and log.
public struct BasicsPlugin: Plugin {
  /// `flow`.
  public static let name = "flow"

  /// The plugin.
  public init() {}

  /// Everything that begins with `flow.`.
  public var actions: [any ActionType.Type] {
    [
      DoNothing.self, Sleep.self, Fail.self, SetValues.self, PostEvent.self, FollowEvent.self, Log.self, Spin.self,
      Block.self, Ask.self,
    ]
  }
}
