import FlowModel
import FlowPluginKit

extension PluginSession {
  /// The result of a read from one of the program's two output streams.
  enum Look {
    /// Data was read, or none is available at the moment.
    case open
    /// The last pending call was answered, so reading has stopped.
    case idle
    /// More data is available than is read at once, and it exceeds the limits.
    case flooded
    /// The stream has ended.
    case ended
  }

  /// Reads at most 64 KiB of messages from the program's standard output, and handles them. May be called only by the
  /// current reader.
  ///
  /// `isLogEmpty` is true if standard error was empty after standard output had become readable. If the first line is
  /// short and was written in one piece, the program then wrote no log lines before it.
  func readOutput(isLogEmpty: Bool = false) -> Look {
    // Usually, only one message arrives: the answer. Storing it separately avoids an allocation.
    var first: PluginMessage?
    var others: [PluginMessage] = []
    var isLogRead = false
    var look = Look.open
    lines.withLock { lines in
      switch lines.fill({ child.output.receive(into: $0) }) {
      case .nothing: return
      case .end:
        finish(.closedOutput)
        look = .ended
        return
      case .bytes: break
      }
      while true {
        switch lines.next() {
        case .nothing: return
        case .tooLong(let beginning):
          finish(.lineTooLong(beginning: excerpt(beginning), limit: limits.lineBytes))
          look = .ended
          return
        case .line(let line):
          do throws(PluginMessage.MessageProblem) {
            let message = try PluginMessage(line: line)
            if first == nil {
              first = message
              isLogRead = isLogEmpty && line.count < Self.atomicBytes
            } else {
              others.append(message)
            }
          } catch {
            finish(.garbage(beginning: excerpt(line), problem: error.message))
            look = .ended
            return
          }
        }
      }
    }
    guard let first else { return look }
    var effect = act(on: first, isLogRead: isLogRead)
    for message in others where state.withLock({ $0.end?.leavesAnswers ?? true }) {
      effect = max(effect, act(on: message, isLogRead: false))
    }
    if look != .open { return look }
    return effect == .none ? .flooded : effect == .last ? .idle : .open
  }

  /// The maximum size of an atomic write to a pipe (`PIPE_BUF`).
  private static let atomicBytes = 4096

  enum Effect: Int, Comparable {
    /// The message is invalid or exceeds a limit.
    case none
    /// The message was handled.
    case some
    /// The message answered the last pending call.
    case last

    static func < (left: Effect, right: Effect) -> Bool { left.rawValue < right.rawValue }
  }

  private func finish(_ reason: SessionEnd) { state.withLock { $0.finish(reason) } }

  /// Returns the beginning of a line for an error message.
  func excerpt(_ line: ArraySlice<UInt8>) -> String {
    let text = String(decoding: line.prefix(80), as: UTF8.self)
    return line.count > 80 ? text + "…" : text
  }

  private func act(on message: PluginMessage, isLogRead: Bool) -> Effect {
    switch message {
    case .result(let id, let value): return answer(id, .answered(value), isLogRead: isLogRead)
    case .failure(let id, let failure): return answer(id, .refused(failure), isLogRead: isLogRead)
    case .log(nil, _, _, let message) where worker != nil: worker?.tell(message)
    case .log(let id, let level, let stream, let message):
      return log(message, level: level, from: worker == nil ? nil : stream, call: id) ? .some : .none
    case .progress(let id, let fraction, let message): return progress(fraction, message, call: id) ? .some : .none
    case .post(let id, let event, let value): post(event, value, call: id)
    case .ready(let id, let outputs): ready(outputs, call: id)
    case .pong where worker != nil: return notePong()
    case .started(let id) where worker != nil: state.withLock { $0.call(id) }?.context?.begun()
    case .receipt where worker != nil: sendReceipt()
    case .linesFollow(let id) where worker != nil: state.withLock { $0.expectLines(ofCall: id) }
    case .pong, .started, .receipt, .linesFollow, .unknown: state.withLock { $0.countStray(limits: limits) }
    }
    return .some
  }

  private func answer(_ id: Int, _ outcome: PluginCall.Outcome, isLogRead: Bool) -> Effect {
    // Log lines written before the answer belong to the step that the answer ends, so they must be handled first.
    // Taking the lock waits for the session's thread, which may be handling lines that it has just read.
    if isLogRead { log.withLock { _ in } } else { readLog() }
    let (call, isLast) = state.withLock { state in
      let call = state.answered(id, limits: limits)
      return (call, call != nil && state.isQuiet)
    }
    if let call {
      reportDroppedLines(of: call)
      call.finish(outcome)
    } else {
      log(
        "the plugin '\(plugin)' answered the call \(id), which is not waiting for an answer", level: .warning, call: nil
      )
    }
    return isLast ? .last : .some
  }

  private func progress(_ fraction: Double, _ message: String, call id: Int?) -> Bool {
    let target = state.withLock { state -> (context: ActionContext, isWithin: Bool, passesLimit: Bool)? in
      guard let call = state.call(id), let context = call.context else { return nil }
      let (isWithin, passesLimit) = state.countProgress(of: call, limit: limits.progressPerCall)
      return (context, isWithin, passesLimit)
    }
    guard let target else { return false }
    if target.isWithin { target.context.progress(fraction, message) }
    if target.passesLimit {
      target.context.log(
        "the plugin '\(plugin)' has reported its progress \(limits.progressPerCall) times in this call; further reports are dropped",
        level: .warning)
    }
    return target.isWithin
  }

  private func post(_ event: String, _ value: Value, call id: Int?) {
    let declaring = state.withLock { state in
      state.call(id) { $0.action?.declaration.events.contains(event) ?? false } ?? state.call(id)
    }
    guard let call = declaring, let action = call.action, let context = call.context else {
      state.withLock { $0.countStray(limits: limits) }
      return
    }
    guard action.declaration.events.contains(event) else {
      let declared = action.declaration.events.map { "'\($0)'" }.joined(separator: ", ")
      fail(
        call,
        ActionError(
          "plugin-event",
          "'\(action.declaration.name)' posted the event '\(event)', which its manifest does not declare; it declares "
            + (declared.isEmpty ? "none" : declared), isRetryable: false))
      return
    }
    do {
      try context.post(event, value: value)
    } catch {
      fail(call, error as? ActionError ?? ActionError("plugin-event", "\(error)", isRetryable: false))
    }
  }

  private func ready(_ outputs: Value, call id: Int?) {
    guard let call = state.withLock({ $0.call(id) { $0.action?.declaration.isService ?? false } }),
      let action = call.action, let context = call.context
    else {
      state.withLock { $0.countStray(limits: limits) }
      return
    }
    guard action.declaration.isService else {
      fail(
        call,
        ActionError(
          "plugin-protocol", "'\(action.declaration.name)' reported ready, but its manifest does not declare a service",
          isRetryable: false))
      return
    }
    do throws(ActionError) {
      context.ready(AnyOutput(try action.checkedOutputs(outputs)))
    } catch {
      fail(call, error)
    }
  }

  /// Ends a call with an error, and asks the program to cancel it.
  private func fail(_ call: PluginCall, _ error: ActionError) {
    call.finish(.failed(error))
    cancel(call.id)
  }
}
