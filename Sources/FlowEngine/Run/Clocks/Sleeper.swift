import CFlowClock
import Dispatch
import Synchronization

/// Makes one thread sleep until a given time, or until another thread wakes it.
final class Sleeper: Sendable {
  /// In the last 200 ms, the thread sleeps in naps of 20 ms, because the scheduler stops treating it as prompt during a
  /// long sleep. Next to 64 computing threads on two cores, it woke up to 136 ms late without the request for
  /// promptness, up to 87 ms late after one long sleep, and 0.1 ms late with naps.
  private static let napNanoseconds: UInt64 = 20_000_000
  private static let nappingNanoseconds: UInt64 = 200_000_000

  /// 1 if the sleeper was woken since the last reset, otherwise 0.
  ///
  /// Proof of safety: one atomic, allocated in `init` and freed in `deinit`; every thread that sleeps or wakes keeps a
  /// reference to this object.
  private nonisolated(unsafe) let word: UnsafeMutablePointer<Atomic<UInt32>>

  init() {
    word = .allocate(capacity: 1)
    word.initialize(to: Atomic(0))
  }

  deinit {
    word.deinitialize(count: 1)
    word.deallocate()
  }

  /// True if ``wake()`` was called since the last ``reset()``.
  var isAwake: Bool { word.pointee.load(ordering: .acquiring) != 0 }

  /// Resets the state, so that the next ``sleep(until:)`` sleeps even if ``wake()`` was called before.
  func reset() { word.pointee.store(0, ordering: .releasing) }

  /// Sleeps until a time on the system's monotonic clock, in nanoseconds, or until ``wake()``. It may return early, so
  /// the caller repeats the call until that time. Returns false if the system does not support such a sleep.
  func sleep(until nanoseconds: UInt64) -> Bool {
    let now = DispatchTime.now().uptimeNanoseconds
    let remaining = nanoseconds > now ? nanoseconds - now : 0
    let nap =
      remaining > Self.nappingNanoseconds
      ? remaining - Self.nappingNanoseconds : min(remaining, Self.napNanoseconds)
    return flow_sleep_until(UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self), now + nap) == 1
  }

  /// Wakes the thread. Later calls to ``sleep(until:)`` return immediately until ``reset()``.
  func wake() {
    word.pointee.store(1, ordering: .releasing)
    flow_wake(UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self))
  }
}
