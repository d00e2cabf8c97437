/// The word that was probably meant by a misspelled word of a text.
public struct Correction: Sendable, Hashable {
  /// The misspelled word.
  public var wrong: String
  /// The intended word.
  public var word: String

  /// Creates a correction of `wrong` to `word`.
  public init(_ wrong: String, to word: String) {
    self.wrong = wrong
    self.word = word
  }

  /// Finds the nearest candidate with ``NearestName``, or returns nil if none is near.
  public init?(_ wrong: String, among candidates: some Sequence<String>) {
    guard let word = NearestName.of(wrong, among: candidates) else { return nil }
    self.init(wrong, to: word)
  }

  /// `did you mean 'fetch'?`
  public var question: String { "did you mean '\(word)'?" }
}
