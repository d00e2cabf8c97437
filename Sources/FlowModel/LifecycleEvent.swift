/// The events of an app's life cycle, for which every workflow can wait (P1, R5).
package enum LifecycleEvent: String, Sendable, Hashable, CaseIterable {
  /// The run is activated. The engine posts this event.
  case activate
  case appWillFinishLaunching = "app.will-finish-launching"
  case appDidFinishLaunching = "app.did-finish-launching"
  case sceneConnect = "scene.connect"
  case uiReady = "ui.ready"
  case appDidBecomeActive = "app.did-become-active"
  case appWillEnterForeground = "app.will-enter-foreground"
  case appDidEnterBackground = "app.did-enter-background"
  /// The app opens a URL. The value is the URL as a string, or an object with `url`.
  case appOpenURL = "app.open-url"
  /// The app continues a user activity. The value is an object with `webpageURL`.
  case appContinueUserActivity = "app.continue-user-activity"
  /// A scene opens URLs. The value is a list of objects with `url`.
  case sceneOpenURLContexts = "scene.open-url-contexts"

  /// True if the event's value is a link that opens the running app.
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

/// Information about the launch. From activation on, expressions can read it as `launch`.
public struct Launch: Sendable, Hashable {
  /// The reason why the app was launched.
  public var reason: LaunchReason
  /// The launch options, by key (R12).
  public var options: ValueObject
  /// True if no earlier run with this data folder has shown its window. For a workflow without a window, true if none
  /// has succeeded.
  package var isFirst: Bool

  /// Creates the information about a launch. By default, a user has launched the app.
  public init(reason: LaunchReason = .user, options: ValueObject = [:], isFirst: Bool = false) {
    self.reason = reason
    self.options = options
    self.isFirst = isFirst
  }
}
