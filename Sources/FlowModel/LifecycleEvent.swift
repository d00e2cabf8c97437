/// The events of an application's life that every workflow may wait for (P1, R5).
public enum LifecycleEvent: String, Sendable, Hashable, CaseIterable {
  /// Posted by the engine itself when the run is activated.
  case activate
  case appWillFinishLaunching = "app.will-finish-launching"
  case appDidFinishLaunching = "app.did-finish-launching"
  case sceneConnect = "scene.connect"
  case uiReady = "ui.ready"
  case appDidBecomeActive = "app.did-become-active"
  case appWillEnterForeground = "app.will-enter-foreground"
  case appDidEnterBackground = "app.did-enter-background"
  /// A URL, as text or as an object with `url`.
  case appOpenURL = "app.open-url"
  /// A user activity, with its `webpageURL`.
  case appContinueUserActivity = "app.continue-user-activity"
  /// A list of URL contexts, each with its `url`.
  case sceneOpenURLContexts = "scene.open-url-contexts"

  /// Whether its value is a link that opens the running app.
  package var isLink: Bool { self == .appOpenURL || self == .appContinueUserActivity || self == .sceneOpenURLContexts }
}

/// Why the application was launched (R1).
public enum LaunchReason: String, Sendable, Hashable, CaseIterable {
  case user
  case url
  case notification
  case location
  case background
  case scene
}

/// What is known of the launch from activation on: the context `launch` of expressions.
public struct Launch: Sendable, Hashable {
  /// Why the application was launched.
  public var reason: LaunchReason
  /// What came with it, by key (R12).
  public var options: ValueObject
  /// Whether no run with this data folder has ended `success` or `partial` before.
  public var isFirst: Bool

  /// A launch.
  public init(reason: LaunchReason = .user, options: ValueObject = [:], isFirst: Bool = false) {
    self.reason = reason
    self.options = options
    self.isFirst = isFirst
  }
}
