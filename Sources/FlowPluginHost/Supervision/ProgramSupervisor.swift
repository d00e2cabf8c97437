import FlowModel
import FlowPluginKit
import Synchronization

/// Starts a program that uses the plugin protocol, and waits for its answer to `initialize`. When the program ends, it
/// is started again until ``Supervision`` decides to give up.
package final class ProgramSupervisor: Sendable {
  /// The program to supervise.
  package struct Program: Sendable {
    /// The name of the program in messages.
    package var name: String
    package var rules = Supervision.Rules()
    /// Starts the process and returns a session with it.
    package var spawn: @Sendable () async throws -> PluginSession
    /// Checks the program's answer to `initialize`. Returns an error to reject the program, or nil to accept it.
    package var objection: @Sendable (Value) -> ActionError?
    /// Adjusts the kind of end and the error message after the program has failed.
    package var refine: @Sendable (inout End) -> Void
    /// Called after each end, before the pause.
    package var ended: @Sendable (End, Supervision.Decision) async -> Void

    package init(
      _ name: String, spawn: @escaping @Sendable () async throws -> PluginSession,
      objection: @escaping @Sendable (Value) -> ActionError?,
      refine: @escaping @Sendable (inout End) -> Void,
      ended: @escaping @Sendable (End, Supervision.Decision) async -> Void = { _, _ in }
    ) {
      (self.name, self.spawn, self.objection, self.refine, self.ended) = (name, spawn, objection, refine, ended)
    }
  }

  /// Describes the end of a program, or a failed attempt to start it.
  package struct End: Error {
    package var error: ActionError
    package var ending: Supervision.Ending
    /// True if the program had answered `initialize`.
    package var hadGreeted = false
  }

  private typealias Start = Result<PluginSession, ActionError>

  private enum Phase {
    case idle, closed
    case starting([OneShot<Start?>])
    case running(PluginSession)
    /// The program could not be started. The next caller starts it again, except if `last` ended without reading that
    /// caller's call. Then the caller receives this error.
    case gaveUp(ActionError, last: PluginSession?)
  }

  private struct State {
    var phase = Phase.idle
    var supervision: Supervision
    /// The program that has been started but has not answered `initialize`.
    var greeting: PluginSession?
    var isClosed: Bool { if case .closed = phase { true } else { false } }
  }

  private let program: Program
  private let state: Mutex<State>

  /// Creates a supervisor. The first call to ``session(after:)`` starts the program.
  package init(_ program: Program) {
    self.program = program
    state = Mutex(State(supervision: Supervision(program.rules)))
  }

  deinit { running?.requestStop() }

  /// The program that accepts calls, or nil if it must be started first.
  var running: PluginSession? {
    state.withLock { if case .running(let session) = $0.phase, session.isOpen { session } else { nil } }
  }

  /// Returns the running program. Starts it and waits for its answer to `initialize` if necessary.
  ///
  /// If the task of the first caller is cancelled, the start continues for the other callers.
  ///
  /// - Parameter unread: The program that ended without reading the caller's call, or nil.
  package func session(after unread: PluginSession? = nil) async throws -> PluginSession {
    let ticket = OneShot<Start?>()
    let (isFirst, ended) = state.withLock { state -> (Bool, PluginSession?) in
      var ended: PluginSession?
      switch state.phase {
      case .running(let session) where session.isOpen:
        ticket.finish(.success(session))
        return (false, nil)
      case .gaveUp(let error, last: let last?) where last === unread:
        ticket.finish(.failure(error))
        return (false, nil)
      case .closed:
        ticket.finish(.failure(closedError))
        return (false, nil)
      case .starting(let waiters):
        state.phase = .starting(waiters + [ticket])
        return (false, nil)
      case .running(let session): ended = session
      case .idle, .gaveUp: state.supervision = Supervision(program.rules)
      }
      state.phase = .starting([ticket])
      return (true, ended)
    }
    if isFirst { Task.detached { await self.finish(self.start(after: ended), last: ended) } }
    let result = await withTaskCancellationHandler {
      await ticket.wait()
    } onCancel: {
      ticket.finish(nil)
    }
    guard let result else { throw CancellationError() }
    return try result.get()
  }

  private var closedError: ActionError {
    ActionError("plugin-stopped", "\(program.name) has been stopped", isRetryable: false)
  }

  private func finish(_ result: Start, last: PluginSession?) async {
    let (waiters, unwanted) = state.withLock { state -> ([OneShot<Start?>], PluginSession?) in
      guard case .starting(let waiters) = state.phase else { return ([], try? result.get()) }
      switch result {
      case .success(let session): state.phase = .running(session)
      case .failure(let error): state.phase = .gaveUp(error, last: last)
      }
      return (waiters, nil)
    }
    for waiter in waiters { waiter.finish(result) }
    await unwanted?.stop()
  }

  private func start(after ended: PluginSession?) async -> Start {
    if let ended {
      let problem = End(error: await ended.endError(), ending: .other, hadGreeted: true)
      for event in ended.events { state.withLock { $0.supervision.record(event, at: .now) } }
      if ended.wasStopped {
        state.withLock { $0.supervision = Supervision(program.rules) }
      } else if let error = await pause(after: problem, at: ended.endedAt) {
        return .failure(error)
      }
    }
    while true {
      do throws(End) {
        return .success(try await begin())
      } catch {
        if let error = await pause(after: error, at: .now) { return .failure(error) }
      }
    }
  }

  /// Starts the process and waits for its answer to `initialize`. If this throws an error, the process has ended.
  private func begin() async throws(End) -> PluginSession {
    state.withLock { $0.supervision.record(.started, at: .now) }
    let session: PluginSession
    do {
      session = try await program.spawn()
    } catch {
      let error = error as? ActionError ?? ActionError("plugin-start", "\(error)", isRetryable: false)
      throw End(error: error, ending: error.isRetryable == true ? .other : .lasting)
    }
    let isClosed = state.withLock { state in
      state.greeting = session
      return state.isClosed
    }
    if isClosed { session.requestStop() }
    let outcome = await session.initialize()
    state.withLock { $0.greeting = nil }
    let problem: End
    switch outcome {
    case .answered(let greeting):
      guard let objection = program.objection(greeting) else {
        state.withLock { $0.supervision.record(.greeted, at: .now) }
        return session
      }
      problem = End(error: objection, ending: .lasting)
    case .refused(let failure):
      let message = "\(session.program) refused to start: \(failure.message)"
      problem = End(error: ActionError("plugin-start", message, isRetryable: false), ending: .lasting)
    case .failed(let error), .lost(let error): problem = End(error: error, ending: .other)
    case .unread: problem = End(error: await session.endError(), ending: .other)
    }
    await session.stop()
    throw problem
  }

  /// Pauses until the program may be started again. Returns nil then, or an error if it may not be started.
  private func pause(after problem: End, at instant: ContinuousClock.Instant) async -> ActionError? {
    var problem = problem
    program.refine(&problem)
    let (decision, starts, isClosed) = state.withLock { state in
      (state.supervision.end(problem.ending, at: instant), state.supervision.starts, state.isClosed)
    }
    if isClosed { return closedError }
    if decision == .giveUp, starts > 1 {
      problem.error.message =
        "it was started \(starts) times in a row without finishing a call; the last time \(problem.error.message)"
    }
    await program.ended(problem, decision)
    switch decision {
    case .giveUp: return problem.error
    case .start(let pause), .askAgain(let pause, isFirst: _):
      try? await Task.sleep(until: instant + pause, clock: .continuous)
      return state.withLock { $0.isClosed } ? closedError : nil
    }
  }

  /// Asks the program to end, and returns its session, or nil if the program is not running. The program is killed
  /// after the grace period. Later calls fail.
  @discardableResult
  package func close() -> PluginSession? {
    let (session, waiters) = state.withLock { state -> (PluginSession?, [OneShot<Start?>]) in
      defer { state.phase = .closed }
      switch state.phase {
      case .running(let session): return (session, [])
      case .starting(let waiters): return (state.greeting, waiters)
      case .idle, .gaveUp, .closed: return (nil, [])
      }
    }
    for waiter in waiters { waiter.finish(.failure(closedError)) }
    session?.requestStop()
    return session
  }
}
