import Dispatch
import FlowModel
import Synchronization

/// The pool queues of a process, which all runs share. A *pool queue* is a serial Dispatch queue of one quality of
/// service, on which steps run.
///
/// A pool queue has no target, because on Linux the blocks of queues with the same target share its few threads.
/// Dispatch may have no thread for a pool queue, and does not report that. So all work has a ticket, and a thread that
/// is not Dispatch's watches the tickets. If a block has not started after 5 ms, its ticket is withdrawn, its work runs
/// on another thread, and the block does nothing when it starts. For the next second, no work of the same quality of
/// service is accepted.
///
/// If the system refuses to create threads, `async` does not return on Linux. Only one thread calls it, without a lock,
/// and no other thread waits for that one.
package final class PoolQueues: Sendable {
  /// The maximum number of pool queues of each quality of service.
  static let most = 48
  /// The time within which Dispatch must start a block.
  static let arrivalNanoseconds = 5_000_000
  /// The pause after a late block, during which no work of the same quality of service is accepted.
  static let pauseNanoseconds = 1_000_000_000
  /// The time after which the thread that calls `async` ends if it is idle.
  private static let idleTime = DispatchTimeInterval.seconds(2)

  private let clock: RunClock
  private let alarms: AlarmClock
  private let submit: @Sendable (DispatchQueue, @escaping @Sendable () -> Void) -> Void
  private let state = Mutex(State())
  private let submissionArrived = DispatchSemaphore(value: 0)

  private struct State {
    /// The pool queues, by the index of their pool.
    var pools = [Queues](repeating: Queues(), count: Pool.all.count)
    /// The tickets that the watch has not checked, oldest first.
    var watched: [Ticket] = []
    var isWatching = false
    /// The blocks that have not been passed to Dispatch, oldest first.
    var submissions: [Submission] = []
    var hasSubmitter = false
    var isSubmitterIdle = false
  }

  private struct Queues {
    var idle: [DispatchQueue] = []
    var count = 0
    /// The end of a pause during which no work is accepted, because a block was late.
    var pausedUntil = Int.min
  }

  private struct Submission {
    let queue: DispatchQueue
    let ticket: Ticket
  }

  /// - Parameter submit: Passes a block to a queue, in the same way as `async`.
  init(
    clock: RunClock = RunClock(), alarms: AlarmClock? = nil,
    submit: @escaping @Sendable (DispatchQueue, @escaping @Sendable () -> Void) -> Void = { $0.async(execute: $1) }
  ) {
    self.clock = clock
    self.alarms = alarms ?? AlarmClock(clock: clock)
    self.submit = submit
  }

  /// Runs `work` on a pool queue of this quality of service. Returns false if none can be used now.
  ///
  /// - Parameter instead: A closure that is called instead of `work` if Dispatch does not start the block in time.
  func run(
    _ quality: StepQueue, _ work: @escaping @Sendable () -> Void, instead: @escaping @Sendable () -> Void
  ) -> Bool {
    guard !alarms.usesTimers, let queue = takeQueue(of: quality) else { return false }
    let ticket = Ticket(quality, untilNanoseconds: clock.now + Self.arrivalNanoseconds, work, instead: instead)
    guard watch(ticket) else {
      _ = ticket.take()
      release(queue, of: quality)
      return false
    }
    pass(Submission(queue: queue, ticket: ticket))
    return true
  }

  // MARK: Queues

  private func takeQueue(of quality: StepQueue) -> DispatchQueue? {
    let index = Pool.threads(quality).index
    let now = clock.now
    let (isTaken, idle) = state.withLock { state -> (Bool, DispatchQueue?) in
      guard state.pools[index].pausedUntil <= now else { return (false, nil) }
      if let queue = state.pools[index].idle.popLast() { return (true, queue) }
      guard state.pools[index].count < Self.most else { return (false, nil) }
      state.pools[index].count += 1
      return (true, nil)
    }
    guard isTaken else { return nil }
    return idle ?? DispatchQueue(label: "flowrun.\(quality.rawValue)", qos: quality.dispatchQuality)
  }

  private func release(_ queue: DispatchQueue, of quality: StepQueue) {
    state.withLock { $0.pools[Pool.threads(quality).index].idle.append(queue) }
  }

  /// Runs the work of a submission in its block, on one of Dispatch's threads, if the ticket has not been withdrawn.
  private func arrive(_ submission: Submission) {
    let quality = submission.ticket.quality
    if let content = submission.ticket.take() { BareThread.lend(to: quality, content.work) }
    release(submission.queue, of: quality)
  }

  // MARK: The watch

  /// Watches a ticket. Returns false if the system has refused a thread for the watch.
  private func watch(_ ticket: Ticket) -> Bool {
    let mustStart = state.withLock { state in
      state.watched.append(ticket)
      defer { state.isWatching = true }
      return !state.isWatching
    }
    if mustStart { alarms.schedule(atNanoseconds: ticket.untilNanoseconds) { [self] in withdrawLate() } }
    return !alarms.usesTimers
  }

  /// Withdraws the tickets whose time has passed, and calls their `instead` closures.
  private func withdrawLate() {
    let now = clock.now
    let (late, next) = state.withLock { state -> ([Ticket.Content], Int?) in
      var late: [Ticket.Content] = []
      var checked = 0
      while checked < state.watched.count {
        let ticket = state.watched[checked]
        if ticket.untilNanoseconds <= now {
          if let content = ticket.take() {
            late.append(content)
            state.pools[Pool.threads(ticket.quality).index].pausedUntil = now + Self.pauseNanoseconds
          }
        } else if ticket.isOpen {
          break
        }
        checked += 1
      }
      state.watched.removeFirst(checked)
      state.isWatching = !state.watched.isEmpty
      return (late, state.watched.first?.untilNanoseconds)
    }
    if let next { alarms.schedule(atNanoseconds: next) { [self] in withdrawLate() } }
    for content in late { content.instead() }
  }

  // MARK: The thread that passes blocks to Dispatch

  private func pass(_ submission: Submission) {
    let (mustStart, mustWake) = state.withLock { state in
      state.submissions.append(submission)
      defer { (state.hasSubmitter, state.isSubmitterIdle) = (true, false) }
      return (!state.hasSubmitter, state.isSubmitterIdle)
    }
    if mustWake { submissionArrived.signal() }
    if mustStart, !BareThread.start(.prompt, { [self] in submitAll() }) { replaceAll() }
  }

  /// The loop of the thread: passes blocks to Dispatch and waits for more. Ends when it has been idle for ``idleTime``.
  private func submitAll() {
    while true {
      let next = state.withLock { state -> Submission? in
        state.isSubmitterIdle = state.submissions.isEmpty
        return state.submissions.isEmpty ? nil : state.submissions.removeFirst()
      }
      if let next {
        if next.ticket.isOpen {
          submit(next.queue) { [self] in arrive(next) }
        } else {
          release(next.queue, of: next.ticket.quality)
        }
        continue
      }
      if submissionArrived.wait(timeout: .now() + Self.idleTime) == .success { continue }
      let isGone = state.withLock { state in
        // If the thread is no longer idle, it is about to be signaled, which would end its next wait early.
        guard state.isSubmitterIdle else { return false }
        (state.hasSubmitter, state.isSubmitterIdle) = (false, false)
        return true
      }
      if isGone { return }
    }
  }

  /// Calls the `instead` closures of all work that was not passed to Dispatch. Used if the system refuses the thread
  /// that submits the work.
  private func replaceAll() {
    let submissions = state.withLock { state in
      state.hasSubmitter = false
      defer { state.submissions = [] }
      return state.submissions
    }
    for submission in submissions {
      release(submission.queue, of: submission.ticket.quality)
      submission.ticket.take()?.instead()
    }
  }
}

/// The right to run the work of a block. Either the block or the watch takes it.
private final class Ticket: Sendable {
  struct Content {
    let work: @Sendable () -> Void
    let instead: @Sendable () -> Void
  }

  let quality: StepQueue
  /// The time by which the block must start.
  let untilNanoseconds: Int
  private let content: Mutex<Content?>

  init(
    _ quality: StepQueue, untilNanoseconds: Int, _ work: @escaping @Sendable () -> Void,
    instead: @escaping @Sendable () -> Void
  ) {
    self.quality = quality
    self.untilNanoseconds = untilNanoseconds
    content = Mutex(Content(work: work, instead: instead))
  }

  /// True if neither the block nor the watch has taken the work.
  var isOpen: Bool { content.withLock { $0 != nil } }

  /// Returns the work to the first caller, and nil to later ones. Afterwards, the ticket refers to no run.
  func take() -> Content? { content.withLock { $0.take() } }
}

extension StepQueue {
  fileprivate var dispatchQuality: DispatchQoS {
    switch self {
    case .userInteractive: .userInteractive
    case .userInitiated: .userInitiated
    case .utility: .utility
    case .background: .background
    }
  }
}
