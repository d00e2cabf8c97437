/// The word that was most likely meant by one that is in a text.
public struct Correction: Sendable, Hashable {
  /// What is there.
  public var wrong: String
  /// What was meant.
  public var word: String

  /// `word` in place of `wrong`.
  public init(_ wrong: String, to word: String) {
    self.wrong = wrong
    self.word = word
  }

  /// The candidate that is near, as ``NearestName`` finds it; nil: none is.
  public init?(_ wrong: String, among candidates: some Sequence<String>) {
    guard let word = NearestName.of(wrong, among: candidates) else { return nil }
    self.init(wrong, to: word)
  }

  /// `did you mean 'fetch'?`
  public var question: String { "did you mean '\(word)'?" }
}
