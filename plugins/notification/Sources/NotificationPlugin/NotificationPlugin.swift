import FlowModel
import FlowPluginKit

/// Asks for permission, reads payloads, shows and schedules notifications, and opens what is tapped.
///
/// ```swift
/// NotificationPlugin()                              // a headless center
/// NotificationPlugin { DeviceNotificationCenter() } // an app's own, over UserNotifications
/// ```
public struct NotificationPlugin: Plugin {
  /// `notification`.
  public static let name = "notification"

  /// The notification center of the runs.
  public let handles: [PluginHandle]

  /// The plugin; `center` is what the system offers, and `now` tells the milliseconds since 1970.
  public init(
    center: any UserNotificationCenter = HeadlessNotificationCenter(),
    now: @escaping @Sendable () -> Int = ScheduledNotifications.now
  ) {
    handles = [PluginHandle(.notificationCenter, UserNotificationCenterHandle(center: center, now: now))]
  }

  /// Everything that begins with `notification.`.
  public var actions: [any ActionType.Type] {
    [
      ReadStatus.self, RequestPermission.self, RegisterToken.self, ParsePayload.self, PresentNotification.self,
      ScheduleNotification.self, CancelNotifications.self, ReceiveNotifications.self,
    ]
  }
}

/// Carries the center of whatever type under its key, and the time of day.
struct UserNotificationCenterHandle: Sendable {
  let center: any UserNotificationCenter
  let now: @Sendable () -> Int
  let expected = ExpectedNotifications()
}

extension HandleKey {
  /// What the system offers for notifications.
  static let notificationCenter: HandleKey = "notification-center"
}

extension ActionContext {
  /// What the system offers for notifications.
  func notificationCenter() throws -> any UserNotificationCenter {
    let handle: UserNotificationCenterHandle = try handle(.notificationCenter)
    return handle.center
  }

  /// The scheduled notifications that are due to come.
  func expectedNotifications() throws -> ExpectedNotifications {
    let handle: UserNotificationCenterHandle = try handle(.notificationCenter)
    return handle.expected
  }

  /// The time of day in milliseconds since 1970, which outlives the process.
  func notificationTime() throws -> Int {
    let handle: UserNotificationCenterHandle = try handle(.notificationCenter)
    return handle.now()
  }
}
