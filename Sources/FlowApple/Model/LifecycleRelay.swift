import FlowModel

/// Converts notifications of UIKit to events of an app's life cycle.
///
/// In an app with scenes, the system reports *entering the foreground* at each launch and once for each scene. An event
/// is posted only when the app as a whole enters or leaves the foreground. `app.did-become-active` is not posted here
/// but by `ui.present`, when the window exists.
package struct LifecycleRelay: Sendable, Hashable {
  /// True if all windows of the app are in the background.
  package private(set) var isInBackground: Bool

  /// Creates a relay for an app that was launched in the background or in the foreground.
  package init(startsInBackground: Bool) { isInBackground = startsInBackground }

  /// Returns the event to post for a notification with this name, or nil if none must be posted.
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
