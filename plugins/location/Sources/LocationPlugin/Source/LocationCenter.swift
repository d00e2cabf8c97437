import FlowPluginKit
import Synchronization

/// The state that the location actions of a run share: the running service, and its last position.
final class LocationCenter: Sendable {
  private struct State {
    var latest: Position?
    var count = 0
    var stop: (@Sendable () -> Void)?
    var run: String?
  }

  private let state = Mutex(State())

  /// Registers the location service of a run. It replaces the service of another run. Returns false if the run already
  /// has a service.
  func begin(run: String, stop: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard state.stop == nil || state.run != run else { return false }
      state = State(stop: stop, run: run)
      return true
    }
  }

  /// Records a position. Returns true if it is the first one.
  func update(_ position: Position) -> Bool {
    state.withLock { state in
      state.latest = position
      state.count += 1
      return state.count == 1
    }
  }

  /// Removes the service of a run after it has ended.
  func end(run: String) {
    state.withLock { state in
      if state.run == run { state.stop = nil }
    }
  }

  /// Stops the service of a run. Returns false if the run has no service.
  func stop(run: String) -> Bool {
    let stop = state.withLock { state in
      defer { if state.run == run { state.stop = nil } }
      return state.run == run ? state.stop : nil
    }
    stop?()
    return stop != nil
  }

  /// Returns the last position of the run and the number of its positions so far, even after its service has ended.
  /// Returns nil and 0 for any run except the last one to register a service.
  func latest(run: String) -> (position: Position?, count: Int) {
    state.withLock { $0.run == run ? ($0.latest, $0.count) : (nil, 0) }
  }
}
