import FlowModel
import FlowPluginKit
import Synchronization

/// A notification center that simulates the system. It grants or denies permission as configured, creates a device
/// token, and delivers scheduled notifications to its delegate.
public final class HeadlessNotificationCenter: UserNotificationCenter {
  /// The maximum number of pending local notifications, as on iOS.
  public static let scheduledLimit = 64

  private struct State {
    var isGranted = true
    var scheduled: [String: Scheduled] = [:]
    var count = 0
    var delegate: (@Sendable (NotificationDelivery) -> Void)?
  }

  private struct Scheduled: Sendable {
    var serial: Int
    var request: NotificationRequest
    var wake: UserNotificationCenter.Wake
  }

  private let state = Mutex(State())

  /// Creates a center that grants permission.
  public init() {}

  /// Always false, because scheduled notifications are lost when the process ends.
  public var keepsSchedule: Bool { false }

  /// Sets the answer that the simulated person gives.
  func answer(isGranted: Bool) { state.withLock { $0.isGranted = isGranted } }

  /// Returns the answer of the simulated person.
  public func requestAuthorization(_ options: [NotificationOption]) -> Bool { state.withLock { $0.isGranted } }

  /// Returns 32 random bytes, as many as a device's token has.
  public func registerForRemoteNotifications() -> [UInt8] { (0..<32).map { _ in UInt8.random(in: 0...255) } }

  /// Delivers the notification after its delay and, if it has an interval, repeatedly. A pending notification with the
  /// same identifier is replaced. Throws an error if there are ``scheduledLimit`` others.
  public func add(_ request: NotificationRequest, wake: @escaping UserNotificationCenter.Wake) throws {
    let serial = state.withLock { state -> Int? in
      if state.scheduled[request.id] == nil, state.scheduled.count >= Self.scheduledLimit { return nil }
      state.count += 1
      state.scheduled[request.id] = Scheduled(serial: state.count, request: request, wake: wake)
      return state.count
    }
    guard let serial else {
      throw ActionError(
        "schedule-failed", "\(Self.scheduledLimit) notifications are pending already, which is the limit")
    }
    wake(request.delay) { [weak self] in self?.deliver(request.id, serial) }
  }

  /// Removes the pending notifications with these identifiers, or all pending ones if `ids` is nil.
  public func removePending(_ ids: [String]?) {
    state.withLock { state in
      guard let ids else { return state.scheduled = [:] }
      for id in ids { state.scheduled[id] = nil }
    }
  }

  /// Sets the receiver of all later notifications, or removes it if `delegate` is nil.
  public func setDelegate(_ delegate: (@Sendable (NotificationDelivery) -> Void)?) {
    state.withLock { $0.delegate = delegate }
  }

  private func deliver(_ id: String, _ serial: Int) {
    let (entry, delegate) = state.withLock { state -> (Scheduled?, (@Sendable (NotificationDelivery) -> Void)?) in
      // If the notification was replaced, only its replacement is delivered.
      guard let entry = state.scheduled[id], entry.serial == serial else { return (nil, nil) }
      if entry.request.interval == nil { state.scheduled[id] = nil }
      return (entry, state.delegate)
    }
    guard let entry else { return }
    delegate?(NotificationDelivery(id: id, kind: .received, payload: .object(entry.request.payload)))
    if let interval = entry.request.interval { entry.wake(interval) { [weak self] in self?.deliver(id, serial) } }
  }
}
