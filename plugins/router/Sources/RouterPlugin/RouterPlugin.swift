import FlowModel
import FlowPluginKit

/// Registers routes, opens links, and holds links that arrive before the user interface is ready.
///
/// ```swift
/// RouterPlugin()                                          // uses the routes declared in YAML
/// RouterPlugin(interceptors: [MustBeSignedIn()])          // an app can intercept a link before its page opens
/// ```
public struct RouterPlugin: Plugin {
  /// The plugin's name, which is also the prefix of its actions' names.
  public static let name = "router"

  /// The handle through which steps reach the interceptors and the clock.
  public let handles: [PluginHandle]

  /// Creates the plugin. `interceptors` are called in order before a page opens. `now` returns milliseconds since 1970.
  public init(interceptors: [any RouteInterceptor] = [], now: @escaping @Sendable () -> Int = WallClock.milliseconds) {
    handles = [PluginHandle(RouterSurroundings.key, RouterSurroundings(interceptors: interceptors, now: now))]
  }

  /// A check that routes are registered before a step searches for the launch link.
  public var details: PluginDetails { PluginDetails(checks: [LaunchLinkCheck()]) }

  /// The actions whose names start with `router.`.
  public var actions: [any ActionType.Type] {
    [RegisterRoutes.self, OpenRoute.self, HoldRoute.self, FlushRoutes.self, FindLaunchLink.self, ReceiveLinks.self]
  }
}

/// The router's dependencies on the app: its interceptors and the clock.
struct RouterSurroundings: Sendable {
  static let key: HandleKey = "router-surroundings"

  let interceptors: [any RouteInterceptor]
  let now: @Sendable () -> Int
}
