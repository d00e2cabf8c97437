import FlowModel
import Synchronization

/// Short steps that a thread takes together and runs one after another without the run's lock. If several threads took
/// the lock for every short step, moving the guarded memory between processors would take longer than the steps.
///
/// Code that needs the progress of the thread, or the steps that have not started, revokes the batch. The thread then
/// keeps only the step that it is running.
///
/// Proof of safety: `steps`, `count` and `ends[0]`, the start of the first step, are written by the thread, under the
/// run's lock, while the batch is not among the run's ``RunState/batches``. While it is, only the thread writes `ends`,
/// each element once, before the exchange that moves the cursor past the step (releasing). Revoking happens under the
/// lock, moves the cursor's limit (acquiring), and reads only the elements before that of the running step. The memory
/// lives as long as the batch, which the thread and the list refer to.
final class Batch: @unchecked Sendable {
  /// The maximum number of steps. With some dozens of steps for each time the lock is taken, threads hardly compete for
  /// it.
  static let capacity = 32

  private let steps = UnsafeMutableBufferPointer<StepIndex>.allocate(capacity: capacity)
  private let ends = UnsafeMutableBufferPointer<Int>.allocate(capacity: capacity)
  private var count = 0
  /// The time at which the first step started or, after it has ended, the latest end.
  private var latest = 0
  /// The number of steps that the batch may take now. It doubles after all steps have run, and halves after some were
  /// revoked.
  private(set) var allowance = 2
  /// The lower half of the word contains the number of started steps, the upper half the number of steps that may
  /// start.
  private let cursor = Atomic<UInt64>(0)

  init() {
    steps.initialize(repeating: 0)
    ends.initialize(repeating: 0)
  }

  deinit {
    steps.deallocate()
    ends.deallocate()
  }

  // MARK: Called by the thread, under the lock, while the batch is not in the list

  /// Replaces the steps of the batch with `step`, which starts at `now`.
  func begin(with step: StepIndex, at now: Int) {
    steps[0] = step
    count = 1
    latest = now
  }

  /// Adds a step. The batch must have fewer than ``capacity`` steps.
  func add(_ step: StepIndex) {
    steps[count] = step
    count += 1
  }

  /// Allows ``advance(at:)`` to start all steps of the batch.
  func open() { cursor.store(Self.word(started: 1, limit: count), ordering: .relaxed) }

  /// Records that all steps have run and the last one ended at `time`. Returns the steps with the times of their ends.
  func close(at time: Int) -> (steps: UnsafeBufferPointer<StepIndex>, ends: UnsafeBufferPointer<Int>) {
    ends[count - 1] = max(time, latest)
    allowance = min(2 * allowance, Self.capacity)
    return (
      UnsafeBufferPointer(rebasing: steps[..<count]), UnsafeBufferPointer(rebasing: ends[..<count])
    )
  }

  // MARK: Called by the thread, without the lock

  /// Records the end of a step and returns the next one. Returns nil if it was the last step, or if the others were
  /// revoked.
  @inline(__always)
  func advance(at time: Int) -> StepIndex? {
    var word = cursor.load(ordering: .relaxed)
    while true {
      let started = Int(word & 0xFFFF_FFFF)
      guard started < Int(word >> 32) else { return nil }
      latest = max(latest, time)
      ends[started - 1] = latest
      let exchange = cursor.weakCompareExchange(
        expected: word, desired: word + 1, successOrdering: .releasing, failureOrdering: .relaxed)
      if exchange.exchanged { return steps[started] }
      word = exchange.original
    }
  }

  // MARK: Called by any thread, under the lock, while the batch is in the list

  /// Revokes the steps that have not started, and returns the progress of the batch.
  func revoke() -> Remainder {
    var word = cursor.load(ordering: .acquiring)
    while true {
      let started = Int(word & 0xFFFF_FFFF)
      let exchange = cursor.compareExchange(
        expected: word, desired: Self.word(started: started, limit: started), ordering: .acquiring)
      guard exchange.exchanged else {
        word = exchange.original
        continue
      }
      if started < count { allowance = max(1, allowance / 2) }
      return Remainder(
        started: UnsafeBufferPointer(rebasing: steps[..<started]),
        ends: UnsafeBufferPointer(rebasing: ends[..<(started - 1)]),
        unstarted: UnsafeBufferPointer(rebasing: steps[started..<count]))
    }
  }

  /// The progress of a revoked batch. It is valid only while the lock is held.
  struct Remainder {
    /// The steps that have started. The last one is running.
    let started: UnsafeBufferPointer<StepIndex>
    /// The times at which the started steps ended. The last step, which is running, has none.
    let ends: UnsafeBufferPointer<Int>
    let unstarted: UnsafeBufferPointer<StepIndex>
  }

  private static func word(started: Int, limit: Int) -> UInt64 { UInt64(limit) << 32 | UInt64(started) }
}
