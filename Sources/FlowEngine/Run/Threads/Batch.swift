import FlowModel
import Synchronization

/// Short steps that a thread takes in one go, to run them one after the other without the run's lock: with several
/// threads at work, the memory that the lock guards would travel between their processors at every step, for longer
/// than a short step takes.
///
/// Anyone who needs to know how far the thread is, or has something better to do with the steps that it has not
/// started, takes the batch back: from then on the thread has the step that it runs and no other.
///
/// Proof of safety: `steps`, `count` and `ends[0]`, the start of the first step, are written by the thread, under the
/// run's lock, while the batch is not among the run's ``RunState/batches``. While it is, the thread alone writes
/// `ends`, each element once, before the exchange that moves the cursor past the step (releasing); who takes the batch
/// back does so under the lock, moves the cursor's limit (acquiring), and reads only the elements before that of the
/// step that runs. The memory lives as long as the batch, which the thread and the list hold.
final class Batch: @unchecked Sendable {
  /// How many steps at most: a thread that comes back every few dozen steps hardly meets the others.
  static let capacity = 32

  private let steps = UnsafeMutableBufferPointer<StepIndex>.allocate(capacity: capacity)
  private let ends = UnsafeMutableBufferPointer<Int>.allocate(capacity: capacity)
  private var count = 0
  /// When the first step started, and no step ended before.
  private var latest = 0
  /// The number of steps that it may hold: twice as many each time all were run, half as many when some were revoked.
  private(set) var allowance = 2
  /// The number of steps that were started in the lower half, how many may be in the upper.
  private let cursor = Atomic<UInt64>(0)

  /// A batch without steps.
  init() {
    steps.initialize(repeating: 0)
    ends.initialize(repeating: 0)
  }

  deinit {
    steps.deallocate()
    ends.deallocate()
  }

  // MARK: For the thread, under the lock, while the batch is not in the list

  /// Holds a step that starts now, and nothing else.
  func begin(with step: StepIndex, at now: Int) {
    steps[0] = step
    count = 1
    latest = now
  }

  /// Holds one more step, which must be within ``capacity``.
  func add(_ step: StepIndex) {
    steps[count] = step
    count += 1
  }

  /// Lets the thread advance through what it holds.
  func open() { cursor.store(Self.word(started: 1, limit: count), ordering: .relaxed) }

  /// Notes that all steps have run, the last one until `time`; they and when each of them ended.
  func close(at time: Int) -> (steps: UnsafeBufferPointer<StepIndex>, ends: UnsafeBufferPointer<Int>) {
    ends[count - 1] = max(time, latest)
    allowance = min(2 * allowance, Self.capacity)
    return (
      UnsafeBufferPointer(rebasing: steps[..<count]), UnsafeBufferPointer(rebasing: ends[..<count])
    )
  }

  // MARK: For the thread, without the lock

  /// Advances to the next step when one has ended; nil if that was the last, or the others were revoked.
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

  // MARK: For anybody, under the lock, while the batch is in the list

  /// Leaves the thread the step that it runs, and says what has become of all.
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

  /// What has become of the steps of a batch that was revoked; valid while the lock is held.
  struct Remainder {
    /// Those that were started; the last of them runs.
    let started: UnsafeBufferPointer<StepIndex>
    /// When each of them but the last ended.
    let ends: UnsafeBufferPointer<Int>
    /// Those that were not.
    let unstarted: UnsafeBufferPointer<StepIndex>
  }

  private static func word(started: Int, limit: Int) -> UInt64 { UInt64(limit) << 32 | UInt64(started) }
}
