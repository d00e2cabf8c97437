/// An error with a word for programs and a sentence for people.
package struct PluginError: Error {
  /// The word, such as `no-such-file`; plugin.yaml declares it.
  package var code: String
  /// The sentence.
  package var message: String
  /// Whether another attempt may succeed; nil: what plugin.yaml says.
  package var isRetryable: Bool?

  /// An error of an action.
  package init(_ code: String, _ message: String, isRetryable: Bool? = nil) {
    self.code = code
    self.message = message
    self.isRetryable = isRetryable
  }
}

/// Thrown by what should be given up.
package struct Cancelled: Error {
  /// The call should be given up.
  package init() {}
}
