import FlowPlatform
import FlowPluginKit

/// Launches, restores and shows a user interface. Posts the events of an application's life cycle.
///
/// ```swift
/// UserInterfacePlugin()                           // a headless interface
/// UserInterfacePlugin { await WindowInterface() } // an app's own, over UIKit
/// ```
public struct UserInterfacePlugin: Plugin {
  /// The plugin's name, which is also the prefix of its actions' names.
  public static let name = "ui"

  /// The maximum size of a launch screen's file in bytes, as on iOS 14 and later (R4).
  public static let launchScreenLimitBytes = 25_000_000

  /// The handle that creates the interface of a run.
  public let handles: [PluginHandle]

  /// Creates the plugin. `ui.launch` calls `makeInterface` once per run.
  public init(makeInterface: @escaping @Sendable () async -> any ApplicationInterface = { HeadlessInterface() }) {
    self.init(makeInterface: makeInterface, now: { WallTime.now })
  }

  /// Creates the plugin with a clock for tests. `now` returns milliseconds since 1970.
  package init(
    makeInterface: @escaping @Sendable () async -> any ApplicationInterface, now: @escaping @Sendable () -> Int
  ) {
    handles = [PluginHandle(InterfaceFactory.key, InterfaceFactory(make: makeInterface, now: now))]
  }

  /// The checks that launch screens are not too large and are shown before the window.
  public var details: PluginDetails { PluginDetails(checks: [LaunchScreenCheck(), SplashOrderCheck()]) }

  /// The actions whose names begin with `ui.`.
  public var actions: [any ActionType.Type] {
    [
      LaunchInterface.self, RestoreInterface.self, ShowSplash.self, MakeWindow.self, PresentInterface.self,
      SelectTab.self,
    ]
  }
}
