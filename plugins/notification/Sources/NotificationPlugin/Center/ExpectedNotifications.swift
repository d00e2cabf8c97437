import FlowModel
import FlowPluginKit
import Synchronization

/// The scheduled notifications for which runs of this process wait. Such a run is not idle.
final class ExpectedNotifications: Sendable {
  private struct Expected: Sendable {
    var serial: Int
    var host: any ActionHost
  }

  private struct State {
    var entries: [String: Expected] = [:]
    var count = 0
  }

  private let state = Mutex(State())

  /// Calls the handler after a delay on the clock of `host`. Until then, or until ``cancel(_:)`` or another call for
  /// the same notification, the run is not idle.
  func wake(_ id: String, after delay: Duration, _ host: any ActionHost, _ handler: @escaping @Sendable () -> Void) {
    host.expectFromOutside(1)
    let (serial, replaced) = state.withLock { state in
      state.count += 1
      let entry = Expected(serial: state.count, host: host)
      return (state.count, state.entries.updateValue(entry, forKey: id))
    }
    replaced?.host.expectFromOutside(-1)
    host.wake(after: delay) { [self] in
      handler()
      end(id, serial)
    }
  }

  /// Stops waiting for a notification.
  func cancel(_ id: String) { end(id, nil) }

  private func end(_ id: String, _ serial: Int?) {
    let entry = state.withLock { state -> Expected? in
      guard let entry = state.entries[id], serial == nil || serial == entry.serial else { return nil }
      return state.entries.removeValue(forKey: id)
    }
    entry?.host.expectFromOutside(-1)
  }
}
