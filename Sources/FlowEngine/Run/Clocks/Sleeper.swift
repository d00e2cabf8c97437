import CFlowClock
import Dispatch
import Synchronization

/// Lets one thread sleep until an instant, or until another thread wakes it.
final class Sleeper: Sendable {
  /// The thread sleeps in naps before it is due, because the scheduler forgets its promptness during a long sleep. Next
  /// to 64 computing threads on two cores it woke up to 136 ms late without the request for promptness, up to 87 ms
  /// late with one long sleep, and 0.1 ms late with naps.
  private static let napNanoseconds: UInt64 = 20_000_000
  private static let nappingNanoseconds: UInt64 = 200_000_000

  /// 1 if it has been woken since the last reset.
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

  /// True if it has been woken since ``reset()``.
  var isAwake: Bool { word.pointee.load(ordering: .acquiring) != 0 }

  /// Allows the next ``sleep(until:)`` to wait, even if it was woken before.
  func reset() { word.pointee.store(0, ordering: .releasing) }

  /// Sleeps towards an instant of the system's monotonic clock, in nanoseconds, or until woken. Call it again until the
  /// instant has come. Returns false at once if the system does not support it.
  func sleep(until nanoseconds: UInt64) -> Bool {
    let now = DispatchTime.now().uptimeNanoseconds
    let remaining = nanoseconds > now ? nanoseconds - now : 0
    let nap =
      remaining > Self.nappingNanoseconds
      ? remaining - Self.nappingNanoseconds : min(remaining, Self.napNanoseconds)
    return flow_sleep_until(UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self), now + nap) == 1
  }

  /// Wakes the thread. It does not sleep again until ``reset()``.
  func wake() {
    word.pointee.store(1, ordering: .releasing)
    flow_wake(UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self))
  }
}
