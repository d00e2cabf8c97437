import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowSystem

// The life of a worker: started, introduced, at work, lost, started again.
extension WorkerPool {
  /// The first pause before a worker is started again; each further one is twice as long.
  private static let firstPause = Duration.milliseconds(50)
  /// How long an engine may take to take something back.
  private static let releaseTime = Duration.seconds(10)
  /// After this time at work the end of a worker does not count as a failed start.
  private static let longEnough = Duration.seconds(30)
  /// The longest pause.
  private static let longestPause = Duration.seconds(5)

  /// Keeps one worker running until the executor is closed or it has failed too often.
  func tend(_ index: Int) async {
    var pause = Self.firstPause
    var refusals: GrowingPauses?
    while !state.withLock({ $0.isClosed }) {
      let problem = await serve(index)
      let hasLeft = problem == nil
      // The engine may be able to start one a moment later.
      if let problem, !problem.wasAtWork, starts[index].passingSigns.contains(where: problem.message.contains),
        let next = postpone(index, problem, &refusals)
      {
        if starts[index].isReleasedBeforeRestart { await release(starts[index]) }
        try? await Task.sleep(for: next)
        continue
      }
      refusals = nil
      let (isOver, grants) = state.withLock { state -> (Bool, [(OneShot<PoolState.Grant>, PoolState.Grant)]) in
        state.members[index].session = nil
        state.members[index].isReady = false
        state.members[index].isLeaving = false
        state.members[index].failures = hasLeft ? 0 : state.members[index].failures + 1
        if let problem {
          if problem.wasLong { state.members[index].failedStarts = 0 }
          state.members[index].failedStarts += 1
          state.lastProblem = "\(starts[index].name): \(problem.message)"
          let isOver = problem.isLasting || state.members[index].failedStarts >= Self.failedStartsInARow
          if isOver || isOneTime && problem.wasAtWork { state.members[index].problem = problem.message }
          if isOneTime && problem.wasAtWork { state.hasLostWork = true }
        }
        return (state.isClosed || state.members[index].problem != nil, state.grants())
      }
      for (ticket, grant) in grants { ticket.finish(grant) }
      if let problem, !state.withLock({ $0.isClosed }) {
        let outcome = !isOver ? "is started again" : isOneTime && problem.wasAtWork ? "was lost" : "is left out"
        tell("\(name): \(starts[index].name) \(outcome): \(problem.message)")
      }
      if state.withLock({ $0.isGone }) { opening.finish(false) }
      if problem != nil { await release(starts[index]) }
      if isOver { return }
      if hasLeft {
        await state.withLock { $0.beginRest(index) }?.wait()
        continue
      }
      let isNew = state.withLock { $0.members[index].failures <= 1 }
      pause = isNew ? Self.firstPause : min(pause * 2, Self.longestPause)
      try? await Task.sleep(for: pause)
    }
  }

  /// The pause after which a worker is asked for again that the engine cannot start now; nil if it has been asked for too long.
  private func postpone(_ index: Int, _ problem: Loss, _ refusals: inout GrowingPauses?) -> Duration? {
    let isFirst = refusals == nil
    var pauses = refusals ?? GrowingPauses(limit: starts[index].patience, from: .now)
    guard let next = pauses.next(at: .now), !state.withLock({ $0.isClosed }) else { return nil }
    refusals = pauses
    state.withLock { state in
      state.members[index].session = nil
      state.lastProblem = "\(starts[index].name): \(problem.message)"
    }
    if isFirst { tell("\(name): \(starts[index].name) is asked for again: \(problem.message)") }
    return next
  }

  /// Has the engine take back what it gave for a worker that was lost: it may hold that for as long as the run continues.
  private func release(_ start: WorkerStart) async {
    guard let words = start.release else { return }
    _ = try? await DetachedThread.run {
      _ = try? FinishedProgram(
        PluginCommand(words, environment: start.environment), directory: "/", deadline: .now + Self.releaseTime)
    }
  }

  /// Why a worker is not at work any more.
  private struct Loss {
    var message: String
    /// Whether it would be the same again.
    var isLasting = false
    /// Whether it had been ready for steps.
    var wasAtWork = false
    /// Whether it had been ready for so long that it did not end because of what it is.
    var wasLong = false
  }

