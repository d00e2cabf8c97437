import FlowPluginKit
import Synchronization

/// A clock that advances only when a test advances it. One task at a time can sleep on it.
final class SteppedClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Swift.Duration
    func advanced(by duration: Swift.Duration) -> Self { Instant(offset: offset + duration) }
    func duration(to other: Self) -> Swift.Duration { other.offset - offset }
    static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant(offset: .zero)
    var sleeper: (deadline: Instant, ticket: OneShot<Void>)?
  }

  private let state = Mutex(State())
  private let sleeps = OneShot<Void>()

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Swift.Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
    let ticket = OneShot<Void>()
    state.withLock { $0.sleeper = (deadline, ticket) }
    sleeps.finish(())
    await ticket.wait()
  }

  /// Waits until a task sleeps on the clock.
  func sleeper() async { await sleeps.wait() }

  func advance(to offset: Swift.Duration) {
    let due = state.withLock { state -> OneShot<Void>? in
      state.now = Instant(offset: offset)
      guard let sleeper = state.sleeper, sleeper.deadline <= state.now else { return nil }
      return sleeper.ticket
    }
    due?.finish(())
  }
}
