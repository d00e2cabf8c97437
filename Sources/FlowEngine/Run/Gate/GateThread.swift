import Dispatch

/// Waits for the minimum and the maximum of one gate and calls back at each, never early.
///
/// The gate has a separate thread, which sleeps until the next of its two instants or the end of the run. On Linux the
/// scheduler ignores quality of service, and a Dispatch timer needs two threads to fire. Next to 64 computing threads
/// each of these is delayed by tens of milliseconds. Timers are only used if the system refuses a thread.
final class GateThread: Sendable {
  private let clock: RunClock
  private let instants: [GateInstant]
  private let action: @Sendable (GateState.Signal) -> Void
  /// Woken when there is nothing left to wait for.
  private let sleeper = Sleeper()

  /// Creates a thread that calls `action` with each signal at its instant, in nanoseconds from the start of the run,
  /// between ``start()`` and ``stop()``.
  init(
    _ clock: RunClock, _ instants: [GateInstant], action: @escaping @Sendable (GateState.Signal) -> Void
  ) {
    self.clock = clock
    self.instants = instants.sorted { $0.atNanoseconds < $1.atNanoseconds }
    self.action = action
  }

  /// Starts to wait.
  func start() {
    if sleeper.isAwake { return }
    if let virtual = clock.virtual {
      startAlarms(virtual)
    } else if !BareThread.start(.prompt, { [self] in wait() }) {
      startTimers()
    }
  }

  /// Stops waiting. No more calls are made.
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
        // Never early, even if the timer is; it is off by microseconds at most.
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

/// A signal to a gate and its time, in nanoseconds from the start of the run. Not a tuple, because the runtime would
/// create the type of their array at each process start.
struct GateInstant: Sendable {
  var signal: GateState.Signal
  var atNanoseconds: Int
}
