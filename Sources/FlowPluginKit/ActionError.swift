import FlowModel

/// The error of a failed action, with a message for users.
public struct ActionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A stable code for programs. If the action declares errors, this is one of the declared codes.
  public var code: String
  /// A sentence that describes the problem and what to do about it, without a final period.
  public var message: String
  /// True if another attempt may succeed. If nil, the action's declaration of the error decides. An undeclared error
  /// may be retried.
  public var isRetryable: Bool?
  /// The minimum pause before another attempt, for example as requested by a server. Nil if no minimum is known.
  package var retryAfter: Duration?
  /// The exit status of the command. Nil if a signal ended the command or the action ran none.
  package var exitStatus: Int?

  /// Creates an error with a code for programs and a message for users.
  public init(
    _ code: String, _ message: String, isRetryable: Bool? = nil, retryAfter: Duration? = nil, exitStatus: Int? = nil
  ) {
    self.code = code
    self.message = message
    self.isRetryable = isRetryable
    self.retryAfter = retryAfter
    self.exitStatus = exitStatus
  }

  package var isKilled: Bool { code == "command-killed" }

  /// The message followed by the code.
  public var description: String { "\(message) [\(code)]" }
}
