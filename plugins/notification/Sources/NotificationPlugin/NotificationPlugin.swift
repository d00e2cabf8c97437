import FlowModel
import FlowPluginKit

/// Requests permission, reads payloads, shows and schedules notifications, and opens tapped ones.
///
/// ```swift
/// NotificationPlugin()                              // a headless center
/// NotificationPlugin { DeviceNotificationCenter() } // an app's own, over UserNotifications
/// ```
public struct NotificationPlugin: Plugin {
  /// The plugin's name.
  public static let name = "notification"

  /// The notification center of the runs.
  public let handles: [PluginHandle]

  /// Creates the plugin; `center` is the system's notification center, and `now` returns the milliseconds since 1970.
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

/// Stores a center of any type under its key, together with the wall clock.
struct UserNotificationCenterHandle: Sendable {
  let center: any UserNotificationCenter
  let now: @Sendable () -> Int
  let expected = ExpectedNotifications()
}

extension HandleKey {
  /// The system's notification center.
  static let notificationCenter: HandleKey = "notification-center"
}

extension ActionContext {
  /// The system's notification center.
  func notificationCenter() throws -> any UserNotificationCenter {
    let handle: UserNotificationCenterHandle = try handle(.notificationCenter)
    return handle.center
  }

  /// The scheduled notifications that are still expected.
  func expectedNotifications() throws -> ExpectedNotifications {
    let handle: UserNotificationCenterHandle = try handle(.notificationCenter)
    return handle.expected
  }

  /// The wall-clock time in milliseconds since 1970, which outlives the process.
  func notificationTime() throws -> Int {
    let handle: UserNotificationCenterHandle = try handle(.notificationCenter)
    return handle.now()
  }
}
