/// An error with a code for programs and a message for people.
public struct PluginError: Error {
  /// The code, such as `no-such-file`, which plugin.yaml declares.
  public var code: String
  /// The message: one sentence.
  public var message: String
  /// True if another attempt may succeed. If nil, the declaration in plugin.yaml decides.
  public var isRetryable: Bool?

  /// Creates an error of an action.
  public init(_ code: String, _ message: String, isRetryable: Bool? = nil) {
    self.code = code
    self.message = message
    self.isRetryable = isRetryable
  }
}

/// The error that an action throws if it ends early because its call was cancelled.
public struct Cancelled: Error {
  /// Creates the error.
  public init() {}
}
