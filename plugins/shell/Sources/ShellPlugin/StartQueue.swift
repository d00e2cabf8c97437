import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// A first-in, first-out queue of commands that wait for others to release descriptors or processes. Waiting commands
/// use no thread.
final class StartQueue: Sendable {
  static let shared = StartQueue()

  private struct WaitingStart {
    var ticket: Int
    var resume: @Sendable () -> Void
  }

  private struct State {
    var waiting: [WaitingStart] = []
    var lastTicket = 0
    var isTicking = false
    /// The time of the first failed start while no command was running. A later start resets it if it succeeds, or if
    /// it fails while commands are running.
    var failingSince: ContinuousClock.Instant?
    /// The id of the last run in whose log a warning about waiting commands was written.
    var warnedRun: String?
  }

  private let state = Mutex(State())

  /// The interval at which the first command tries to start, because other programs may have released resources.
  private static let tickTime = Duration.milliseconds(50)
  /// The longest wait if other programs use all resources.
  private static let longestWait = Duration.seconds(10)

  var hasWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// Returns a new number for a command that is about to enter the queue.
  func newTicket() -> Int {
    state.withLock { state in
      state.lastTicket += 1
      return state.lastTicket
    }
  }

  /// True if the command may wait and try again after this error. For the first such error of a run, logs which
  /// resource is missing.
  func allows(_ error: SystemError, in context: ActionContext) -> Bool {
    guard error.isLackOfDescriptors || error.number == EAGAIN else { return false }
    let running = RunningCommand.count
    let (isAllowed, isNew) = state.withLock { state -> (Bool, Bool) in
      if running > 0 { state.failingSince = nil } else { state.failingSince = state.failingSince ?? .now }
      let isNew = state.warnedRun != context.host.run.id
      state.warnedRun = context.host.run.id
      return (state.failingSince.map { .now - $0 < Self.longestWait } ?? true, isNew)
    }
    if isAllowed, isNew {
      let processes = "processes (ulimit -u, or that of the container)"
      let limit = error.isLackOfDescriptors ? "open files (ulimit -n)" : processes
      context.log(
        "only \(running) commands run at once, and others wait for them: \(error.reason); raise the limit of \(limit)",
        level: .warning)
    }
    return isAllowed
  }

  /// Adds a command to the queue. Calls `resume` once, when the command should try to start.
  ///
  /// - Parameter isFirst: true to put the command at the front, because it was there before.
  func add(_ ticket: Int, isFirst: Bool, _ resume: @escaping @Sendable () -> Void) {
    let begins = state.withLock { state in
      state.waiting.insert(WaitingStart(ticket: ticket, resume: resume), at: isFirst ? 0 : state.waiting.count)
      defer { state.isTicking = true }
      return !state.isTicking
    }
    if begins { tick() }
  }

  /// Removes a command whose step was cancelled from the queue, and resumes it.
  func release(_ ticket: Int) {
    let start = state.withLock { state in
      state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0) }
    }
    start?.resume()
  }

  /// Called after a waiting command has started. The next command tries to start as well, because resources may be
  /// left.
  func noteStart() {
    state.withLock { $0.failingSince = nil }
    next()
  }

  /// Called after a command has ended. The next waiting command tries to start.
  func noteEnd() { next() }

  private func next() {
    let start = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    start?.resume()
  }

  private func tick() {
    ReadinessWatch.shared.wait(for: [], within: Self.tickTime) { [self] in
      next()
      let continues = state.withLock { state in
        state.isTicking = !state.waiting.isEmpty
        return state.isTicking
      }
      if continues { tick() }
    }
  }
}
