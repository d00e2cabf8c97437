import Dispatch

/// Waits for the minimum and the maximum of a gate and sends the signal for each, never early.
///
/// A separate thread sleeps until the next signal or the end of the run. On Linux, the scheduler ignores the quality of
/// service, and a Dispatch timer needs two threads to fire; next to 64 computing threads, each is delayed by tens of
/// milliseconds. Timers are used only if the system refuses to create a thread.
final class GateThread: Sendable {
  private let clock: RunClock
  private let instants: GateInstants
  private let action: @Sendable (GateState.Signal) -> Void
  /// Sleeps until the next signal. ``stop()`` wakes it.
  private let sleeper = Sleeper()

  /// Creates a thread that calls `action` with each signal at its time, between ``start()`` and ``stop()``.
  init(
    _ clock: RunClock, _ instants: GateInstants, action: @escaping @Sendable (GateState.Signal) -> Void
  ) {
    self.clock = clock
    self.instants = instants
    self.action = action
  }

  func start() {
    if sleeper.isAwake { return }
    if let virtual = clock.virtual {
      startAlarms(virtual)
    } else if !BareThread.start(.prompt, { [self] in wait() }) {
      startTimers()
    }
  }

  /// Stops waiting. `action` is not called afterwards.
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
        // The timer may fire some microseconds early.
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

/// The times of a gate's signals that have not been sent, in nanoseconds from the start of the run, earliest first. It
/// is not an array, because the runtime would create the array's type during the launch of each app.
struct GateInstants: Sequence, IteratorProtocol, Sendable {
  var minimum: Int?
  var maximum: Int?

  var isEmpty: Bool { minimum == nil && maximum == nil }

  mutating func next() -> (signal: GateState.Signal, atNanoseconds: Int)? {
    if let time = minimum, maximum.map({ time <= $0 }) ?? true {
      minimum = nil
      return (.minimumReached, time)
    }
    defer { maximum = nil }
    return maximum.map { (.maximumReached, $0) }
  }
}
