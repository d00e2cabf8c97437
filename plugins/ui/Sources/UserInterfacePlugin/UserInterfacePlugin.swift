import FlowPlatform
import FlowPluginKit

/// Launches, restores and shows a user interface, and posts the events of an application's life as it does.
///
/// ```swift
/// UserInterfacePlugin()                           // a headless interface
/// UserInterfacePlugin { await WindowInterface() } // an app's own, over UIKit
/// ```
public struct UserInterfacePlugin: Plugin {
  /// `ui`.
  public static let name = "ui"

  /// The most bytes of a launch screen's file: what the system allows since iOS 14 (R4).
  public static let launchScreenLimitBytes = 25_000_000

  /// What makes the interface of a run.
  public let handles: [PluginHandle]

  /// The plugin; `makeInterface` is called once in each run, by `ui.launch`.
  public init(makeInterface: @escaping @Sendable () async -> any ApplicationInterface = { HeadlessInterface() }) {
    self.init(makeInterface: makeInterface, now: { WallTime.now })
  }

  /// The same with a clock: `now` returns the milliseconds since 1970.
  package init(
    makeInterface: @escaping @Sendable () async -> any ApplicationInterface, now: @escaping @Sendable () -> Int
  ) {
    handles = [PluginHandle(InterfaceFactory.key, InterfaceFactory(make: makeInterface, now: now))]
  }

  /// Checks the size of launch screens, and that they come before the window.
  public var checks: [any WorkflowCheckProvider] { [LaunchScreenCheck(), SplashOrderCheck()] }

  /// Everything that begins with `ui.`.
  public var actions: [any ActionType.Type] {
    [
      LaunchInterface.self, RestoreInterface.self, ShowSplash.self, MakeWindow.self, PresentInterface.self,
      SelectTab.self,
    ]
  }
}
