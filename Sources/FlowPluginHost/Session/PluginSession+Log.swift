import FlowModel
import FlowPluginKit

extension PluginSession {
  /// The maximum time for a transport to write its last lines after it has announced its end.
  private static let endTime = Duration.seconds(1)
  /// The number of log bytes that are read at once: the capacity of a pipe, so that a flood of lines does not occupy
  /// the thread.
  private static let logBytesAtATime = 64 << 10

  /// Reads from the program's standard error, at most as much as a pipe contains.
  @discardableResult func readLog() -> Look {
    log.withLock { log in
      var total = 0
      let look = readPieces(of: &log, &total)
      if total > 0, worker == nil, let line = log.unfinished { showUnfinished(line) }
      return look
    }
  }

  private func readPieces(of log: inout ProgramLog, _ total: inout Int) -> Look {
    withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
      while total < Self.logBytesAtATime {
        switch child.errors.receive(into: buffer) {
        case .nothing: return .open
        case .end: return .ended
        case .bytes(let count):
          total += count
          let room = worker == nil ? state.withLock { $0.logRoom(limit: limits.logLinesPerCall) } : .max
          let lines = log.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]), room: room)
          passOutput(lines.texts, dropped: lines.dropped)
        }
      }
      return .flooded
    }
  }

  /// Shows an incomplete line as output of the pending step. If several steps are pending, it is unknown which of them
  /// wrote the line, so it is not shown.
  private func showUnfinished(_ line: String) {
    let context = state.withLock { state -> ActionContext? in
      let calls = state.calls.filter { $0.context != nil }
      return calls.count == 1 && state.logRoom(limit: limits.logLinesPerCall) > 0 ? calls[0].context : nil
    }
    if let context, context.host.showsUnfinishedLines { context.showUnfinished(line, from: .standardError) }
  }

  /// A quotation of the last log lines, for an error message.
  package var lastLog: String { log.withLock { $0.explanation } }

  /// Logs the incomplete last line, if there is one, after the program has ended.
  func finishLog() {
    log.withLock { log in if let line = log.finish() { passOutput([line], dropped: 0) } }
  }

  /// Writes a line to the run's log as part of a call. Returns false if the call has reached its limit.
  @discardableResult func log(
    _ message: String, level: LogLevel, from stream: LogStream? = nil, call id: Int?
  ) -> Bool {
    pass([message], level: level, from: stream, call: id) > 0
  }

  /// Logs lines of the program's standard error as output of the pending step. If several steps are pending, it is
  /// unknown which of them wrote the lines, so they are logged as output of the plugin.
  ///
  /// The standard error of a worker comes from its transport and does not belong to a step. Its last lines are quoted
  /// when the worker ends.
  private func passOutput(_ lines: [String], dropped: Int) {
    if let worker {
      let isEnding = lines.contains { line in worker.endSigns.contains { line.contains($0) } }
      if isEnding { state.withLock { $0.expectEnd(by: .now + Self.endTime) } }
      return
    }
    let calls = state.withLock { $0.calls.filter { $0.context != nil } }
    guard calls.count > 1, let oldest = calls.first, let host = oldest.context?.host else {
      pass(lines, from: .standardError, dropped: dropped)
      return
    }
    // The lines count toward the limit of the oldest call.
    let (within, passesLimit) = state.withLock {
      $0.countLogLines(lines.count + dropped, of: oldest, limit: limits.logLinesPerCall)
    }
    let room = Array(lines.prefix(within))
    if !room.isEmpty { host.log(room, from: .standardError, plugin: plugin) }
    if passesLimit {
      host.log(
        ["more than \(limits.logLinesPerCall) lines in one call; the others are dropped"], from: .standardError,
        plugin: plugin)
    }
  }

  /// Writes lines to the run's log, up to the limit of their call, and a notice when the limit is first exceeded.
  /// Returns the number of lines written.
  @discardableResult
  private func pass(
    _ lines: [String], level: LogLevel = .info, from stream: LogStream? = nil, dropped: Int = 0, call id: Int? = nil
  ) -> Int {
    if lines.isEmpty, dropped == 0 { return 0 }
    let target = state.withLock { state -> (context: ActionContext, within: Int, passesLimit: Bool)? in
      guard let call = state.call(id) ?? state.answeredCall(id), let context = call.context else { return nil }
      let (within, passesLimit) = state.countLogLines(
        lines.count + dropped, of: call, limit: limits.logLinesPerCall)
      return (context, within, passesLimit)
    }
    guard let target else { return 0 }
    let room = lines.prefix(target.within)
    if let stream {
      target.context.log(Array(room), from: stream)
    } else {
      for line in room { target.context.log(line, level: level) }
    }
    if target.passesLimit {
      target.context.log(
        "the plugin '\(plugin)' has logged \(limits.logLinesPerCall) lines in this call; the others are dropped",
        level: .warning)
    }
    return target.within
  }

  /// Logs how many lines of a call were dropped, after the call has ended.
  func reportDroppedLines(of call: PluginCall) {
    let dropped = state.withLock { _ in call.logLines } - limits.logLinesPerCall
    guard dropped > 0 else { return }
    call.context?.log(
      "the plugin '\(plugin)' logged \(dropped) more line\(dropped == 1 ? "" : "s") in this call, which \(dropped == 1 ? "was" : "were") dropped",
      level: .warning)
  }
}