  /// Starts a worker and waits until it is gone; why, or nil when it was to end: the executor was closed, or it made room.
  private func serve(_ index: Int) async -> Loss? {
    let start = starts[index]
    var limits = PluginLimits()
    limits.lineBytes = JSONText.Rules.ofOutputs.bytes
    limits.waitingInputBytes = 4 * Limits.jsonBytes
    limits.logLinesPerCall = .max / 2
    limits.progressPerCall = .max / 2
    limits.start = start.startLimit
    // A worker ends its commands, and what they left running, before it ends. It also runs other steps, which would be lost
    // with it, so a cancelled step does not end it as soon as the plan stops waiting for that step.
    limits.grace = .seconds(5)
    let began = await begin(start, limits)
    guard case .success(let session) = began else {
      if case .failure(let error) = began { return Loss(message: "\(error)", isLasting: true) }
      return nil
    }
    let outcome = await session.initialize()
    var loss = Loss(message: "")
    switch outcome {
    case .answered(let greeting):
      if let lack = needs.lack(of: greeting, copies: terms.copies != nil) {
        loss = Loss(message: lack, isLasting: true)
        break
      }
      session.startPulse()
      let mark = greeting.objectValue?["mark"]?.stringValue ?? ""
      let silence = terms.pulse.silence
      let link = terms.copies.map { _ in
        FileLink(session, name: "\(start.name) of \(name)", digests) { [name, tell] in tell("\(name): \($0)") }
      }
      let beginning = ContinuousClock.now
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
      // Calls go to others at once, though it may be a while until nothing of it runs.
      state.withLock { $0.members[index].isReady = false }
      await burial.value
      if session.wasStopped { return nil }
      return state.withLock { $0.isClosed }
        ? nil
        : Loss(
          message: session.endText, wasAtWork: true, wasLong: ContinuousClock.now - beginning > Self.longEnough)
    case .refused(let failure):
      loss = Loss(message: failure.message, isLasting: true)
    case .failed(let error), .lost(let error):
      loss = Loss(message: error.message + Self.help(error.message))
    case .unread:
      await session.awaitEnd()
      let help = Self.help(session.endText)
      loss = Loss(message: session.endText + help, isLasting: !help.isEmpty)
    }
    await session.stop()
    return state.withLock { $0.isClosed } ? nil : loss
  }

  /// What helps where a shell, `srun` or `env` says that there is no such program: they end with 127 then.
  private static func help(_ message: String) -> String {
    let signs = ["exit status 127", "exit code 127"]
    return signs.contains { message.contains($0) }
      ? "; name the path that flowrun has there with 'worker=PATH'" : ""
  }

  private func begin(_ start: WorkerStart, _ limits: PluginLimits) async -> Result<PluginSession, SystemError> {
    var terms = terms
    terms.tell = { [name, tell] in tell("\(name): \(start.name) \($0)") }
    terms.isRemote = !start.isLocal
    terms.endSigns = start.endSigns
    do throws(SystemError) {
      return try await DetachedThread.run { [name, terms, folder] () -> Result<PluginSession, SystemError> in
        do throws(SystemError) {
          return .success(
            try PluginSession(
              PluginCommand(start.command, environment: start.environment), name: "\(start.name) of \(name)",
              version: Release.version, folder: FilePath.isFolder(folder) ? folder : "/", limits: limits,
              worker: terms))
        } catch {
          return .failure(error)
        }
      }
    } catch {
      return .failure(error)
    }
  }

  /// Waits until a worker is gone and nothing that it started runs any more.
  ///
  /// On this machine that can be seen. Elsewhere the worker's guard sees to it, at the latest when so much time has passed
  /// without a ping.
  private static func bury(
    _ session: PluginSession, _ mark: String, _ start: WorkerStart, _ silence: Duration
  ) async {
    await session.awaitEnd()
    if session.wasStopped { return }
    if start.isLocal, !mark.isEmpty {
      _ = try? await DetachedThread.run { LeftBehind.endAll(marked: mark) }
    } else if !session.wasSilent {
      let text = session.endText
      let limit = ContinuousClock.now + silence
      var isSeen = start.exitSigns.contains { text.contains($0) }
      if !isSeen { isSeen = await sees(start, until: limit) }
      try? await Task.sleep(until: isSeen ? min(limit, .now + silence / 8) : limit, clock: .continuous)
    }
  }

  /// Asks the engine, less and less often, whether it knows that nothing of a worker runs any more; false when it does not
  /// until the limit.
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
