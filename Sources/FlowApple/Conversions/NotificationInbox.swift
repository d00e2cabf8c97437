import NotificationPlugin
import Synchronization

/// Keeps notifications until the run listens for them: a tap that launches the app comes before any step has run.
///
/// They are passed on one after the other, in the order in which they came.
final class NotificationInbox: Sendable {
  /// The number of notifications that may wait.
  static let limit = 64

  private struct State {
    var waiting: [NotificationDelivery] = []
    var delegate: (@Sendable (NotificationDelivery) -> Void)?
    var isPassingOn = false
  }

  private let state = Mutex(State())

  /// Passes notifications on to `delegate`, those that wait first; nil: they wait again.
  func setDelegate(_ delegate: (@Sendable (NotificationDelivery) -> Void)?) {
    state.withLock { $0.delegate = delegate }
    passOn()
  }

  /// Takes a notification. One that finds no room is answered with a failure.
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

  /// The next notification to pass on; nil if there is none, or another thread passes them on.
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
