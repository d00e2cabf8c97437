import FlowModel

/// Why an action failed, for the person who runs the workflow.
public struct ActionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A stable word for programs, one of the action's declared errors where it declares any.
  public var code: String
  /// What happened and what to do about it, as a sentence without a full stop.
  public var message: String
  /// Whether another attempt may succeed; nil: what the action's declaration says of the code, else yes.
  public var isRetryable: Bool?
  /// The least pause before another attempt, when the other side asked for one; nil: none.
  public var retryAfter: Duration?
  /// The exit status of a command that failed; nil: it was no command, or a signal ended it.
  public var exitStatus: Int?

  /// A failure.
  public init(
    _ code: String, _ message: String, isRetryable: Bool? = nil, retryAfter: Duration? = nil, exitStatus: Int? = nil
  ) {
    self.code = code
    self.message = message
    self.isRetryable = isRetryable
    self.retryAfter = retryAfter
    self.exitStatus = exitStatus
  }

  /// Whether a signal ended the command.
  package var isKilled: Bool { code == "command-killed" }

  /// Code and message.
  public var description: String { "\(message) [\(code)]" }
}
