import FlowModel
import FlowPluginKit

extension PluginSession {
  /// Reads what the program wrote and acts on it; false when there is no more to read now or ever.
  ///
  /// Called by the one who is the reader.
  @discardableResult func readOutput() -> Bool {
    var messages: [PluginMessage] = []
    let goesOn = lines.withLock { lines in
      switch lines.fill({ child.output.receive(into: $0) }) {
      case .nothing: return true
      case .end:
        finish(.closedOutput)
        return false
      case .bytes: break
      }
      while true {
        switch lines.next() {
        case .nothing: return true
        case .tooLong(let beginning):
          finish(.lineTooLong(beginning: excerpt(beginning), limit: limits.lineBytes))
          return false
        case .line(let line):
          do throws(PluginMessage.Problem) {
            messages.append(try PluginMessage(line: line))
          } catch {
            finish(.garbage(beginning: excerpt(line), problem: error.message))
            return false
          }
        }
      }
    }
    for message in messages where state.withLock({ $0.end?.leavesAnswers ?? true }) { act(on: message) }
    return goesOn
  }

  private func finish(_ reason: SessionEnd) { state.withLock { $0.finish(reason) } }

  /// The beginning of a line for a message.
  func excerpt(_ line: ArraySlice<UInt8>) -> String {
    let text = String(decoding: line.prefix(80), as: UTF8.self)
    return line.count > 80 ? text + "…" : text
  }

  private func act(on message: PluginMessage) {
    switch message {
    case .result(let id, let value): answer(id, .answered(value))
    case .failure(let id, let failure): answer(id, .refused(failure))
    case .log(let id, let level, let message): log(message, level: level, call: id)
    case .progress(let id, let fraction, let message):
      state.withLock { $0.call(id) }?.call.context?.progress(fraction, message)
    case .post(let id, let event): post(event, call: id)
    case .ready(let id, let outputs): ready(outputs, call: id)
    case .unknown: state.withLock { $0.countStray(limits: limits) }
    }
  }

  private func answer(_ id: Int, _ outcome: PluginCall.Outcome) {
    // What the program logged before it answered belongs to the step that ends with the answer.
    readLog()
    if let call = state.withLock({ $0.answered(id, limits: limits) }) {
      call.answer.finish(outcome)
    } else {
      log("the plugin '\(plugin)' answered the call \(id), which waits for no answer", level: .warning, call: nil)
    }
  }

  private func post(_ event: String, call id: Int?) {
    let declaring = state.withLock { state in
      state.call(id) { $0.action?.declaration.events.contains(event) ?? false } ?? state.call(id)
    }
    guard let (id, call) = declaring, let action = call.action, let context = call.context else {
      state.withLock { $0.countStray(limits: limits) }
      return
    }
    guard action.declaration.events.contains(event) else {
      let declared = action.declaration.events.map { "'\($0)'" }.joined(separator: ", ")
      fail(
        id,
        ActionError(
          "plugin-event",
          "'\(action.declaration.name)' posted the event '\(event)', which its manifest does not declare; it declares "
            + (declared.isEmpty ? "none" : declared), isRetryable: false))
      return
    }
    do {
      try context.post(event)
    } catch {
      fail(id, error as? ActionError ?? ActionError("plugin-event", "\(error)", isRetryable: false))
    }
  }

  private func ready(_ outputs: Value, call id: Int?) {
    guard let (id, call) = state.withLock({ $0.call(id) { $0.action?.declaration.isService ?? false } }),
      let action = call.action, let context = call.context
    else {
      state.withLock { $0.countStray(limits: limits) }
      return
    }
    guard action.declaration.isService else {
      fail(
        id,
        ActionError(
          "plugin-protocol", "'\(action.declaration.name)' reported ready, but its manifest does not declare a service",
          isRetryable: false))
      return
    }
    do throws(ActionError) {
      context.ready(AnyOutput(try action.checkedOutputs(outputs)))
    } catch {
      fail(id, error)
    }
  }

  /// Ends a call before the program has answered, and asks the program to give it up.
  private func fail(_ id: Int, _ error: ActionError) {
    let call = state.withLock { state in state.call(id)?.call }
    call?.answer.finish(.failed(error))
    cancel(id)
  }

  // MARK: The log

  /// Reads what the program logged; false when there will be no more.
  @discardableResult func readLog() -> Bool {
    log.withLock { log in
      withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
        // A program that floods its log must not keep the reader from everything else.
        for _ in 0..<64 {
          switch child.errors.receive(into: buffer) {
          case .nothing: return true
          case .end: return false
          case .bytes(let count):
            for line in log.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { pass(line) }
          }
        }
        return true
      }
    }
  }

  /// Passes on a last line without an end.
  func finishLog() { log.withLock { log in if let line = log.finish() { pass(line) } } }

  private func pass(_ line: String) { log(line, level: .info, call: nil) }

  /// Writes a line to the run's log, as a line of the call it belongs to; counts it.
  private func log(_ message: String, level: LogLevel, call id: Int?) {
    let target = state.withLock { state -> (context: ActionContext, isFirstBeyond: Bool)? in
      guard let (id, call) = state.call(id), let context = call.context else { return nil }
      let (isWithin, isFirstBeyond) = state.countLogLine(of: id, limit: limits.logLinesPerCall)
      return isWithin || isFirstBeyond ? (context, isFirstBeyond) : nil
    }
    guard let target else { return }
    if target.isFirstBeyond {
      target.context.log(
        "the plugin '\(plugin)' has logged \(limits.logLinesPerCall) lines in this call; the others are dropped",
        level: .warning)
    } else {
      target.context.log(message, level: level)
    }
  }
}
