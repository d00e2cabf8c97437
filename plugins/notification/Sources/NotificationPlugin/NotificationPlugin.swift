import FlowModel
import FlowPluginKit

/// Asks for permission, reads payloads, shows and schedules notifications, and opens what is tapped.
///
/// ```swift
/// NotificationPlugin()                              // a headless centre
/// NotificationPlugin { DeviceNotificationCentre() } // an app's own, over UserNotifications
/// ```
public struct NotificationPlugin: Plugin {
  /// `notification`.
  public static let name = "notification"

  /// The notification centre of the runs.
  public let resources: [PluginResource]

  /// The plugin; `centre` is what the system offers.
  public init(centre: any NotificationCentre = HeadlessNotificationCentre()) {
    resources = [PluginResource(.notificationCentre, NotificationCentreHandle(centre: centre))]
  }

  /// Everything that begins with `notification.`.
  public var actions: [any ActionType.Type] {
    [
      RequestPermission.self, RegisterToken.self, ParsePayload.self, PresentNotification.self,
      ScheduleNotification.self, ReceiveNotifications.self,
    ]
  }
}

/// Carries the centre of whatever type under its key.
struct NotificationCentreHandle: Sendable {
  let centre: any NotificationCentre
}

extension ResourceKey {
  /// What the system offers for notifications.
  static let notificationCentre: ResourceKey = "notification-centre"
}

extension ActionContext {
  /// What the system offers for notifications.
  func notificationCentre() throws -> any NotificationCentre {
    let handle: NotificationCentreHandle = try resource(.notificationCentre)
    return handle.centre
  }
}
