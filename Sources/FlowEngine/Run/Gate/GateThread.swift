import Dispatch

/// Waits for the minimum and the maximum of one gate and calls back at each, never early.
///
/// On Apple's systems a timer on a queue of the highest quality of service is prompt next to any number of busy
/// threads. On Linux quality of service means nothing to the scheduler, and a Dispatch timer takes two threads to fire:
/// next to 64 threads that compute each waits its turn, tens of milliseconds. There the gate has a thread of its own,
/// which sleeps until the next of its two instants, or until the gate has opened.
final class GateThread: Sendable {
  private let clock: RunClock
  private let instants: [(signal: GateState.Signal, atNanoseconds: Int)]
  private let action: @Sendable (GateState.Signal) -> Void
  /// Awake once nothing more should be waited for.
  private let sleeper = Sleeper()

  /// Calls `action` with each signal at its instant, in nanoseconds from the start of the run, until ``stop()``.
  init(
    _ clock: RunClock, _ instants: [(signal: GateState.Signal, atNanoseconds: Int)],
    action: @escaping @Sendable (GateState.Signal) -> Void
  ) {
    self.clock = clock
    self.instants = instants.sorted { $0.atNanoseconds < $1.atNanoseconds }
    self.action = action
    if let virtual = clock.virtual {
      startAlarms(virtual)
    } else if !Sleeper.isSupported || !BareThread.start(.prompt, { [self] in wait() }) {
      startTimers()
    }
  }

  /// Ends the wait; what has not been called will not be.
  func stop() { sleeper.wake() }

  private func startAlarms(_ virtual: VirtualClock) {
    for (signal, nanoseconds) in instants {
      virtual.schedule(atNanoseconds: Int(clock.startNanoseconds) + nanoseconds, isLast: true) { [self] in
        if !sleeper.isAwake { action(signal) }
      }
    }
  }

  private func startTimers() {
    let queue = DispatchQueue(label: "flowrun.gate", qos: .userInteractive)
    for (signal, nanoseconds) in instants {
      queue.asyncAfter(deadline: clock.dispatchTime(nanoseconds), flags: .enforceQoS) { @Sendable [self] in
        while clock.now < nanoseconds {}  // Never early, whatever the timer thinks; it is off by microseconds at most.
        if !sleeper.isAwake { action(signal) }
      }
    }
  }

  private func wait() {
    for (signal, nanoseconds) in instants {
      while clock.now < nanoseconds, !sleeper.isAwake {
        guard sleeper.sleep(until: clock.startNanoseconds &+ UInt64(nanoseconds)) else { return startTimers() }
      }
      if sleeper.isAwake { return }
      action(signal)
    }
  }
}
