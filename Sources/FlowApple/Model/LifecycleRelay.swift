import FlowModel

/// Converts UIKit's notifications to events of an app's life cycle.
///
/// With scenes, the system reports *entering the foreground* at each launch, and once for each scene. An event is posted only where the app really comes to the front or leaves it. `app.did-become-active` is
/// posted by `ui.present`, when the window is there.
package struct LifecycleRelay: Sendable, Hashable {
  /// True if no window of the app is in the foreground.
  package private(set) var isInBackground: Bool

  /// Creates a relay for an app that was launched in the background or the foreground.
  package init(startsInBackground: Bool) { isInBackground = startsInBackground }

  /// The event to post for a notification with this name, or nil if there is none.
  package mutating func event(for notification: String) -> LifecycleEvent? {
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
