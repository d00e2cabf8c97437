import FlowModel
import FlowPluginKit
import FlowSyntax
import Synchronization

/// A request that the program has not answered yet.
///
/// A class with one lock of its own: a call is noted, found and taken out several times on its way, and must not be
/// copied with its context and declaration each time.
// Proof of safety: `answer` has a lock of its own; `position` is written once, before the call is in the session's table; the
// other variables are read and written under the session's state lock alone. The rest is constant.
package final class PluginCall: @unchecked Sendable {
  /// How a request ends.
  package enum Outcome: Sendable {
    /// The program's answer.
    case answered(Value)
    /// The program's own error.
    case refused(PluginFailure)
    /// The program broke a rule of the protocol for this call.
    case failed(ActionError)
    /// The program ended, or is not spoken to any more.
    case lost(ActionError)
    /// The program ended without having read the request.
    case unread
  }

  private enum Answer: Sendable {
    case open
    case awaited(CheckedContinuation<Outcome, Never>)
    case given(Outcome)
  }

  /// The number that the answer carries.
  let id: Int
  /// The action that was called; nil for `initialize`.
  let action: CallableAction?
  /// The step's context; nil for `initialize`.
  let context: ActionContext?
  /// Where its line begins among all bytes meant for the program.
  var position = 0
  /// When the program is ended unless it has answered; nil: the step's own deadline cancels it.
  var deadline: ContinuousClock.Instant?
  /// The number of log lines that it has written, the dropped ones included.
  var logLines = 0
  /// The number of times that it has told its progress.
  var progressMessages = 0
  private let answer = Mutex(Answer.open)

  init(id: Int, action: CallableAction?, context: ActionContext?, deadline: ContinuousClock.Instant?) {
    self.id = id
    self.action = action
    self.context = context
    self.deadline = deadline
  }

  /// How it ended; nil as long as it has not.
  var outcome: Outcome? { answer.withLock { if case .given(let outcome) = $0 { outcome } else { nil } } }

  /// Ends the call; the first outcome counts.
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

  /// Waits until it has ended. Called once.
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
