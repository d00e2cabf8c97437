/// The events of an app's life cycle that any workflow can wait for (P1, R5).
package enum LifecycleEvent: String, Sendable, Hashable, CaseIterable {
  /// Posted by the engine when the run is activated.
  case activate
  case appWillFinishLaunching = "app.will-finish-launching"
  case appDidFinishLaunching = "app.did-finish-launching"
  case sceneConnect = "scene.connect"
  case uiReady = "ui.ready"
  case appDidBecomeActive = "app.did-become-active"
  case appWillEnterForeground = "app.will-enter-foreground"
  case appDidEnterBackground = "app.did-enter-background"
  /// Its value is a URL as a string, or an object with `url`.
  case appOpenURL = "app.open-url"
  /// Its value is a user activity with `webpageURL`.
  case appContinueUserActivity = "app.continue-user-activity"
  /// Its value is a list of URL contexts with `url`.
  case sceneOpenURLContexts = "scene.open-url-contexts"

  /// True if the value of the event is a link that opens the running app.
  package var isLink: Bool { self == .appOpenURL || self == .appContinueUserActivity || self == .sceneOpenURLContexts }
}

/// The reason why the app was launched (R1).
public enum LaunchReason: String, Sendable, Hashable, CaseIterable {
  case user
  case url
  case notification
  case location
  case background
  case scene
}

/// Information about the launch, which expressions read as `launch` from activation on.
public struct Launch: Sendable, Hashable {
  /// The reason for the launch.
  public var reason: LaunchReason
  /// The launch options, by key (R12).
  public var options: ValueObject
  /// True if no earlier run with this data folder has shown its window or, if its workflow has none, succeeded.
  package var isFirst: Bool

  /// Creates a launch.
  public init(reason: LaunchReason = .user, options: ValueObject = [:], isFirst: Bool = false) {
    self.reason = reason
    self.options = options
    self.isFirst = isFirst
  }
}
