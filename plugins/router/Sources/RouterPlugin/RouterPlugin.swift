import FlowModel
import FlowPluginKit

/// Registers routes, opens links, and holds links that arrive before the user interface is ready.
///
/// ```swift
/// RouterPlugin()                                          // what YAML declares decides
/// RouterPlugin(interceptors: [MustBeSignedIn()])          // an app has its say before a page opens
/// ```
public struct RouterPlugin: Plugin {
  /// `router`.
  public static let name = "router"

  /// The handles that the steps of a run share.
  public let handles: [PluginHandle]

  /// Creates the plugin; `interceptors` are asked in order before a page opens, and `now` returns the milliseconds
  /// since 1970.
  public init(interceptors: [any RouteInterceptor] = [], now: @escaping @Sendable () -> Int = WallClock.milliseconds) {
    handles = [PluginHandle(RouterSurroundings.key, RouterSurroundings(interceptors: interceptors, now: now))]
  }

  /// Checks that routes are registered before a step looks for the link of the launch.
  public var checks: [any WorkflowCheckProvider] { [LaunchLinkCheck()] }

  /// The actions whose names begin with `router.`.
  public var actions: [any ActionType.Type] {
    [RegisterRoutes.self, OpenRoute.self, HoldRoute.self, FlushRoutes.self, FindLaunchLink.self, ReceiveLinks.self]
  }
}

/// The router's dependencies on its environment.
struct RouterSurroundings: Sendable {
  static let key: HandleKey = "router-surroundings"

  let interceptors: [any RouteInterceptor]
  let now: @Sendable () -> Int
}
