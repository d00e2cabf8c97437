import CFlowClock
import Dispatch
import Synchronization

/// What one thread sleeps on until an instant, or until another thread wakes it.
final class Sleeper: Sendable {
  /// Before it is due the thread sleeps in naps: the scheduler forgets its promptness over a long sleep. Next to 64
  /// threads that compute on two cores it woke up to 136 ms late without the wish, up to 87 ms with one long sleep, and
  /// 0.1 ms with naps.
  private static let napNanoseconds: UInt64 = 20_000_000
  private static let nappingNanoseconds: UInt64 = 200_000_000

  /// 1 once it has been woken and has not slept since.
  ///
  /// Proof of safety: one atomic, allocated in `init` and freed in `deinit`; anyone who sleeps or wakes holds this
  /// object.
  private nonisolated(unsafe) let word: UnsafeMutablePointer<Atomic<UInt32>>

  init() {
    word = .allocate(capacity: 1)
    word.initialize(to: Atomic(0))
  }

  deinit {
    word.deinitialize(count: 1)
    word.deallocate()
  }

  /// Whether it has been woken since ``reset()``.
  var isAwake: Bool { word.pointee.load(ordering: .acquiring) != 0 }

  /// Lets the next ``sleep(until:)`` wait, even if it was woken before.
  func reset() { word.pointee.store(0, ordering: .releasing) }

  /// Sleeps towards an instant of the system's monotonic clock, in nanoseconds, or until it is awake; to be called again
  /// until that has come. False at once where the system cannot do it.
  func sleep(until nanoseconds: UInt64) -> Bool {
    let now = DispatchTime.now().uptimeNanoseconds
    let remaining = nanoseconds > now ? nanoseconds - now : 0
    let nap =
      remaining > Self.nappingNanoseconds
      ? remaining - Self.nappingNanoseconds : min(remaining, Self.napNanoseconds)
    return flow_sleep_until(UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self), now + nap) == 1
  }

  /// Wakes it; until ``reset()`` it does not sleep again.
  func wake() {
    word.pointee.store(1, ordering: .releasing)
    flow_wake(UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self))
  }
}
