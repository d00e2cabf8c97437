import FlowModel
import FlowSystem

extension PluginSession {
  /// The maximum time for a program to end after it has closed its output. If it is still running then, the closed
  /// output is reported as the error.
  private static let exitAfterOutputMilliseconds: CInt = 200
  /// The interval at which the program's end is checked on systems without a descriptor for it.
  private static let exitLookMilliseconds: CInt = 100
  /// The maximum number of reads that empty a pipe after the program's end.
  private static let lastReads = 32
  /// The length of the pause after reading a flooded log, as a multiple of the time spent reading. It limits the load
  /// to a fifth of a core and slows the program down.
  private static let logPause = 4
  /// The length of the pause after reading flooded messages from standard output, as a multiple of the time spent
  /// reading. It limits the load to half of a core, and is shorter than the pause for the log, because answers may
  /// follow.
  private static let outputPause = 1

  /// The state of reading one of the program's two output streams.
  private struct Stream {
    private var isOpen = true
    /// The end of the pause during which a flooded stream is not read. Nil without a pause.
    private(set) var pausedUntil: ContinuousClock.Instant?

    /// True if the stream is open and not paused. Ends a pause whose time has passed.
    mutating func isRead(at now: ContinuousClock.Instant) -> Bool {
      if let end = pausedUntil, end <= now { pausedUntil = nil }
      return isOpen && pausedUntil == nil
    }

    /// Reads from the stream. If the stream is flooded, starts a pause, `factor` times as long as the read.
    mutating func read(pausingTimes factor: Int, _ look: () -> Look) {
      let start = ContinuousClock.now
      switch look() {
      case .open, .idle: break
      case .ended: isOpen = false
      case .flooded:
        let end = ContinuousClock.now
        pausedUntil = end + (end - start) * factor
      }
    }
  }

  /// Runs the main loop of the session's thread. Returns after the program has ended.
  func pump() {
    var logStream = Stream()
    var outputStream = Stream()
    var hasExited = false
    while true {
      let now = ContinuousClock.now
      let plan = state.withLock { $0.plan(at: now, hasExited: hasExited, limits: limits) }
      guard case .wait(let wait) = plan else { break }
      if wait.recallsCaller { _ = recallPipe.writing.send([0]) }
      if wait.sendsPing { sendPing(at: now) }
      let readsLog = logStream.isRead(at: now)
      let readsOutput = outputStream.isRead(at: now) && wait.readsOutput
      // `poll` ignores negative numbers.
      var interests = [
        pollfd(fd: wakePipe.reading.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: readsLog ? child.errors.number : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: readsOutput ? child.output.number : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wait.writesInput ? child.inputNumber : -1, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: child.exitWatch.number, events: Int16(POLLIN), revents: 0),
      ]
      let deadline = [wait.deadline, logStream.pausedUntil, outputStream.pausedUntil].compactMap(\.self).min()
      guard poll(&interests, nfds_t(interests.count), milliseconds(until: deadline)) >= 0 else { continue }
      if interests[0].revents != 0 { wakePipe.drain() }
      if interests[1].revents != 0 { logStream.read(pausingTimes: Self.logPause) { readLog() } }
      if interests[2].revents != 0 { outputStream.read(pausingTimes: Self.outputPause) { readOutput() } }
      if interests[3].revents != 0 { writeOutbox() }
      hasExited = child.exitWatch.number < 0 ? child.exitStatus() != nil : interests[4].revents != 0
    }
    conclude()
  }

  private func milliseconds(until deadline: ContinuousClock.Instant?) -> CInt {
    let longest: CInt = child.exitWatch.number < 0 ? Self.exitLookMilliseconds : -1
    guard let deadline else { return longest }
    let rest = (deadline - .now).nanoseconds
    let milliseconds = CInt(clamping: max(0, (rest + 999_999) / 1_000_000))
    return longest < 0 ? milliseconds : min(longest, milliseconds)
  }

  private func writeOutbox() {
    state.withLock { state in
      switch child.send(state.outbox) {
      case .bytes(let count): state.outbox.removeFirst(count)
      case .closed: state.finish(.closedInput)
      }
    }
  }

  /// Ends the program and its process group, and finishes all pending calls.
  private func conclude() {
    let reason = decideReason()
    let status = child.end()
    // All processes of the group have ended, so the pipe receives no more data.
    if reason.leavesAnswers {
      var reads = 0
      while reads < Self.lastReads, readOutput() != .ended { reads += 1 }
    }
    var reads = 0
    while reads < Self.lastReads, readLog() == .flooded { reads += 1 }
    finishLog()
    let unread = child.unreadInputBytes()
    let (calls, readBytes) = state.withLock { state in
      state.isOver = true
      if case .signaled = status { state.wasKilled = true }
      return (state.takeCalls(), state.queuedBytes - state.outbox.count - unread)
    }
    let error = reason.error(plugin: plugin, program: program, status: status, remains: remains())
    for call in calls {
      reportDroppedLines(of: call)
      let isHandedOver = call.position >= readBytes && call.context != nil && reason.permitsHandover
      if call.context != nil { state.withLock { $0.record(isHandedOver ? .unreadCall : .lostCall) } }
      call.finish(isHandedOver ? .unread : .lost(error))
    }
    state.withLock { ($0.endError, $0.endedAt) = (error, .now) }
    over.finish()
  }
  /// Returns the reason for the end of the session. A closed pipe usually means that the program is ending, so this
  /// waits briefly for the exit status.
  private func decideReason() -> SessionEnd {
    let reason = state.withLock { $0.end ?? .exited }
    guard reason.isPerhapsExit else { return reason }
    child.awaitExit(milliseconds: Self.exitAfterOutputMilliseconds)
    return child.exitStatus() == nil ? reason : .exited
  }

  private func remains() -> String {
    let begun = lines.withLock { $0.rest.isEmpty ? "" : "; it had begun the line \(excerpt($0.rest))" }
    return begun + log.withLock { $0.explanation }
  }
}
