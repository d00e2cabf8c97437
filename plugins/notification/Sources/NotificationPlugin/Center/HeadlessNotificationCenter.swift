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
    var scheduled: [String: NotificationRequest] = [:]
    var delegate: (@Sendable (NotificationDelivery) -> Void)?
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

  /// Delivers the notification once, after its delay; one with the same identifier is replaced.
  public func add(_ request: NotificationRequest, wake: @escaping UserNotificationCenter.Wake) throws {
    let isFull = state.withLock { state in
      if state.scheduled[request.id] == nil, state.scheduled.count >= Self.scheduledLimit { return true }
      state.scheduled[request.id] = request
      return false
    }
    if isFull {
      throw ActionError(
        "schedule-failed", "\(Self.scheduledLimit) notifications are pending already, which is the limit")
    }
    wake(request.delay) { [weak self] in self?.deliver(request) }
  }

  /// Hands every notification to `delegate` from now on.
  public func setDelegate(_ delegate: (@Sendable (NotificationDelivery) -> Void)?) {
    state.withLock { $0.delegate = delegate }
  }

  private func deliver(_ request: NotificationRequest) {
    let delegate = state.withLock { state -> (@Sendable (NotificationDelivery) -> Void)? in
      // A request that was replaced is delivered by the one that replaced it.
      guard state.scheduled[request.id] == request else { return nil }
      state.scheduled[request.id] = nil
      return state.delegate
    }
    delegate?(NotificationDelivery(id: request.id, kind: .received, payload: .object(request.payload)))
  }
}
