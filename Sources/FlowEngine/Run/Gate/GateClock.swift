import Dispatch
import Synchronization

/// The launch gate of a run in real time: the minimum and the maximum on a thread of their own, the state an atomic
/// that plan and clock both advance.
///
/// The gate's thread takes no lock that a step's thread may hold: a lock held by a thread of low priority that the
/// system has set aside would keep the gate shut. It moves the state, notes the time and leaves; the plan is notified
/// afterwards. `waiters` is locked for an append or a swap only, by those who await the gate and by the gate.
final class GateClock: Sendable {
  private let clock: RunClock
  private let state = Atomic<UInt8>(GateState.closed.rawValue)
  private let openedAt = Atomic<Int>(never)
  private let activated = Atomic<Int>(0)
  private let waiters = Mutex<[Waiter]>([])
  private let thread = Mutex<GateThread?>(nil)

  /// Who awaits the gate. Not a bare closure: the runtime would make the type of an array of them at each start.
  private struct Waiter {
    var call: @Sendable (OpenedGate) -> Void
  }

  init(clock: RunClock) { self.clock = clock }

  /// How the gate opened and when, nanoseconds from the start of the run; nil while it is closed.
  var opened: OpenedGate? {
    let time = openedAt.load(ordering: .acquiring)
    guard time != never, let outcome = GateState(rawValue: state.load(ordering: .acquiring)).outcome else { return nil }
    return OpenedGate(outcome, atNanoseconds: time)
  }

  /// When the run was activated, nanoseconds from its start; 0 before.
  var activatedAtNanoseconds: Int { activated.load(ordering: .acquiring) }

  /// Sets the timers for minimum and maximum, both from activation, which is nanoseconds from the start of the run.
  ///
  /// Returns how and when the gate opened when it is open by now. `whenOpened` is told when one of the timers opens it
  /// later, on the gate's thread, which must not wait; ``begin()`` starts that.
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
    // What is due is not waited for: a gate without a minimum opens with its last blocking step.
    let now = clock.now
    for instant in instants where instant.atNanoseconds <= now { send(instant.signal) }
    instants.removeAll { $0.atNanoseconds <= now }
    if let opened { return opened }
    guard !instants.isEmpty else { return nil }
    let gate = GateThread(clock, instants) { [self, hasMaximum = bounds.maximumNanoseconds != nil] signal in
      if opened == nil, let opened = send(signal) { whenOpened(opened) }
      if case .minimumReached = signal, hasMaximum { return }
      // It was the last: a run that is never ended is let go.
      stop()
    }
    thread.withLock { $0 = gate }
    // A virtual clock may move at any moment.
    if clock.virtual != nil { gate.start() }
    if opened != nil { stop() }
    return nil
  }

  /// Starts the timers, once.
  func begin() {
    if clock.virtual == nil { thread.withLock { $0 }?.start() }
  }

  /// Notes when the run was activated.
  func note(_ activatedAtNanoseconds: Int) { activated.store(activatedAtNanoseconds, ordering: .releasing) }

  /// Lets the thread go, which holds the gate while it waits, when the run ends. It goes by itself after its last instant; to
  /// wake it when the gate opens would keep a processor from those who await that.
  func stop() {
    thread.withLock { thread in
      thread?.stop()
      thread = nil
    }
  }

  /// Moves the gate. Returns how and when it opened when this signal or an earlier one opened it.
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

  /// The instant at which the gate opened: that of the first thread that finds it open, for all others too.
  private func noteOpening() -> Int {
    let now = clock.now
    let (isFirst, known) = openedAt.compareExchange(
      expected: never, desired: now, ordering: .acquiringAndReleasing)
    return isFirst ? now : known
  }

  /// Notes when the gate of a run that continues had opened, before it is opened here.
  func note(_ opened: OpenedGate) { openedAt.store(opened.atNanoseconds, ordering: .releasing) }

  /// Calls `waiter` once, possibly under the run's lock, when the gate has opened or never will; at once when that has
  /// happened.
  func whenOpen(_ waiter: @escaping @Sendable (OpenedGate) -> Void) {
    waiters.withLock { $0.append(Waiter(call: waiter)) }
    // The gate may have opened between; anyone who takes the list calls its waiters.
    guard let opened else { return }
    for waiter in waiters.withLock({ exchange(&$0, []) }) { waiter.call(opened) }
  }
}

/// Puts a new value in a variable and returns the old one.
private func exchange<Stored>(_ variable: inout Stored, _ new: Stored) -> Stored {
  let old = variable
  variable = new
  return old
}
