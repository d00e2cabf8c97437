import Dispatch
import Synchronization

/// Calls back at instants of a run, from a serial queue of its own at the highest quality of service.
///
/// A timer on a global queue or a sleeping task fires seconds late on Linux while steps occupy threads; a serial queue
/// of its own does not share their threads. One Dispatch timer serves all callbacks.
final class DeadlineClock: Sendable {
  fileprivate struct Callback {
    var atNanoseconds: Int
    var order: Int
    var action: @Sendable () -> Void
  }

  fileprivate struct State {
    var heap: [Callback] = []
    var order = 0
    var armedAt: Int?
    var isStopped = false
  }

  let clock: RunClock
  let queue = DispatchQueue(label: "flowrun.deadlines", qos: .userInteractive)
  private let state = Mutex(State())

  init(clock: RunClock) { self.clock = clock }

  /// Calls `action` at `nanoseconds` from the start of the run, never before.
  func schedule(atNanoseconds nanoseconds: Int, _ action: @escaping @Sendable () -> Void) {
    let arm = state.withLock { state -> Int? in
      guard !state.isStopped else { return nil }
      state.order += 1
      state.insert(Callback(atNanoseconds: nanoseconds, order: state.order, action: action))
      return state.needsArming()
    }
    if let arm { self.arm(arm) }
  }

  /// Drops every callback that has not been made.
  func stop() {
    state.withLock {
      $0.isStopped = true
      $0.heap.removeAll()
    }
  }

  private func arm(_ nanoseconds: Int) {
    queue.asyncAfter(deadline: clock.dispatchTime(nanoseconds), flags: .enforceQoS) { @Sendable [self] in fire() }
  }

  private func fire() {
    while true {
      let (action, arm) = state.withLock { state -> ((@Sendable () -> Void)?, Int?) in
        if let first = state.heap.first, first.atNanoseconds <= clock.now { return (state.removeFirst().action, nil) }
        state.armedAt = nil
        return (nil, state.needsArming())
      }
      if let arm { self.arm(arm) }
      guard let action else { return }
      action()
    }
  }
}

extension DeadlineClock.State {
  /// The instant for which a timer must be set, or nil when one that is early enough is set.
  fileprivate mutating func needsArming() -> Int? {
    guard let first = heap.first, armedAt.map({ first.atNanoseconds < $0 }) ?? true else { return nil }
    armedAt = first.atNanoseconds
    return first.atNanoseconds
  }

  fileprivate mutating func insert(_ callback: DeadlineClock.Callback) {
    heap.append(callback)
    var child = heap.count - 1
    while child > 0, isBefore(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  fileprivate mutating func removeFirst() -> DeadlineClock.Callback {
    heap.swapAt(0, heap.count - 1)
    let first = heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isBefore(child, least) { least = child }
      guard least != parent else { return first }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    (heap[left].atNanoseconds, heap[left].order) < (heap[right].atNanoseconds, heap[right].order)
  }
}
