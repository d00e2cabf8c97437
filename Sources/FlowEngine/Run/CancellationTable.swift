import FlowModel
import Synchronization

/// The attempts that were asked to end, and the handlers to call when further attempts are asked to end.
///
/// Bodies may check `isCancelled` often, so for steps this is a single atomic load. Handlers are rare and guarded by a
/// lock.
final class CancellationTable: Sendable {
  private struct Key: Hashable {
    var step: StepIndex
    var attempt: Int
  }

  /// The highest cancelled attempt of each step.
  ///
  /// Proof of safety: the memory is allocated and initialized in `init`, its address never changes, every access is an
  /// atomic operation, and it is freed in `deinit`, when no reference to the table is left.
  private nonisolated(unsafe) let cancelled: UnsafeMutablePointer<Atomic<UInt8>>
  private let count: Int
  private let handlers = Mutex<[Key: [@Sendable () -> Void]]>([:])
  /// True once a handler has been added. Most runs have none and so never take the lock to remove one.
  private let hasHandlers = Atomic(false)
  /// The last cancelled attempt of each item, by instance. Items are not known when the table is created.
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

  /// Calls `handler` once when the attempt is asked to end, or immediately if it already has been.
  func onCancel(_ step: StepIndex, attempt: Int, _ handler: @escaping @Sendable () -> Void) {
    let isLate = handlers.withLock { handlers in
      if isCancelled(step, attempt: attempt) { return true }
      handlers[Key(step: step, attempt: attempt), default: []].append(handler)
      hasHandlers.store(true, ordering: .releasing)
      return false
    }
    if isLate { handler() }
  }

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

  func forget(_ step: StepIndex, attempt: Int) {
    guard hasHandlers.load(ordering: .acquiring) else { return }
    _ = handlers.withLock { $0.removeValue(forKey: Key(step: step, attempt: attempt)) }
  }
}
