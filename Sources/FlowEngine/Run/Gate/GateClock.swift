import Dispatch
import Synchronization

/// The launch gate of a run in real time. A separate thread waits for minimum and maximum; the state is an atomic that
/// plan and clock both advance.
///
/// The gate's thread takes no lock that a step's thread may hold, because a suspended thread of low priority with the
/// lock would keep the gate closed. It advances the state and records the time; the plan is notified afterwards.
/// `waiters` is only locked for an append or a swap, by tasks that await the gate and by the gate.
final class GateClock: Sendable {
  private let clock: RunClock
  private let state = Atomic<UInt8>(GateState.closed.rawValue)
  private let openedAt = Atomic<Int>(never)
  private let activated = Atomic<Int>(0)
  private let waiters = Mutex<[Waiter]>([])
  private let thread = Mutex<GateThread?>(nil)

  /// A waiter for the gate. Not a closure, because the runtime would create the type of their array at each process
  /// start.
  private struct Waiter {
    var call: @Sendable (OpenedGate) -> Void
  }

  init(clock: RunClock) { self.clock = clock }

  /// The outcome of the gate and its time in nanoseconds from the start of the run, or nil while it is closed.
  var opened: OpenedGate? {
    let time = openedAt.load(ordering: .acquiring)
    guard time != never, let outcome = GateState(rawValue: state.load(ordering: .acquiring)).outcome else { return nil }
    return OpenedGate(outcome, atNanoseconds: time)
  }

  /// The time of activation, in nanoseconds from the start of the run. 0 before activation.
  var activatedAtNanoseconds: Int { activated.load(ordering: .acquiring) }

  /// Sets the timers for minimum and maximum, which count from activation.
  ///
  /// Returns the outcome if the gate is already open. `whenOpened` is called if a timer opens it later, on the gate's
  /// thread, and must not block. ``begin()`` starts the timers.
  func arm(
    activatedAtNanoseconds: Int, _ bounds: GateBounds, whenOpened: @escaping @Sendable (OpenedGate) -> Void
  ) -> OpenedGate? {
    activated.store(activatedAtNanoseconds, ordering: .releasing)
    var instants = [
      GateInstant(signal: .minimumReached, atNanoseconds: activatedAtNanoseconds + bounds.minimumNanoseconds)
    ]
    if let maximum = bounds.maximumNanoseconds {
      instants.append(GateInstant(signal: .maximumReached, atNanoseconds: activatedAtNanoseconds + maximum))
    }
    // Instants that are due are handled now: a gate without a minimum opens with its last blocking step.
    let now = clock.now
    for instant in instants where instant.atNanoseconds <= now { send(instant.signal) }
    instants.removeAll { $0.atNanoseconds <= now }
    if let opened { return opened }
    guard !instants.isEmpty else { return nil }
    let gate = GateThread(clock, instants) { [self, hasMaximum = bounds.maximumNanoseconds != nil] signal in
      if opened == nil, let opened = send(signal) { whenOpened(opened) }
      if case .minimumReached = signal, hasMaximum { return }
      // After the last instant, so a run that never ends can be freed.
      stop()
    }
    thread.withLock { $0 = gate }
    // A virtual clock may advance at any moment.
    if clock.virtual != nil { gate.start() }
    if opened != nil { stop() }
    return nil
  }

  /// Starts the timers, once.
  func begin() {
    if clock.virtual == nil { thread.withLock { $0 }?.start() }
  }

  /// Records the time of activation.
  func note(_ activatedAtNanoseconds: Int) { activated.store(activatedAtNanoseconds, ordering: .releasing) }

  /// Stops the thread when the run ends, because it refers to the gate while it waits. It ends by itself after its last
  /// instant. Waking it when the gate opens would delay the tasks that await the gate.
  func stop() {
    thread.withLock { thread in
      thread?.stop()
      thread = nil
    }
  }

  /// Advances the gate. Returns the outcome if this signal or an earlier one opened it.
  @discardableResult
  func send(_ signal: GateState.Signal) -> OpenedGate? {
    var current = GateState(rawValue: state.load(ordering: .acquiring))
    while true {
      let next = current.after(signal)
      if next == current { break }
      let (exchanged, actual) = state.compareExchange(
        expected: current.rawValue, desired: next.rawValue, ordering: .acquiringAndReleasing)
      current = GateState(rawValue: actual)
      guard exchanged else { continue }
      if let outcome = next.outcome {
        let opened = OpenedGate(outcome, atNanoseconds: noteOpening())
        for waiter in waiters.withLock({ exchange(&$0, []) }) { waiter.call(opened) }
        return opened
      }
      return nil
    }
    return current.outcome.map { OpenedGate($0, atNanoseconds: noteOpening()) }
  }

  /// The instant at which the gate opened: that of the first thread that found it open.
  private func noteOpening() -> Int {
    let now = clock.now
    let (isFirst, known) = openedAt.compareExchange(
      expected: never, desired: now, ordering: .acquiringAndReleasing)
    return isFirst ? now : known
  }

  /// Records when the gate of a resumed run had opened, before it is opened here.
  func note(_ opened: OpenedGate) { openedAt.store(opened.atNanoseconds, ordering: .releasing) }

  /// Calls `waiter` once when the gate has opened or the run has ended without opening it, or at once if that has
  /// happened. The call may be made under the run's lock.
  func whenOpen(_ waiter: @escaping @Sendable (OpenedGate) -> Void) {
    waiters.withLock { $0.append(Waiter(call: waiter)) }
    // The gate may have opened in the meantime. Whichever thread takes the list calls its waiters.
    guard let opened else { return }
    for waiter in waiters.withLock({ exchange(&$0, []) }) { waiter.call(opened) }
  }
}

/// Replaces the value of a variable and returns the old one.
private func exchange<Stored>(_ variable: inout Stored, _ new: Stored) -> Stored {
  let old = variable
  variable = new
  return old
}
