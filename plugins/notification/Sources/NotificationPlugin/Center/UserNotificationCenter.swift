import FlowModel
import FlowPluginKit

/// The system's notification center: an app implements it with UserNotifications; flowrun includes a headless one.
///
/// Methods may be called on any thread.
public protocol UserNotificationCenter: Sendable {
  /// The permission recorded by the system, without asking; nil if the system keeps no record and the store is used.
  func isAuthorized() async throws -> Bool?
  /// True if the system keeps scheduled notifications after the application ends; otherwise the data folder does.
  var keepsSchedule: Bool { get }
  /// Asks the person, or returns the earlier answer; throws an error if the system cannot ask.
  func requestAuthorization(_ options: [NotificationOption]) async throws -> Bool
  /// Registers for remote notifications and returns the bytes of the device token (N22).
  func registerForRemoteNotifications() async throws -> [UInt8]
  /// Schedules a local notification; `wake` calls back after a time on the run's clock, for centers without their own
  /// timers.
  func add(_ request: NotificationRequest, wake: @escaping Wake) throws
  /// Removes pending local notifications, or all of them if `ids` is nil.
  func removePending(_ ids: [String]?)
  /// Sets the receiver of all further notifications; nil removes it (N15).
  func setDelegate(_ delegate: (@Sendable (NotificationDelivery) -> Void)?)

  /// Calls a handler once after a delay.
  typealias Wake = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
}

extension UserNotificationCenter {
  /// Returns nil by default, because the permission is unknown.
  public func isAuthorized() async throws -> Bool? { nil }
  /// The default is true, as on a device.
  public var keepsSchedule: Bool { true }
}

/// The ways in which a notification may alert the person.
public enum NotificationOption: String, FieldWord {
  case alert, sound, badge
}

/// A local notification to be delivered once (N32) or repeatedly.
public struct NotificationRequest: Sendable, Hashable {
  /// The identifier; a later request with the same one replaces this one.
  public var id: String
  /// The payload, in the form of a remote notification.
  public var payload: ValueObject
  /// The delay before the first delivery.
  public var delay: Duration
  /// The time between deliveries, or nil to deliver once.
  public var interval: Duration?

  /// Creates a request.
  public init(id: String, payload: ValueObject, delay: Duration, interval: Duration? = nil) {
    self.interval = interval
    self.id = id
    self.payload = payload
    self.delay = delay
  }
}

/// A notification that arrived or was tapped.
public struct NotificationDelivery: Sendable {
  /// The kinds of deliveries.
  public enum Kind: Sendable, Hashable {
    /// The notification arrived and was not tapped.
    case received
    /// A person tapped the notification.
    case tapped
  }

  /// The app's result of handling the notification, for the system.
  public enum FetchResult: Sendable, Hashable {
    case newData, noData, failed
  }

  /// The identifier of the notification.
  public let id: String
  /// The kind of delivery.
  public let kind: Kind
  /// The payload.
  public let payload: Value
  /// The identifier of the chosen action, as defined by UserNotifications, or nil if the notification itself was
  /// tapped.
  public let action: String?
  /// The text that the person replied with.
  public let reply: String?
  /// Must be called exactly once (N21, N24).
  public let complete: @Sendable (FetchResult) -> Void

  /// Creates the delivery of a notification that arrived or was tapped.
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
