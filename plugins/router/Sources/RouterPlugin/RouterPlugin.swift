import FlowModel
import FlowPluginKit

/// Registers routes, opens links, and holds those that come before the user interface is ready.
///
/// ```swift
/// RouterPlugin()                                          // what YAML declares decides
/// RouterPlugin(interceptors: [MustBeSignedIn()])          // an app has its say before a page opens
/// ```
public struct RouterPlugin: Plugin {
  /// `router`.
  public static let name = "router"

  /// What the steps of a run share.
  public let handles: [PluginHandle]

  /// The plugin; `interceptors` are asked in order before a page opens, and `now` tells the milliseconds since 1970.
  public init(interceptors: [any RouteInterceptor] = [], now: @escaping @Sendable () -> Int = WallClock.milliseconds) {
    handles = [PluginHandle(RouterSurroundings.key, RouterSurroundings(interceptors: interceptors, now: now))]
  }

  /// Checks that routes are registered before a step looks for the link of the launch.
  public var checks: [any WorkflowCheckProvider] { [LaunchLinkCheck()] }

  /// Everything that begins with `router.`.
  public var actions: [any ActionType.Type] {
    [RegisterRoutes.self, OpenRoute.self, HoldRoute.self, FlushRoutes.self, FindLaunchLink.self, ReceiveLinks.self]
  }
}

/// What a router is given from outside.
struct RouterSurroundings: Sendable {
  static let key: HandleKey = "router-surroundings"

  let interceptors: [any RouteInterceptor]
  let now: @Sendable () -> Int
}
