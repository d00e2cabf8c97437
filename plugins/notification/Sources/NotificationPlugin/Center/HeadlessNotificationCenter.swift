import FlowModel
import FlowPluginKit
import Synchronization

/// A center without a system behind it: it grants or denies as it is told, makes up a device token, and delivers what
/// is scheduled to anyone who listens then.
public final class HeadlessNotificationCenter: UserNotificationCenter {
  /// The most local notifications that wait at once: what iOS keeps.
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

  /// A center that grants.
  public init() {}

  /// No: what is scheduled here is gone with the process.
  public var keepsSchedule: Bool { false }

  /// What the person will answer.
  func answer(isGranted: Bool) { state.withLock { $0.isGranted = isGranted } }

  /// What the person was told to answer.
  public func requestAuthorization(_ options: [NotificationOption]) -> Bool { state.withLock { $0.isGranted } }

  /// 32 random bytes, as a device would have.
  public func registerForRemoteNotifications() -> [UInt8] { (0..<32).map { _ in UInt8.random(in: 0...255) } }

  /// Delivers the notification after its delay, and again after each interval if it has one; one with the same identifier is
  /// replaced.
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

  /// Forgets what has not been delivered.
  public func removePending(_ ids: [String]?) {
    state.withLock { state in
      guard let ids else { return state.scheduled = [:] }
      for id in ids { state.scheduled[id] = nil }
    }
  }

  /// Hands every notification to `delegate` from now on.
  public func setDelegate(_ delegate: (@Sendable (NotificationDelivery) -> Void)?) {
    state.withLock { $0.delegate = delegate }
  }

  private func deliver(_ id: String, _ serial: Int) {
    let (entry, delegate) = state.withLock { state -> (Scheduled?, (@Sendable (NotificationDelivery) -> Void)?) in
      // A request that was replaced is delivered by the one that replaced it.
      guard let entry = state.scheduled[id], entry.serial == serial else { return (nil, nil) }
      if entry.request.interval == nil { state.scheduled[id] = nil }
      return (entry, state.delegate)
    }
    guard let entry else { return }
    delegate?(NotificationDelivery(id: id, kind: .received, payload: .object(entry.request.payload)))
    if let interval = entry.request.interval { entry.wake(interval) { [weak self] in self?.deliver(id, serial) } }
  }
}
