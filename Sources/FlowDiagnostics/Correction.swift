/// The word that was probably meant by a misspelled word of a text.
package struct Correction: Sendable, Hashable {
  /// The misspelled word.
  package var wrong: String
  /// The intended word.
  package var word: String

  /// Creates a correction of `wrong` to `word`.
  package init(_ wrong: String, to word: String) {
    self.wrong = wrong
    self.word = word
  }

  /// Finds the nearest candidate with ``NearestName``, or returns nil if none is near.
  package init?(_ wrong: String, among candidates: some Sequence<String>) {
    guard let word = NearestName.of(wrong, among: candidates) else { return nil }
    self.init(wrong, to: word)
  }

  /// `did you mean 'fetch'?`
  package var question: String { "did you mean '\(word)'?" }
}
