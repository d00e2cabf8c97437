/// A misspelled word and the word that was probably meant.
package struct Correction: Sendable, Hashable {
  /// The word as written.
  package var wrong: String
  /// The word that was probably meant.
  package var word: String

  package init(_ wrong: String, to word: String) {
    self.wrong = wrong
    self.word = word
  }

  /// Finds the most similar candidate by means of ``NearestName``. Returns nil if none is similar.
  package init?(_ wrong: String, among candidates: some Sequence<String>) {
    guard let word = NearestName.of(wrong, among: candidates) else { return nil }
    self.init(wrong, to: word)
  }

  /// A question such as `did you mean 'fetch'?`.
  package var question: String { "did you mean '\(word)'?" }
}
