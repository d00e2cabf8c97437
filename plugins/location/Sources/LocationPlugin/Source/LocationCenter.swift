import FlowPluginKit
import Synchronization

/// What the actions of a run share: whether the service runs, where the device was last, and how to stop it.
final class LocationCenter: Sendable {
  private struct State {
    var latest: Position?
    var count = 0
    var stop: (@Sendable () -> Void)?
    var run: String?
  }

  private let state = Mutex(State())

  /// Takes the place of the one running service of a run; false when there is one already.
  func begin(run: String, stop: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard state.stop == nil || state.run != run else { return false }
      state = State(stop: stop, run: run)
      return true
    }
  }

  /// Notes a position; true for the first.
  func note(_ position: Position) -> Bool {
    state.withLock { state in
      state.latest = position
      state.count += 1
      return state.count == 1
    }
  }

  /// The service is over.
  func end(run: String) {
    state.withLock { state in
      if state.run == run { state.stop = nil }
    }
  }

  /// Ends the service; false when none runs.
  func stop(run: String) -> Bool {
    let stop = state.withLock { state in
      defer { if state.run == run { state.stop = nil } }
      return state.run == run ? state.stop : nil
    }
    stop?()
    return stop != nil
  }

  /// The last position of the run and how many there were.
  func latest(run: String) -> (position: Position?, count: Int) {
    state.withLock { $0.run == run ? ($0.latest, $0.count) : (nil, 0) }
  }
}
