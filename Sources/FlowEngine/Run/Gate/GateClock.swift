import Dispatch
import Synchronization

/// The launch gate of a run in real time. Its state is an atomic that the plan and the gate's own thread, which waits
/// for minimum and maximum, both update.
///
/// The thread takes no lock that a step's thread may hold, because a suspended thread of low priority with the lock
/// would keep the gate closed. It updates the state and records the time; the plan is notified afterwards. `waiters` is
/// locked only to append or swap, by tasks that wait for the gate and by the gate itself.
final class GateClock: Sendable {
  private let clock: RunClock
  private let state = Atomic<UInt8>(GateState.closed.rawValue)
  private let openedAt = Atomic<Int>(never)
  private let activated = Atomic<Int>(0)
  private let waiters = Mutex<[Waiter]>([])
  private let thread = Mutex<GateThread?>(nil)

  /// A closure that waits for the gate. An array of plain closures would make the runtime create its type at each
  /// process start.
  private struct Waiter {
    var call: @Sendable (OpenedGate) -> Void
  }

  init(clock: RunClock) { self.clock = clock }

  /// The outcome of the gate with its time, in nanoseconds from the start of the run, or nil while it is closed.
  var opened: OpenedGate? {
    let time = openedAt.load(ordering: .acquiring)
    guard time != never, let outcome = GateState(rawValue: state.load(ordering: .acquiring)).outcome else { return nil }
    return OpenedGate(outcome, atNanoseconds: time)
  }

  /// The time of activation in nanoseconds from the start of the run, or 0 before activation.
  var activatedAtNanoseconds: Int { activated.load(ordering: .acquiring) }

  /// Prepares the timers for minimum and maximum, which count from activation. ``begin()`` starts them.
  ///
  /// Returns the outcome if the gate is open already. Otherwise, if a timer opens it, `whenOpened` is called on the
  /// gate's thread; it must not block.
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
    // Signals that are due are sent now. So a gate without a minimum opens with the end of its last blocking step.
    let now = clock.now
    for instant in instants where instant.atNanoseconds <= now { send(instant.signal) }
    instants.removeAll { $0.atNanoseconds <= now }
    if let opened { return opened }
    guard !instants.isEmpty else { return nil }
    let gate = GateThread(clock, instants) { [self, hasMaximum = bounds.maximumNanoseconds != nil] signal in
      if opened == nil, let opened = send(signal) { whenOpened(opened) }
      if case .minimumReached = signal, hasMaximum { return }
      // No signals remain. Without this, a run that never ends could not be freed.
      stop()
    }
    thread.withLock { $0 = gate }
    // A virtual clock may advance at any time.
    if clock.virtual != nil { gate.start() }
    if opened != nil { stop() }
    return nil
  }

  /// Starts the timers of ``arm(activatedAtNanoseconds:_:whenOpened:)``. Later calls have no effect.
  func begin() {
    if clock.virtual == nil { thread.withLock { $0 }?.start() }
  }

  func note(_ activatedAtNanoseconds: Int) { activated.store(activatedAtNanoseconds, ordering: .releasing) }

  /// Stops the thread at the end of the run, because it keeps the gate in memory while it waits. This is not done when
  /// the gate opens, because it would delay the tasks that wait for it.
  func stop() {
    thread.withLock { thread in
      thread?.stop()
      thread = nil
    }
  }

  /// Sends a signal to the gate. Returns the outcome if the gate is open afterwards.
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

  /// Records the time of the opening, unless another thread has. Returns the recorded time.
  private func noteOpening() -> Int {
    let now = clock.now
    let (isFirst, known) = openedAt.compareExchange(
      expected: never, desired: now, ordering: .acquiringAndReleasing)
    return isFirst ? now : known
  }

  /// Records the opening of a resumed run's gate in an earlier process. Call it before the gate opens in this one.
  func note(_ opened: OpenedGate) { openedAt.store(opened.atNanoseconds, ordering: .releasing) }

  /// Calls `waiter` once when the gate opens or the run ends without opening it, or immediately if that has happened.
  /// The run's lock may be held during the call.
  func whenOpen(_ waiter: @escaping @Sendable (OpenedGate) -> Void) {
    waiters.withLock { $0.append(Waiter(call: waiter)) }
    // The gate may have opened meanwhile. The thread that removes the waiters from the list calls them.
    guard let opened else { return }
    for waiter in waiters.withLock({ exchange(&$0, []) }) { waiter.call(opened) }
  }
}

private func exchange<Stored>(_ variable: inout Stored, _ new: Stored) -> Stored {
  let old = variable
  variable = new
  return old
}
