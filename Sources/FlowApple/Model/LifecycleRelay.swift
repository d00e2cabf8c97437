import FlowModel

/// The events of an app's life that UIKit's notifications stand for.
///
/// With scenes, the system reports *entering the foreground* at each launch, and once for each scene. An event is posted only where the app really comes to the front or leaves it. `app.did-become-active` is
/// posted by `ui.present`, when the window is there.
public struct LifecycleRelay: Sendable, Hashable {
  /// Whether no window of the app is in front.
  public private(set) var isInBackground: Bool

  /// A relay for an app that was launched in the background, or in front.
  public init(startsInBackground: Bool) { isInBackground = startsInBackground }

  /// The event to post for a notification, by its name; nil if there is none.
  public mutating func event(for notification: String) -> LifecycleEvent? {
    switch notification {
    case "UIApplicationWillEnterForegroundNotification", "UISceneWillEnterForegroundNotification":
      guard isInBackground else { return nil }
      isInBackground = false
      return .appWillEnterForeground
    case "UIApplicationDidEnterBackgroundNotification":
      guard !isInBackground else { return nil }
      isInBackground = true
      return .appDidEnterBackground
    default: return nil
    }
  }
}
