import FlowModel
import FlowPluginKit

/// What the system offers for notifications: an app implements it over UserNotifications, flowrun brings a headless one.
///
/// Calls come on any thread.
public protocol UserNotificationCenter: Sendable {
  /// What the system has on record of the permission, without asking; nil if it keeps none and the store does.
  func isAuthorized() async throws -> Bool?
  /// Whether the system itself keeps what is scheduled when the application is gone; otherwise the data folder does.
  var keepsSchedule: Bool { get }
  /// Asks the person, or answers what was answered before; throws when the system cannot ask.
  func requestAuthorization(_ options: [NotificationOption]) async throws -> Bool
  /// Registers for remote notifications; the bytes of the device token (N22).
  func registerForRemoteNotifications() async throws -> [UInt8]
  /// Schedules a local notification; `wake` calls back after a time on the run's clock, for centers without their own.
  func add(_ request: NotificationRequest, wake: @escaping Wake) throws
  /// Takes back local notifications that have not been delivered; nil: all of them.
  func removePending(_ ids: [String]?)
  /// Hands every notification to `delegate` from now on; nil ends it (N15).
  func setDelegate(_ delegate: (@Sendable (NotificationDelivery) -> Void)?)

  /// Calls a handler once, after a time.
  typealias Wake = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
}

extension UserNotificationCenter {
  /// Not known.
  public func isAuthorized() async throws -> Bool? { nil }
  /// Yes, as a device's system does.
  public var keepsSchedule: Bool { true }
}

/// How a notification may make itself felt.
public enum NotificationOption: String, FieldWord {
  case alert, sound, badge
}

/// A local notification to be delivered once (N32), or again and again.
public struct NotificationRequest: Sendable, Hashable {
  /// Its identifier: the next one with the same identifier replaces it.
  public var id: String
  /// The payload, as a remote notification would have it.
  public var payload: ValueObject
  /// The delay before it is delivered.
  public var delay: Duration
  /// The time between two deliveries; nil: it is delivered once.
  public var interval: Duration?

  /// A request.
  public init(id: String, payload: ValueObject, delay: Duration, interval: Duration? = nil) {
    self.interval = interval
    self.id = id
    self.payload = payload
    self.delay = delay
  }
}

/// A notification that came, or was tapped.
public struct NotificationDelivery: Sendable {
  /// What happened.
  public enum Kind: Sendable, Hashable {
    /// It arrived and was not tapped.
    case received
    /// A person tapped it.
    case tapped
  }

  /// What the app did with it, for the system.
  public enum FetchResult: Sendable, Hashable {
    case newData, noData, failed
  }

  /// Its identifier.
  public let id: String
  /// What happened.
  public let kind: Kind
  /// The payload.
  public let payload: Value
  /// The identifier of the action that the person chose, as UserNotifications gives it; nil: the notification was tapped.
  public let action: String?
  /// The text that the person replied with.
  public let reply: String?
  /// To be called exactly once (N21, N24).
  public let complete: @Sendable (FetchResult) -> Void

  /// A notification that came or was tapped.
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
