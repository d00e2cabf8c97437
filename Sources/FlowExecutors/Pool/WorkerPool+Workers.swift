import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowSystem

// The life of a worker: its supervisor starts it, checks its greeting, and restarts it after a loss.
extension WorkerPool {
  /// The time limit for an engine to release an allocation.
  private static let releaseTime = Duration.seconds(10)

  /// Keeps a worker running until the executor is closed or the supervisor gives up.
  func tend(_ index: Int) async {
    let start = starts[index]
    var program = ProgramSupervisor.Program(start.name) {
      try await self.spawn(start)
    } objection: { greeting in
      self.needs.lack(of: greeting, copies: self.terms.copies != nil)
        .map { ActionError("executor-start", $0, isRetryable: false) }
    } refine: { problem in
      if problem.hadGreeted { return }
      let help = Self.help(problem.error.message)
      if start.passingSigns.contains(where: problem.error.message.contains) {
        problem.ending = .refused
      } else if !help.isEmpty {
        problem.ending = .lasting
      }
      problem.error.message += help
    } ended: { problem, decision in
      await self.handleEnd(problem, decision, of: index)
    }
    program.rules.isOneTime = isOneTime
    program.rules.patience = start.patience
    let supervisor = ProgramSupervisor(program)
    state.withLock { $0.members[index].supervisor = supervisor }
    while !state.withLock({ $0.isClosed }), let session = try? await supervisor.session() {
      await serve(session, by: index)
    }
    state.withLock { $0.members[index].supervisor = nil }
  }

  /// Handles a worker that ended or could not be started, and reports the problem.
  private func handleEnd(
    _ problem: ProgramSupervisor.End, _ decision: Supervision.Decision, of index: Int
  ) async {
    let start = starts[index]
    let message = problem.error.message
    let wasUsed = isOneTime && problem.hadGreeted
    let (isClosed, isGone, grants) = state.withLock { state in
      state.lastProblem = "\(start.name): \(message)"
      if decision == .giveUp {
        state.members[index].problem = message
        if wasUsed { state.hasLostWork = true }
      }
      return (state.isClosed, state.isGone, state.grants())
    }
    for (ticket, grant) in grants { ticket.finish(grant) }
    if isClosed { return }
    switch decision {
    case .start: tell("\(name): \(start.name) is started again: \(message)")
    case .askAgain(after: _, isFirst: true): tell("\(name): \(start.name) is asked for again: \(message)")
    case .askAgain: break
    case .giveUp: tell("\(name): \(start.name) \(wasUsed ? "was lost" : "is left out"): \(message)")
    }
    if isGone { opening.finish(false) }
    if case .askAgain = decision, !start.isReleasedBeforeRestart { return }
    await release(start)
  }

  /// Asks the engine to release the allocation of a lost worker, which might otherwise be kept until the end of the
  /// run.
  private func release(_ start: WorkerStart) async {
    guard let words = start.release else { return }
    _ = try? await DetachedThread.run {
      _ = try? FinishedProgram(
        PluginCommand(words, environment: start.environment), directory: "/", deadline: .now + Self.releaseTime)
    }
  }

  /// Makes a worker available for calls until it ends. Returns when the worker and all of its processes have ended.
  private func serve(_ session: PluginSession, by index: Int) async {
    let start = starts[index]
    session.startPulse()
    let mark = session.greeting?.objectValue?["mark"]?.stringValue ?? ""
    let silence = terms.pulse.silence
    let link = terms.copies.map { _ in
      FileLink(session, name: "\(start.name) of \(name)", digests) { [name, tell] in tell("\(name): \($0)") }
    }
    let burial = Task.detached { await Self.bury(session, mark, start, silence) }
    let (isClosed, grants) = state.withLock { state -> (Bool, [(OneShot<PoolState.Grant>, PoolState.Grant)]) in
      state.members[index].session = session
      state.members[index].burial = burial
      state.members[index].files = link
      state.members[index].isReady = !state.isClosed
      return (state.isClosed, state.grants())
    }
    if isClosed { session.requestStop() }
    for (ticket, grant) in grants { ticket.finish(grant) }
    opening.finish(true)
    await session.awaitEnd()
    // Send further calls to other workers immediately, because it may take a while until all processes of this one have
    // ended.
    state.withLock { $0.members[index].isReady = false }
    await burial.value
    let rest = state.withLock { state in
      state.members[index].session = nil
      state.members[index].isLeaving = false
      return session.wasStopped ? state.beginRest(index) : nil
    }
    await rest?.wait()
  }

  /// Returns advice if exit status 127, from a shell, `srun` or `env`, shows that a program does not exist. Returns an
  /// empty string otherwise.
  private static func help(_ message: String) -> String {
    let signs = ["exit status 127", "exit code 127"]
    return signs.contains { message.contains($0) }
      ? "; name the path that flowrun has there with 'worker=PATH'" : ""
  }

  private func spawn(_ start: WorkerStart) async throws -> PluginSession {
    var limits = PluginLimits()
    limits.lineBytes = JSONText.Rules.ofOutputs.bytes
    limits.waitingInputBytes = 4 * Limits.jsonBytes
    limits.logLinesPerCall = .max / 2
    limits.progressPerCall = .max / 2
    limits.start = start.startLimit
    // At its end, a worker first ends its commands and the processes that these have left behind. It may also run other
    // steps, which would be lost if it were killed, so its grace period is longer than that of a cancelled step.
    limits.grace = .seconds(5)
    var terms = terms
    terms.tell = { [name, tell] in tell("\(name): \(start.name) \($0)") }
    terms.isRemote = !start.isLocal
    terms.endSigns = start.endSigns
    return try await DetachedThread.run { [name, terms, folder, limits] in
      Result {
        try PluginSession(
          PluginCommand(start.command, environment: start.environment), name: "\(start.name) of \(name)",
          version: Release.version, folder: FilePath.isFolder(folder) ? folder : "/", limits: limits, worker: terms)
      }
    }.get()
  }

  /// Waits until a worker and all of its processes have ended.
  ///
  /// On this machine, they are found and ended. On another machine, the worker's guard ends them, at the latest when no
  /// ping has arrived for `silence`.
  private static func bury(
    _ session: PluginSession, _ mark: String, _ start: WorkerStart, _ silence: Duration
  ) async {
    await session.awaitEnd()
    if session.wasStopped { return }
    if start.isLocal, !mark.isEmpty {
      _ = try? await DetachedThread.run { LeftBehind.endAll(marked: mark) }
    } else if !session.wasSilent {
      let text = await session.endError().message
      let limit = ContinuousClock.now + silence
      var isSeen = start.exitSigns.contains { text.contains($0) }
      if !isSeen { isSeen = await sees(start, until: limit) }
      try? await Task.sleep(until: isSeen ? min(limit, .now + silence / 8) : limit, clock: .continuous)
    }
  }

  /// Asks the engine, at growing intervals, whether all processes of a worker have ended. Returns false if the engine
  /// does not confirm it before `limit` or cannot be asked.
  private static func sees(_ start: WorkerStart, until limit: ContinuousClock.Instant) async -> Bool {
    guard let words = start.endCheck else { return false }
    var pause = Duration.milliseconds(100)
    while ContinuousClock.now < limit {
      let answer = try? await DetachedThread.run {
        try? FinishedProgram(
          PluginCommand(words, environment: start.environment), directory: "/", deadline: limit)
      }
      if case .exited(code: 0)? = answer?.status { return true }
      try? await Task.sleep(for: pause)
      pause *= 2
    }
    return false
  }
}
