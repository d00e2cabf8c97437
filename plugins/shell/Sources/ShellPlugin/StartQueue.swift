import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// Commands that wait, without a thread, until others release descriptors or processes; first come, first served.
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
    /// The time since which no command could start although no other one is running.
    var failingSince: ContinuousClock.Instant?
    /// The run in whose log a warning about waiting commands was written.
    var warnedRun: String?
  }

  private let state = Mutex(State())

  /// The interval at which the first command retries: other programs may have released resources.
  private static let tickTime = Duration.milliseconds(50)
  /// The maximum time to wait while other programs use all resources.
  private static let longestWait = Duration.seconds(10)

  /// True if any command is waiting.
  var hasWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// The number of a command that is about to wait.
  func newTicket() -> Int {
    state.withLock { state in
      state.lastTicket += 1
      return state.lastTicket
    }
  }

  /// True to retry after this error once something is released. The first time in a run, logs what is missing.
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

  /// Queues a command. Calls `resume` once, when the command should try to start.
  ///
  /// - Parameter isFirst: true to put it at the front, because it has already been there.
  func add(_ ticket: Int, isFirst: Bool, _ resume: @escaping @Sendable () -> Void) {
    let begins = state.withLock { state in
      state.waiting.insert(WaitingStart(ticket: ticket, resume: resume), at: isFirst ? 0 : state.waiting.count)
      defer { state.isTicking = true }
      return !state.isTicking
    }
    if begins { tick() }
  }

  /// Makes a waiting command try at once, because its step is being cancelled.
  func release(_ ticket: Int) {
    let start = state.withLock { state in
      state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0) }
    }
    start?.resume()
  }

  /// Makes the next command try after a waiting one has started, because there may be room for more.
  func noteStart() {
    state.withLock { $0.failingSince = nil }
    next()
  }

  /// Makes the next command try after one has ended.
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
