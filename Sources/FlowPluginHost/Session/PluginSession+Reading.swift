import FlowModel
import FlowPluginKit

extension PluginSession {
  /// What a look at one of the program's two outputs came to.
  enum Look {
    /// Something was there, or nothing yet.
    case open
    /// More is there than is read at a time, and nobody wants it.
    case flooded
    /// Nothing can be read any more.
    case ended
  }

  /// Reads what the program wrote, at most 64 KiB, and acts on it.
  ///
  /// Called by the one who is the reader.
  func readOutput() -> Look {
    var messages: [PluginMessage] = []
    let look = lines.withLock { lines in
      switch lines.fill({ child.output.receive(into: $0) }) {
      case .nothing: return Look.open
      case .end:
        finish(.closedOutput)
        return .ended
      case .bytes: break
      }
      while true {
        switch lines.next() {
        case .nothing: return .open
        case .tooLong(let beginning):
          finish(.lineTooLong(beginning: excerpt(beginning), limit: limits.lineBytes))
          return .ended
        case .line(let line):
          do throws(PluginMessage.Problem) {
            messages.append(try PluginMessage(line: line))
          } catch {
            finish(.garbage(beginning: excerpt(line), problem: error.message))
            return .ended
          }
        }
      }
    }
    var hasEffect = messages.isEmpty
    for message in messages where state.withLock({ $0.end?.leavesAnswers ?? true }) {
      if act(on: message) { hasEffect = true }
    }
    return hasEffect ? look : look == .open ? .flooded : look
  }

  private func finish(_ reason: SessionEnd) { state.withLock { $0.finish(reason) } }

  /// The beginning of a line for a message.
  func excerpt(_ line: ArraySlice<UInt8>) -> String {
    let text = String(decoding: line.prefix(80), as: UTF8.self)
    return line.count > 80 ? text + "…" : text
  }

  /// Whether the message was of any use; those past a limit are not.
  private func act(on message: PluginMessage) -> Bool {
    switch message {
    case .result(let id, let value): answer(id, .answered(value))
    case .failure(let id, let failure): answer(id, .refused(failure))
    case .log(let id, let level, let message): return log(message, level: level, call: id)
    case .progress(let id, let fraction, let message): return progress(fraction, message, call: id)
    case .post(let id, let event): post(event, call: id)
    case .ready(let id, let outputs): ready(outputs, call: id)
    case .unknown: state.withLock { $0.countStray(limits: limits) }
    }
    return true
  }

  private func answer(_ id: Int, _ outcome: PluginCall.Outcome) {
    // What the program logged before it answered belongs to the step that ends with the answer.
    readLog()
    if let call = state.withLock({ $0.answered(id, limits: limits) }) {
      reportDroppedLines(of: call)
      call.answer.finish(outcome)
    } else {
      log("the plugin '\(plugin)' answered the call \(id), which waits for no answer", level: .warning, call: nil)
    }
  }

  private func progress(_ fraction: Double, _ message: String, call id: Int?) -> Bool {
    let target = state.withLock { state -> (context: ActionContext, isWithin: Bool, passesLimit: Bool)? in
      guard let (id, call) = state.call(id), let context = call.context else { return nil }
      let (isWithin, passesLimit) = state.countProgress(of: id, limit: limits.progressPerCall)
      return (context, isWithin, passesLimit)
    }
    guard let target else { return false }
    if target.isWithin { target.context.progress(fraction, message) }
    if target.passesLimit {
      target.context.log(
        "the plugin '\(plugin)' has told its progress \(limits.progressPerCall) times in this call; the rest is dropped",
        level: .warning)
    }
    return target.isWithin
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
}
