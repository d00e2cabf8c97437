import Dispatch
import Synchronization

/// Calls actions at given times of a run, one at a time and never early.
///
/// A thread sleeps until the next action is due. On Linux, while steps occupy threads, a timer on a global queue or a
/// sleeping task fires seconds late, and a timer on a separate queue wakes three threads in sequence, which delays
/// computing steps by some 50 µs. Timers are used only if the system refuses to create a thread.
final class AlarmClock: Sendable {
  /// The time after which an idle thread ends.
  private static let lingerNanoseconds = 1_000_000_000

  fileprivate struct State {
    var heap = Heap<Alarm>()
    var order = 0
    /// The time at which the thread wakes up or a timer fires, or nil if neither is scheduled.
    var armedAt: Int?
    var isStopped = false
    var hasThread = false
    /// True if timers replace the thread.
    var usesTimers = false
    /// The queue of the timers, or nil until the first timer is set.
    var queue: DispatchQueue?
  }

  private let clock: RunClock
  private let state: Mutex<State>
  private let sleeper = Sleeper()

  /// - Parameter usesTimers: True to use timers instead of a thread, which tests do.
  init(clock: RunClock, usesTimers: Bool = false) {
    self.clock = clock
    var state = State(usesTimers: usesTimers)
    state.heap.reserve()
    self.state = Mutex(state)
  }

  /// True if the system has refused to create a thread, so that actions depend on Dispatch's timers.
  var usesTimers: Bool { state.withLock { $0.usesTimers } }

  /// The longest delay: 100 years of 365 days. A date in the calendar can be so far away that the sum of nanoseconds
  /// would overflow.
  private static let longestNanoseconds = 100 * 365 * 86_400 * 1_000_000_000

  func schedule(afterNanoseconds delay: Int, _ action: @escaping @Sendable () -> Void) {
    schedule(atNanoseconds: clock.now + min(delay, Self.longestNanoseconds), action)
  }

  /// Calls `action` at `nanoseconds` from the start of the run.
  func schedule(atNanoseconds nanoseconds: Int, _ action: @escaping @Sendable () -> Void) {
    if let virtual = clock.virtual {
      return virtual.schedule(atNanoseconds: Int(clock.startNanoseconds) + nanoseconds) { [self] in
        if !state.withLock({ $0.isStopped }) { action() }
      }
    }
    let arming = state.withLock { state -> Arming in
      guard !state.isStopped else { return .none }
      state.order += 1
      state.heap.insert(Alarm(atNanoseconds: nanoseconds, order: state.order, action: action))
      if state.usesTimers { return state.needsArming().map { .timer($0) } ?? .none }
      if state.hasThread { return state.needsArming() == nil ? .none : .wake }
      state.hasThread = true
      return .thread
    }
    arm(arming)
  }

  /// Removes all pending actions and stops the thread.
  func stop() {
    state.withLock {
      $0.isStopped = true
      $0.heap.removeAll()
    }
    sleeper.wake()
  }

  /// The change that is required so that the next action is called in time.
  private enum Arming {
    case none, thread, wake
    case timer(Int)
  }

  private func arm(_ arming: Arming) {
    switch arming {
    case .none: break
    case .wake: sleeper.wake()
    case .timer(let nanoseconds):
      let queue = state.withLock { state in
        let queue = state.queue ?? DispatchQueue(label: "flowrun.alarms", qos: .userInteractive)
        state.queue = queue
        return queue
      }
      StrictTimer.start(at: clock.dispatchTime(nanoseconds), on: queue) { [self] in fire() }
    case .thread: if !BareThread.start(.prompt, { [self] in keepWaiting() }) { useTimers() }
    }
  }

  private func useTimers() {
    let due = state.withLock { state in
      state.usesTimers = true
      state.armedAt = nil
      return state.needsArming()
    }
    if let due { arm(.timer(due)) }
  }

  private func fire() {
    while let action = state.withLock({ $0.takeDue(at: clock.now) }) { action() }
    let due = state.withLock { state in
      state.armedAt = nil
      return state.needsArming()
    }
    if let due { arm(.timer(due)) }
  }

  /// The loop of the thread: calls actions that are due, and sleeps until the next one is. Ends when the clock is
  /// stopped, or when the thread has been idle for ``lingerNanoseconds``. Uses timers instead if the system does not
  /// support such a sleep.
  private func keepWaiting() {
    var lingersUntil: Int?
    while true {
      while let action = state.withLock({ $0.takeDue(at: clock.now) }) { action() }
      let until = state.withLock { state -> Int? in
        sleeper.reset()
        lingersUntil = state.heap.isEmpty ? lingersUntil ?? clock.now + Self.lingerNanoseconds : nil
        if state.isStopped || lingersUntil.map({ $0 <= clock.now }) ?? false {
          state.hasThread = false
          return nil
        }
        state.armedAt = state.heap.first?.atNanoseconds ?? lingersUntil
        return state.armedAt
      }
      guard let until else { return }
      guard sleeper.sleep(until: clock.startNanoseconds &+ UInt64(max(0, until))) else { return useTimers() }
    }
  }
}

/// An action with its time. Actions with the same time are called in the order of `order`.
struct Alarm: Comparable {
  var atNanoseconds: Int
  var order: Int
  var action: @Sendable () -> Void

  static func < (left: Self, right: Self) -> Bool {
    (left.atNanoseconds, left.order) < (right.atNanoseconds, right.order)
  }

  static func == (left: Self, right: Self) -> Bool { left.order == right.order }
}

extension AlarmClock.State {
  /// Returns the time of the first action if the caller must set a timer for it, and records the timer as set. Returns
  /// nil if a timer for that time or an earlier one is set.
  fileprivate mutating func needsArming() -> Int? {
    guard let first = heap.first, armedAt.map({ first.atNanoseconds < $0 }) ?? true else { return nil }
    armedAt = first.atNanoseconds
    return first.atNanoseconds
  }

  /// Removes and returns the first action if it is due, otherwise nil.
  fileprivate mutating func takeDue(at now: Int) -> (@Sendable () -> Void)? {
    guard let first = heap.first, first.atNanoseconds <= now else { return nil }
    return heap.removeFirst().action
  }
}
