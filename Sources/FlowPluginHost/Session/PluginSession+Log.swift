import FlowModel
import FlowPluginKit

extension PluginSession {
  /// How long a transport that says that it is about to end may take for its last lines.
  private static let endTime = Duration.seconds(1)
  /// How much of the log is read at a time, so that a flood keeps the reader from nothing else: what a pipe holds.
  private static let logBytesAtATime = 64 << 10

  /// Reads what the program logged, at most what a pipe holds.
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

  /// Shows a line whose end has not come as one of the step for which the program works; where it works for several,
  /// it is not known for which.
  private func showUnfinished(_ line: String) {
    let context = state.withLock { state -> ActionContext? in
      let calls = state.calls.filter { $0.context != nil }
      return calls.count == 1 && state.logRoom(limit: limits.logLinesPerCall) > 0 ? calls[0].context : nil
    }
    if let context, context.host.showsUnfinishedLines { context.showUnfinished(line, from: .standardError) }
  }

  /// The last lines of the program's log, as an error quotes them.
  package var lastLog: String { log.withLock { $0.explanation } }

  /// Passes on a last line without an end.
  func finishLog() {
    log.withLock { log in if let line = log.finish() { passOutput([line], dropped: 0) } }
  }

  /// Writes a line to the run's log, as a line of the call it belongs to; false when that call has no room for it.
  @discardableResult func log(
    _ message: String, level: LogLevel, from stream: LogStream? = nil, call id: Int?
  ) -> Bool {
    pass([message], level: level, from: stream, call: id) > 0
  }

  /// Passes on lines of the program's standard error: as the step's for which it works, or, where it works for several,
  /// as its own, because it is not known for which.
  ///
  /// What the transport of a worker writes is not the output of any step; when it ends, its last lines are quoted.
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
    // They count as lines of the oldest call, so that there is a limit.
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

  /// Writes lines to the run's log as far as their call has room, and says once that it has none; gives how many passed.
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

  /// Says at the end of a call how many of its lines were dropped.
  func reportDroppedLines(of call: PluginCall) {
    let dropped = state.withLock { _ in call.logLines } - limits.logLinesPerCall
    guard dropped > 0 else { return }
    call.context?.log(
      "the plugin '\(plugin)' logged \(dropped) more line\(dropped == 1 ? "" : "s") in this call, which \(dropped == 1 ? "was" : "were") dropped",
      level: .warning)
  }
}
