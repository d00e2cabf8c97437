import FlowModel
import FlowPluginKit
import FlowSyntax
import Synchronization

/// A request to a program, and its outcome once there is one.
///
/// A class, because a call is stored, found and removed several times, and copying its context and declaration each
/// time would be slow.
// Proof of safety: `answer` has a separate lock; `position` is written once, before the call is in the session's table;
// the other variables are read and written only under the session's state lock. The rest is constant.
package final class PluginCall: @unchecked Sendable {
  /// The outcome of a request.
  package enum Outcome: Sendable {
    case answered(Value)
    /// The program reported an error.
    case refused(PluginFailure)
    /// The program violated the protocol during this call.
    case failed(ActionError)
    /// The program ended, or was ended, before it answered.
    case lost(ActionError)
    /// The program ended before it read the request.
    case unread
  }

  private enum Answer: Sendable {
    case open
    case awaited(CheckedContinuation<Outcome, Never>)
    case given(Outcome)
  }

  /// The id of the request, which the answer repeats.
  let id: Int
  /// The called action, or nil for `initialize`.
  let action: CallableAction?
  /// The step's context, or nil for `initialize`.
  let context: ActionContext?
  /// The total number of bytes that were queued for the program before this request.
  var position = 0
  /// The time at which the program is ended if the call is still pending. Nil while only the step's own deadline
  /// applies.
  var deadline: ContinuousClock.Instant?
  /// The number of the call's log lines, including dropped ones.
  var logLines = 0
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

  /// Sets the outcome, unless there is already one.
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

  /// Waits for the outcome. May be called only once.
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
