import FlowModel
import Synchronization

/// Which attempts of which steps have been asked to end, and who wants to know.
///
/// A body that works long asks `isCancelled` often, so that is one atomic load; handlers and tasks are few and kept
/// under a lock.
final class CancellationTable: Sendable {
  private struct Key: Hashable {
    var step: StepIndex
    var attempt: Int
  }

  /// The highest attempt of each step that was asked to end, one atomic a step.
  ///
  /// Proof of safety: the memory is allocated and initialized in `init`, its address never changes, every access is an
  /// atomic operation, and it is freed in `deinit`, when no reference to the table is left.
  private nonisolated(unsafe) let cancelled: UnsafeMutablePointer<Atomic<UInt8>>
  private let count: Int
  private let handlers = Mutex<[Key: [@Sendable () -> Void]]>([:])
  /// Whether there was ever one: most runs have none to forget.
  private let hasHandlers = Atomic(false)
  /// The same for items of steps, by their instances, which are not known before; and whether there is any.
  private let cancelledItems = Mutex<[StepIndex: Int]>([:])
  private let hasCancelledItems = Atomic(false)

  init(count: Int) {
    self.count = count
    cancelled = .allocate(capacity: max(1, count))
    for index in 0..<count { (cancelled + index).initialize(to: Atomic(0)) }
  }

  deinit {
    cancelled.deinitialize(count: count)
    cancelled.deallocate()
  }

  func isCancelled(_ step: StepIndex, attempt: Int) -> Bool {
    if Int(step) < count { return cancelled[Int(step)].load(ordering: .acquiring) >= attempt }
    guard hasCancelledItems.load(ordering: .acquiring) else { return false }
    return cancelledItems.withLock { $0[step] ?? 0 } >= attempt
  }

  /// Calls `handler` once when the attempt is asked to end; at once when it has been.
  func onCancel(_ step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void) {
    let isLate = handlers.withLock { handlers in
      if isCancelled(step, attempt: attempt) { return true }
      handlers[Key(step: step, attempt: attempt), default: []].append(handler)
      hasHandlers.store(true, ordering: .releasing)
      return false
    }
    if isLate { handler() }
  }

  /// Tells a try to end.
  func cancel(_ step: StepIndex, attempt: Int) {
    let waiting = handlers.withLock { handlers in
      if Int(step) < count {
        cancelled[Int(step)].store(UInt8(clamping: attempt), ordering: .releasing)
      } else {
        cancelledItems.withLock { $0[step] = attempt }
        hasCancelledItems.store(true, ordering: .releasing)
      }
      return handlers.removeValue(forKey: Key(step: step, attempt: attempt)) ?? []
    }
    for handler in waiting { handler() }
  }

  /// Forgets the handlers of an attempt that has ended.
  func forget(_ step: StepIndex, attempt: Int) {
    guard hasHandlers.load(ordering: .acquiring) else { return }
    _ = handlers.withLock { $0.removeValue(forKey: Key(step: step, attempt: attempt)) }
  }
}
