import CFlowClock
import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Waits for the floor and the ceiling of one gate and calls back at each, never early.
///
/// On Apple's systems a timer on a queue of the highest quality of service is prompt beside any number of busy threads.
/// On Linux quality of service means nothing to the scheduler, and a Dispatch timer takes two threads to fire: beside 64
/// threads that compute each waits its turn, tens of milliseconds. There the gate has a thread of its own, which asks the
/// scheduler for promptness and sleeps until the next of its two instants, or until the gate has opened.
final class GateThread: Sendable {
  /// The thread sleeps in naps: the scheduler forgets its promptness over a long sleep. Beside 64 threads that compute
  /// on two cores it woke up to 136 ms late without the wish, up to 87 ms with one long sleep, and 0.1 ms with naps.
  private static let napNanoseconds = 20_000_000

  private let clock: RunClock
  private let instants: [(signal: GateState.Signal, atNanoseconds: Int)]
  private let action: @Sendable (GateState.Signal) -> Void
  /// 1 once nothing more is to be waited for; the thread sleeps on it.
  ///
  /// Proof of safety: one atomic, allocated in `init` and freed in `deinit`; the thread holds this object while it waits.
  private nonisolated(unsafe) let isOver: UnsafeMutablePointer<Atomic<UInt32>>

  /// Calls `action` with each signal at its instant, in nanoseconds from the start of the run, until ``stop()``.
  init(
    _ clock: RunClock, _ instants: [(signal: GateState.Signal, atNanoseconds: Int)],
    action: @escaping @Sendable (GateState.Signal) -> Void
  ) {
    self.clock = clock
    self.instants = instants.sorted { $0.atNanoseconds < $1.atNanoseconds }
    self.action = action
    isOver = .allocate(capacity: 1)
    isOver.initialize(to: Atomic(0))
    #if canImport(Darwin)
      startTimers()
    #else
      if !startThread() { startTimers() }
    #endif
  }

  deinit {
    isOver.deinitialize(count: 1)
    isOver.deallocate()
  }

  /// Ends the wait; what has not been called will not be.
  func stop() {
    isOver.pointee.store(1, ordering: .releasing)
    flow_wake(UnsafeRawPointer(isOver).assumingMemoryBound(to: UInt32.self))
  }

  private func startTimers() {
    let queue = DispatchQueue(label: "flowrun.gate", qos: .userInteractive)
    for (signal, nanoseconds) in instants {
      queue.asyncAfter(deadline: clock.dispatchTime(nanoseconds), flags: .enforceQoS) { @Sendable [self] in
        while clock.now < nanoseconds {}  // Never early, whatever the timer thinks; it is off by microseconds at most.
        action(signal)
      }
    }
  }

  #if !canImport(Darwin)
    /// False when the system gives no thread.
    private func startThread() -> Bool {
      var thread = pthread_t()
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
      defer { pthread_attr_destroy(&attributes) }
      let box = Unmanaged.passRetained(self)
      let code = pthread_create(
        &thread, &attributes,
        { box in
          Unmanaged<GateThread>.fromOpaque(box!).takeRetainedValue().wait()
          return nil
        }, box.toOpaque())
      if code != 0 { box.release() }
      return code == 0
    }

    private func wait() {
      flow_prefer_promptness()
      let word = UnsafeRawPointer(isOver).assumingMemoryBound(to: UInt32.self)
      for (signal, nanoseconds) in instants {
        while case let now = clock.now, now < nanoseconds, isOver.pointee.load(ordering: .acquiring) == 0 {
          let until = clock.startNanoseconds + UInt64(min(nanoseconds, now + Self.napNanoseconds))
          guard flow_sleep_until(word, until) == 1 else { return startTimers() }
        }
        if isOver.pointee.load(ordering: .acquiring) != 0 { return }
        action(signal)
      }
    }
  #endif
}
