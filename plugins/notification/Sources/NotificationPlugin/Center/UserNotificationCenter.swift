import FlowModel
import FlowPluginKit

/// The system's notification center. An app implements it with UserNotifications. flowrun includes a headless one.
///
/// Methods may be called on any thread.
public protocol UserNotificationCenter: Sendable {
  /// Returns the permission that the system has recorded, without asking. Nil means that there is no record, so the
  /// store is used.
  func isAuthorized() async throws -> Bool?
  /// True if the system keeps scheduled notifications after the application ends. If false, the data folder keeps them.
  var keepsSchedule: Bool { get }
  /// Asks the person for permission, or returns an earlier answer. Throws an error if the system cannot ask.
  func requestAuthorization(_ options: [NotificationOption]) async throws -> Bool
  /// Registers for remote notifications and returns the bytes of the device token (N22).
  func registerForRemoteNotifications() async throws -> [UInt8]
  /// Schedules a local notification. A center without timers calls `wake`, which calls back after a time on the run's
  /// clock.
  func add(_ request: NotificationRequest, wake: @escaping Wake) throws
  /// Removes the pending local notifications with these identifiers, or all pending ones if `ids` is nil.
  func removePending(_ ids: [String]?)
  /// Sets the receiver of all later notifications, or removes it if `delegate` is nil (N15).
  func setDelegate(_ delegate: (@Sendable (NotificationDelivery) -> Void)?)

  /// Calls a handler once, after a delay.
  typealias Wake = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
}

extension UserNotificationCenter {
  /// Returns nil, because the permission is unknown.
  public func isAuthorized() async throws -> Bool? { nil }
  /// Returns true, as on a device.
  public var keepsSchedule: Bool { true }
}

/// The kinds of alerts for which permission can be requested.
public enum NotificationOption: String, FieldWord {
  case alert, sound, badge
}

/// A local notification that is to be delivered once (N32) or repeatedly.
public struct NotificationRequest: Sendable, Hashable {
  /// The identifier. A later request with the same identifier replaces this one.
  public var id: String
  /// The payload, in the form of a remote notification.
  public var payload: ValueObject
  /// The time from scheduling to the first delivery.
  public var delay: Duration
  /// The time between deliveries, or nil to deliver once.
  public var interval: Duration?

  /// Creates a request. Without an interval, the notification is delivered once.
  public init(id: String, payload: ValueObject, delay: Duration, interval: Duration? = nil) {
    self.interval = interval
    self.id = id
    self.payload = payload
    self.delay = delay
  }
}

/// A notification that has arrived or has been answered.
public struct NotificationDelivery: Sendable {
  /// The events that deliver a notification to the app.
  public enum Kind: Sendable, Hashable {
    /// The notification arrived and was not answered.
    case received
    /// A person tapped the notification or one of its buttons, or dismissed it.
    case tapped
  }

  /// The result that the app reports to the system after handling a notification.
  public enum FetchResult: Sendable, Hashable {
    case newData, noData, failed
  }

  /// The identifier of the notification, as in its request.
  public let id: String
  /// The event that happened to the notification.
  public let kind: Kind
  /// The payload, normally an object in Apple's format.
  public let payload: Value
  /// The identifier of the chosen button, as defined by UserNotifications. Nil if no button was chosen.
  public let action: String?
  /// The text typed as a reply, or nil if there is none.
  public let reply: String?
  /// Reports the result to the system. Must be called exactly once (N21, N24).
  public let complete: @Sendable (FetchResult) -> Void

  /// Creates a delivery. By default, the result is not reported to a system.
  public init(
    id: String, kind: Kind, payload: Value, action: String? = nil, reply: String? = nil,
    complete: @escaping @Sendable (FetchResult) -> Void = { _ in }
  ) {
    self.action = action
    self.reply = reply
    self.id = id
    self.kind = kind
    self.payload = payload
    self.complete = complete
  }
}
