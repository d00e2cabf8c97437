import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// Commands that wait, without a thread, until others return descriptors or processes to the system, in the order in which they
/// came.
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
    /// Since when commands have not been started although no other one runs that could return something.
    var failingSince: ContinuousClock.Instant?
    /// The run that has been told that commands wait.
    var warnedRun: String?
  }

  private let state = Mutex(State())

  /// How often the first command tries by itself: something else in the system may have returned what it had.
  private static let tickTime = Duration.milliseconds(50)
  /// The time that commands wait while other programs have everything.
  private static let longestWait = Duration.seconds(10)

  /// Whether any command waits.
  var hasWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// A number for a command that is going to wait.
  func newTicket() -> Int {
    state.withLock { state in
      state.lastTicket += 1
      return state.lastTicket
    }
  }

  /// Whether to try again after this error once something was returned. The first time in a run, its log says what is lacking.
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

  /// Calls `resume` once when the command should try to start.
  ///
  /// - Parameter isFirst: whether it has been its turn before.
  func add(_ ticket: Int, isFirst: Bool, _ resume: @escaping @Sendable () -> Void) {
    let begins = state.withLock { state in
      state.waiting.insert(WaitingStart(ticket: ticket, resume: resume), at: isFirst ? 0 : state.waiting.count)
      defer { state.isTicking = true }
      return !state.isTicking
    }
    if begins { tick() }
  }

  /// Has a command try that waits, because its step is to end.
  func release(_ ticket: Int) {
    let start = state.withLock { state in
      state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0) }
    }
    start?.resume()
  }

  /// Has the next command try, after one that waited has started: there may be room for more.
  func noteStart() {
    state.withLock { $0.failingSince = nil }
    next()
  }

  /// Has the next command try, after one has ended.
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
