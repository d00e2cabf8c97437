import Dispatch
import Synchronization

/// Calls back at instants of a run, one after another, never early.
///
/// One thread sleeps until the next instant, as long as there is one. While steps occupy threads on Linux, a timer on a
/// global queue or a sleeping task fires seconds late. A timer on a separate queue wakes three threads in sequence,
/// which costs computing steps some 50 µs. Timers are only used if the system refuses a thread.
final class AlarmClock: Sendable {
  /// How long the idle thread is kept.
  private static let lingerNanoseconds = 1_000_000_000

  fileprivate struct State {
    var heap = Heap<Alarm>()
    var order = 0
    /// The instant for which the thread sleeps or a timer is set, or nil.
    var armedAt: Int?
    var isStopped = false
    /// True if there is a thread.
    var hasThread = false
    /// True if timers are used instead of a thread.
    var usesTimers = false
    /// The queue of the timers, once there is a timer.
    var queue: DispatchQueue?
  }

  private let clock: RunClock
  private let state: Mutex<State>
  private let sleeper = Sleeper()

  /// - Parameter usesTimers: True to use timers instead of a thread.
  init(clock: RunClock, usesTimers: Bool = false) {
    self.clock = clock
    var state = State(usesTimers: usesTimers)
    state.heap.reserve()
    self.state = Mutex(state)
  }

  /// Calls `action` after this many nanoseconds.
  func schedule(afterNanoseconds delay: Int, _ action: @escaping @Sendable () -> Void) {
    schedule(atNanoseconds: clock.now + delay, action)
  }

  /// Calls `action` at `nanoseconds` from the start of the run, never earlier.
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

  /// Removes all pending callbacks.
  func stop() {
    state.withLock {
      $0.isStopped = true
      $0.heap.removeAll()
    }
    sleeper.wake()
  }

  /// The action needed so that a callback is made in time.
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

  /// The loop of the thread.
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

/// A call at an instant of a run. Calls at the same instant are made in the order in which they were scheduled.
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
  /// The instant for which a timer must be set, or nil if an earlier one is set.
  fileprivate mutating func needsArming() -> Int? {
    guard let first = heap.first, armedAt.map({ first.atNanoseconds < $0 }) ?? true else { return nil }
    armedAt = first.atNanoseconds
    return first.atNanoseconds
  }

  /// Removes and returns the first callback if it is due.
  fileprivate mutating func takeDue(at now: Int) -> (@Sendable () -> Void)? {
    guard let first = heap.first, first.atNanoseconds <= now else { return nil }
    return heap.removeFirst().action
  }
}
