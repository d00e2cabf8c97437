import FlowModel
import FlowPluginKit
import FlowSyntax

/// A request that the program has not answered yet.
struct PluginCall: Sendable {
  /// What was asked.
  enum Request: Sendable {
    /// The first message.
    case initialize
    /// A step's try.
    case run(PluginManifest.Action, ActionContext)
  }

  /// How a request ends.
  enum Outcome: Sendable {
    /// The program's answer.
    case answered(Value)
    /// The program's own error.
    case refused(PluginFailure)
    /// The program broke the protocol or ended.
    case failed(ActionError)
    /// The program ended without having read the request.
    case unread
  }

  let request: Request
  /// Where its line begins among all bytes meant for the program.
  let position: Int
  /// Gets the outcome.
  let answer: OneShot<Outcome>
  /// When the program is ended unless it has answered; nil: the step's own deadline cancels it.
  var deadline: ContinuousClock.Instant?
  /// How many log lines it has written, the dropped ones included.
  var logLines = 0
  /// How many times it has told its progress.
  var progressMessages = 0

  /// The action that was called; nil for `initialize`.
  var action: PluginManifest.Action? { if case .run(let action, _) = request { action } else { nil } }

  /// The step's context; nil for `initialize`.
  var context: ActionContext? { if case .run(_, let context) = request { context } else { nil } }
}
