import Dispatch

/// Waits for the minimum and the maximum of one gate and calls back at each, never early.
///
/// The gate has a thread of its own, which sleeps until the next of its two instants, or until the run has ended. On Linux
/// quality of service means nothing to the scheduler, and a Dispatch timer takes two threads to fire: next to 64 threads
/// that compute each waits its turn, tens of milliseconds. Only where the system gives no thread there are timers.
final class GateThread: Sendable {
  private let clock: RunClock
  private let instants: [GateInstant]
  private let action: @Sendable (GateState.Signal) -> Void
  /// Awake once nothing more should be waited for.
  private let sleeper = Sleeper()

  /// Calls `action` with each signal at its instant, in nanoseconds from the start of the run, from ``start()`` until
  /// ``stop()``.
  init(
    _ clock: RunClock, _ instants: [GateInstant], action: @escaping @Sendable (GateState.Signal) -> Void
  ) {
    self.clock = clock
    self.instants = instants.sorted { $0.atNanoseconds < $1.atNanoseconds }
    self.action = action
  }

  /// Begins to wait.
  func start() {
    if sleeper.isAwake { return }
    if let virtual = clock.virtual {
      startAlarms(virtual)
    } else if !BareThread.start(.prompt, { [self] in wait() }) {
      startTimers()
    }
  }

  /// Ends the wait; what has not been called will not be.
  func stop() { sleeper.wake() }

  private func startAlarms(_ virtual: VirtualClock) {
    for instant in instants {
      virtual.schedule(atNanoseconds: Int(clock.startNanoseconds) + instant.atNanoseconds, isLast: true) { [self] in
        if !sleeper.isAwake { action(instant.signal) }
      }
    }
  }

  private func startTimers() {
    let queue = DispatchQueue(label: "flowrun.gate", qos: .userInteractive)
    for instant in instants {
      StrictTimer.start(at: clock.dispatchTime(instant.atNanoseconds), on: queue) { [self] in
        // Never early, whatever the timer thinks; it is off by microseconds at most.
        while clock.now < instant.atNanoseconds {}
        if !sleeper.isAwake { action(instant.signal) }
      }
    }
  }

  private func wait() {
    for instant in instants {
      while clock.now < instant.atNanoseconds, !sleeper.isAwake {
        let end = clock.startNanoseconds &+ UInt64(instant.atNanoseconds)
        guard sleeper.sleep(until: end) else { return startTimers() }
      }
      if sleeper.isAwake { return }
      action(instant.signal)
    }
  }
}

/// A signal to a gate and when it is due, in nanoseconds from the start of the run. Not a tuple: the runtime would make the
/// type of an array of them at each start.
struct GateInstant: Sendable {
  var signal: GateState.Signal
  var atNanoseconds: Int
}
