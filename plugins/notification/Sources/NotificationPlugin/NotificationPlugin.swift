import FlowModel
import FlowPluginKit

/// Requests permission, reads payloads, shows and schedules notifications, and opens the pages of tapped ones.
///
/// ```swift
/// NotificationPlugin()                              // a headless center
/// NotificationPlugin { DeviceNotificationCenter() } // an app's own, over UserNotifications
/// ```
public struct NotificationPlugin: Plugin {
  /// The plugin's name, which is also the prefix of its actions' names.
  public static let name = "notification"

  /// The handle through which steps reach the notification center and the wall clock.
  public let handles: [PluginHandle]

  /// Creates the plugin with the system's notification center. `now` returns milliseconds since 1970.
  public init(
    center: any UserNotificationCenter = HeadlessNotificationCenter(),
    now: @escaping @Sendable () -> Int = ScheduledNotifications.now
  ) {
    handles = [PluginHandle(.notificationCenter, UserNotificationCenterHandle(center: center, now: now))]
  }

  /// The actions whose names begin with `notification.`.
  public var actions: [any ActionType.Type] {
    [
      ReadStatus.self, RequestPermission.self, RegisterToken.self, ParsePayload.self, PresentNotification.self,
      ScheduleNotification.self, CancelNotifications.self, ReceiveNotifications.self,
    ]
  }
}

/// A notification center of any type, with the wall clock and the notifications that runs wait for.
struct UserNotificationCenterHandle: Sendable {
  let center: any UserNotificationCenter
  let now: @Sendable () -> Int
  let expected = ExpectedNotifications()
}

extension HandleKey {
  /// The handle of the plugin's notification center.
  static let notificationCenter: HandleKey = "notification-center"
}

extension ActionContext {
  /// Returns the notification center that the plugin was created with.
  func notificationCenter() throws -> any UserNotificationCenter {
    let handle: UserNotificationCenterHandle = try handle(.notificationCenter)
    return handle.center
  }

  /// Returns the scheduled notifications that runs of this process wait for.
  func expectedNotifications() throws -> ExpectedNotifications {
    let handle: UserNotificationCenterHandle = try handle(.notificationCenter)
    return handle.expected
  }

  /// Returns the wall-clock time in milliseconds since 1970. Unlike the run's clock, it continues between processes.
  func notificationTime() throws -> Int {
    let handle: UserNotificationCenterHandle = try handle(.notificationCenter)
    return handle.now()
  }
}
