/// An error with a word for programs and a sentence for people.
public struct PluginError: Error {
  /// The word, such as `no-such-file`; plugin.yaml declares it.
  public var code: String
  /// The sentence.
  public var message: String
  /// Whether another attempt may succeed; nil: what plugin.yaml says.
  public var isRetryable: Bool?

  /// An error of an action.
  public init(_ code: String, _ message: String, isRetryable: Bool? = nil) {
    self.code = code
    self.message = message
    self.isRetryable = isRetryable
  }
}

/// Thrown by what should be given up.
public struct Cancelled: Error {
  /// The call should be given up.
  public init() {}
}
