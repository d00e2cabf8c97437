import FlowModel

/// The failure of an action, with a message for users.
public struct ActionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A stable code for programs. If the action declares errors, it is one of the declared codes.
  public var code: String
  /// The problem, and what to do about it, without a final period.
  public var message: String
  /// True if another attempt may succeed. If nil, the action's declaration of the error decides; an undeclared error
  /// may be retried.
  public var isRetryable: Bool?
  /// The minimum pause before another attempt, for example as requested by a server, or nil.
  package var retryAfter: Duration?
  /// The exit status of the command, or nil if a signal ended it or the action ran no command.
  package var exitStatus: Int?

  /// Creates a failure.
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

  /// The message with the code.
  public var description: String { "\(message) [\(code)]" }
}
