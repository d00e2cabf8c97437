import FlowModel
import FlowPluginKit
import FlowSyntax
import Synchronization

/// A request that the program has not answered yet.
///
/// A class with a lock: a call is stored, found and removed several times, and copying its context and declaration each
/// time would be slow.
// Proof of safety: `answer` has a lock of its own; `position` is written once, before the call is in the session's table; the
// other variables are read and written under the session's state lock alone. The rest is constant.
package final class PluginCall: @unchecked Sendable {
  /// The outcome of a request.
  package enum Outcome: Sendable {
    /// The program's answer.
    case answered(Value)
    /// The program's own error.
    case refused(PluginFailure)
    /// The program broke a rule of the protocol for this call.
    case failed(ActionError)
    /// The program has ended, or the conversation with it has.
    case lost(ActionError)
    /// The program ended without reading the request.
    case unread
  }

  private enum Answer: Sendable {
    case open
    case awaited(CheckedContinuation<Outcome, Never>)
    case given(Outcome)
  }

  /// The id in the answer.
  let id: Int
  /// The called action, or nil for `initialize`.
  let action: CallableAction?
  /// The step's context, or nil for `initialize`.
  let context: ActionContext?
  /// The position of its line among all bytes queued for the program.
  var position = 0
  /// The time at which the program is ended if it has not answered, or nil if the step's own deadline applies.
  var deadline: ContinuousClock.Instant?
  /// The number of its log lines, including dropped ones.
  var logLines = 0
  /// The number of its progress messages.
  var progressMessages = 0
  private let answer = Mutex(Answer.open)

  init(id: Int, action: CallableAction?, context: ActionContext?, deadline: ContinuousClock.Instant?) {
    self.id = id
    self.action = action
    self.context = context
    self.deadline = deadline
  }

  /// The outcome, or nil while the call is pending.
  var outcome: Outcome? { answer.withLock { if case .given(let outcome) = $0 { outcome } else { nil } } }

  /// Ends the call; only the first outcome is used.
  func finish(_ outcome: Outcome) {
    let waiter = answer.withLock { answer -> CheckedContinuation<Outcome, Never>? in
      switch answer {
      case .given: return nil
      case .open:
        answer = .given(outcome)
        return nil
      case .awaited(let waiter):
        answer = .given(outcome)
        return waiter
      }
    }
    waiter?.resume(returning: outcome)
  }

  /// Waits for the outcome. Called once.
  package func end() async -> Outcome {
    await withCheckedContinuation { continuation in
      let outcome = answer.withLock { answer -> Outcome? in
        if case .given(let outcome) = answer { return outcome }
        answer = .awaited(continuation)
        return nil
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }
}
