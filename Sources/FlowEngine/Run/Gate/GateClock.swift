import Dispatch
import Synchronization

/// The launch gate of a run in real time. Its state is an atomic that both the plan and the gate's thread update. The
/// thread waits for minimum and maximum.
///
/// The thread takes no lock that a step's thread may hold, because a suspended thread of low priority with the lock
/// would keep the gate closed. It updates the state and records the time; the plan is notified afterwards. `waiters` is
/// locked only to add a waiter or to take the whole list.
final class GateClock: Sendable {
  private let clock: RunClock
  private let state = Atomic<UInt8>(GateState.closed.rawValue)
  private let openedAt = Atomic<Int>(never)
  private let activated = Atomic<Int>(0)
  /// The newest waiter.
  private let waiters = Mutex<Waiter?>(nil)
  private let thread = Mutex<GateThread?>(nil)

  /// A closure that waits for the gate, in a list. It is not in an array, because the runtime would create the array's
  /// type each time the process starts.
  private final class Waiter: Sendable {
    let call: @Sendable (OpenedGate) -> Void
    let next: Waiter?

    init(_ call: @escaping @Sendable (OpenedGate) -> Void, next: Waiter?) {
      self.call = call
      self.next = next
    }
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
  /// Returns the outcome if the gate is open already. Otherwise returns nil, and calls `whenOpened` on the gate's
  /// thread if a timer opens the gate. `whenOpened` must not block.
  func arm(
    activatedAtNanoseconds: Int, _ bounds: GateBounds, whenOpened: @escaping @Sendable (OpenedGate) -> Void
  ) -> OpenedGate? {
    activated.store(activatedAtNanoseconds, ordering: .releasing)
    var instants = GateInstants(
      minimum: activatedAtNanoseconds + bounds.minimumNanoseconds,
      maximum: bounds.maximumNanoseconds.map { activatedAtNanoseconds + $0 })
    // Send the signals that are due, so that a gate without a minimum opens when its last blocking step ends.
    let now = clock.now
    if let minimum = instants.minimum, minimum <= now {
      send(.minimumReached)
      instants.minimum = nil
    }
    if let maximum = instants.maximum, maximum <= now {
      send(.maximumReached)
      instants.maximum = nil
    }
    if let opened { return opened }
    guard !instants.isEmpty else { return nil }
    let gate = GateThread(clock, instants) { [self, hasMaximum = bounds.maximumNanoseconds != nil] signal in
      if opened == nil, let opened = send(signal) { whenOpened(opened) }
      if case .minimumReached = signal, hasMaximum { return }
      // No signal is left. If the thread were kept, a run that never ends could not be freed.
      stop()
    }
    thread.withLock { $0 = gate }
    // A virtual clock may advance at any time, so start at once.
    if clock.virtual != nil { gate.start() }
    if opened != nil { stop() }
    return nil
  }

  /// Starts the timers of ``arm(activatedAtNanoseconds:_:whenOpened:)``. Later calls have no effect.
  func begin() {
    if clock.virtual == nil { thread.withLock { $0 }?.start() }
  }

  func note(_ activatedAtNanoseconds: Int) { activated.store(activatedAtNanoseconds, ordering: .releasing) }

  /// Stops the gate's thread at the end of the run, because a waiting thread keeps the gate in memory. This is not done
  /// when the gate opens, because it would delay the tasks that wait for it.
  func stop() {
    thread.withLock { thread in
      thread?.stop()
      thread = nil
    }
  }

  /// Sends a signal to the gate. Returns the outcome if the gate is open afterwards, otherwise nil.
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
        callWaiters(opened)
        return opened
      }
      return nil
    }
    return current.outcome.map { OpenedGate($0, atNanoseconds: noteOpening()) }
  }

  /// Records the time of the opening, unless another thread has done so. Returns the recorded time.
  private func noteOpening() -> Int {
    let now = clock.now
    let (isFirst, known) = openedAt.compareExchange(
      expected: never, desired: now, ordering: .acquiringAndReleasing)
    return isFirst ? now : known
  }

  /// Records that an earlier process of a resumed run has opened the gate. Call this before the gate opens in this
  /// process.
  func note(_ opened: OpenedGate) { openedAt.store(opened.atNanoseconds, ordering: .releasing) }

  /// Calls `waiter` once: when the gate opens, when the run ends without opening it, or at once if either has happened.
  /// The run's lock may be held during the call.
  func whenOpen(_ waiter: @escaping @Sendable (OpenedGate) -> Void) {
    waiters.withLock { $0 = Waiter(waiter, next: $0) }
    // The gate may have opened in the meantime. Whichever thread removes a waiter from the list calls it.
    if let opened { callWaiters(opened) }
  }

  /// Calls the waiters in the order in which they were added.
  private func callWaiters(_ opened: OpenedGate) {
    var newestFirst = waiters.withLock { waiters in
      defer { waiters = nil }
      return waiters
    }
    var oldestFirst: Waiter?
    while let waiter = newestFirst {
      oldestFirst = Waiter(waiter.call, next: oldestFirst)
      newestFirst = waiter.next
    }
    while let waiter = oldestFirst {
      waiter.call(opened)
      oldestFirst = waiter.next
    }
  }
}
