import FlowPluginKit
import Synchronization

/// The state shared by the actions of a run: the running service, its last position, and how to stop it.
final class LocationCenter: Sendable {
  private struct State {
    var latest: Position?
    var count = 0
    var stop: (@Sendable () -> Void)?
    var run: String?
  }

  private let state = Mutex(State())

  /// Registers the only running service of a run; returns false if there already is one.
  func begin(run: String, stop: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard state.stop == nil || state.run != run else { return false }
      state = State(stop: stop, run: run)
      return true
    }
  }

  /// Records a position; returns true for the first one.
  func update(_ position: Position) -> Bool {
    state.withLock { state in
      state.latest = position
      state.count += 1
      return state.count == 1
    }
  }

  /// Removes the service, which has ended.
  func end(run: String) {
    state.withLock { state in
      if state.run == run { state.stop = nil }
    }
  }

  /// Ends the service; returns false if none is running.
  func stop(run: String) -> Bool {
    let stop = state.withLock { state in
      defer { if state.run == run { state.stop = nil } }
      return state.run == run ? state.stop : nil
    }
    stop?()
    return stop != nil
  }

  /// The last position of the run, and the number of positions.
  func latest(run: String) -> (position: Position?, count: Int) {
    state.withLock { $0.run == run ? ($0.latest, $0.count) : (nil, 0) }
  }
}
