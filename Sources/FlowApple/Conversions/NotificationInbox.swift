import NotificationPlugin
import Synchronization

/// Queues notifications until the run listens for them. A tap that launches the app arrives before any step has run.
///
/// Notifications are passed on one at a time, in the order of their arrival.
final class NotificationInbox: Sendable {
  /// The maximum number of queued notifications.
  static let limit = 64

  private struct State {
    var waiting: [NotificationDelivery] = []
    var delegate: (@Sendable (NotificationDelivery) -> Void)?
    var isPassingOn = false
  }

  private let state = Mutex(State())

  /// Passes notifications on to `delegate`, starting with the queued ones. If it is nil, notifications are queued
  /// again.
  func setDelegate(_ delegate: (@Sendable (NotificationDelivery) -> Void)?) {
    state.withLock { $0.delegate = delegate }
    passOn()
  }

  /// Receives a notification. If the queue is full, the notification is completed as failed.
  func deliver(_ delivery: NotificationDelivery) {
    let hasRoom = state.withLock { state in
      guard state.waiting.count < Self.limit else { return false }
      state.waiting.append(delivery)
      return true
    }
    if hasRoom { passOn() } else { delivery.complete(.failed) }
  }

  private func passOn() {
    var isFirst = true
    while let (delivery, delegate) = next(isFirst: isFirst) {
      delegate(delivery)
      isFirst = false
    }
  }

  /// Removes and returns the next notification to pass on. Returns nil if none is queued, there is no delegate, or
  /// another thread is passing notifications on.
  private func next(isFirst: Bool) -> (NotificationDelivery, @Sendable (NotificationDelivery) -> Void)? {
    state.withLock { state in
      if isFirst, state.isPassingOn { return nil }
      guard let delegate = state.delegate, !state.waiting.isEmpty else {
        state.isPassingOn = false
        return nil
      }
      state.isPassingOn = true
      return (state.waiting.removeFirst(), delegate)
    }
  }
}
