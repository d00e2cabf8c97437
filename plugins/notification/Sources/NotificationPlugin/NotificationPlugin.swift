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
  public let resources: [PluginResource]

  /// The plugin; `center` is what the system offers.
  public init(center: any UserNotificationCenter = HeadlessNotificationCenter()) {
    resources = [PluginResource(.notificationCenter, UserNotificationCenterHandle(center: center))]
  }

  /// Everything that begins with `notification.`.
  public var actions: [any ActionType.Type] {
    [
      RequestPermission.self, RegisterToken.self, ParsePayload.self, PresentNotification.self,
      ScheduleNotification.self, ReceiveNotifications.self,
    ]
  }
}

/// Carries the center of whatever type under its key.
struct UserNotificationCenterHandle: Sendable {
  let center: any UserNotificationCenter
}

extension ResourceKey {
  /// What the system offers for notifications.
  static let notificationCenter: ResourceKey = "notification-center"
}

extension ActionContext {
  /// What the system offers for notifications.
  func notificationCenter() throws -> any UserNotificationCenter {
    let handle: UserNotificationCenterHandle = try resource(.notificationCenter)
    return handle.center
  }
}
