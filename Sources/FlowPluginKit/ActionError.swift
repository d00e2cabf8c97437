import FlowModel

/// The failure of an action, described for the person who runs the workflow.
public struct ActionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A stable code for programs: one of the action's declared errors, if it declares any.
  public var code: String
  /// The problem and its remedy, as a sentence without a full stop.
  public var message: String
  /// Whether another attempt may succeed. If nil, the action's declaration of the code decides, and otherwise it may.
  public var isRetryable: Bool?
  /// The minimum pause before another attempt, if the other side asked for one.
  public var retryAfter: Duration?
  /// The exit status of a failed command, or nil if a signal ended it or it was not a command.
  public var exitStatus: Int?

  /// Makes a failure.
  public init(
    _ code: String, _ message: String, isRetryable: Bool? = nil, retryAfter: Duration? = nil, exitStatus: Int? = nil
  ) {
    self.code = code
    self.message = message
    self.isRetryable = isRetryable
    self.retryAfter = retryAfter
    self.exitStatus = exitStatus
  }

  /// True if a signal ended the command.
  package var isKilled: Bool { code == "command-killed" }

  /// The message, followed by the code.
  public var description: String { "\(message) [\(code)]" }
}
