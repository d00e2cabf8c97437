import FlowModel

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension PluginSession {
  /// How long the end of a program may follow the end of its output before the output counts as closed.
  private static let exitAfterOutputMilliseconds: CInt = 200
  /// How often the end of a program is looked for where the system has no descriptor for it.
  private static let exitLookMilliseconds: CInt = 100
  /// How many reads what a program left behind may take.
  private static let lastReads = 32

  /// The session's own thread, until the program is gone.
  func pump() {
    var isLogOpen = true
    var isOutputOpen = true
    var hasExited = false
    while true {
      let plan = state.withLock { $0.plan(at: .now, hasExited: hasExited, limits: limits) }
      guard case .wait(let wait) = plan else { break }
      // `poll` ignores negative numbers.
      var interests = [
        pollfd(fd: wakePipe.reading.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isLogOpen ? child.errors.number : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wait.readsOutput && isOutputOpen ? child.output.number : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wait.writesInput ? child.inputNumber : -1, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: child.exitWatch.number, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&interests, nfds_t(interests.count), milliseconds(until: wait.deadline)) >= 0 else { continue }
      if interests[0].revents != 0 { emptyWakePipe() }
      if interests[1].revents != 0 { isLogOpen = readLog() }
      if interests[2].revents != 0 { isOutputOpen = readOutput() }
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

  private func emptyWakePipe() {
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
      while case .bytes = wakePipe.reading.receive(into: buffer) {}
    }
  }

  private func writeOutbox() {
    state.withLock { state in
      switch child.send(state.outbox[...]) {
      case .bytes(let count): state.outbox.removeFirst(count)
      case .closed: state.finish(.closedInput)
      }
    }
  }

  /// Ends the program and its group and tells every call under way how it ended.
  private func conclude() {
    let reason = decideReason()
    let status = child.end()
    // Nobody of the group writes any more, so what it left behind is at most a pipe full.
    if reason.leavesAnswers {
      var reads = 0
      while reads < Self.lastReads, readOutput() { reads += 1 }
    }
    readLog()
    finishLog()
    let unread = child.unreadInputBytes()
    let (calls, readBytes) = state.withLock { state in
      state.isOver = true
      return (state.takeCalls(), state.queuedBytes - state.outbox.count - unread)
    }
    if !calls.isEmpty {
      let error = reason.error(plugin: plugin, status: status, remains: remains())
      for call in calls {
        let isHandedOver = call.position >= readBytes && call.context != nil && reason.permitsHandover
        call.answer.finish(isHandedOver ? .unread : .failed(error))
      }
    }
    over.finish(())
  }
  /// A closed pipe is most often the first that is seen of a program's end.
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
