/// A process number from a text, an option or a stored value. The text must consist of digits only, and the number must
/// be greater than 1.
///
/// `kill` interprets 0 as the caller's group, -1 as all processes of the user, and other negative numbers as groups, so
/// numbers from other processes or from files must pass this check first. Callers must also check that the number
/// belongs to the intended process.
package struct ProcessNumber: Sendable, Hashable {
  /// The number in the type that system calls use.
  package let value: pid_t

  /// Parses a word. Returns nil if it is not a valid process number.
  package init?(_ word: some StringProtocol) {
    let isNumber = word.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isNumber, word.utf8.first != UInt8(ascii: "0"), let number = pid_t(word) else { return nil }
    self.init(exactly: number)
  }

  /// Converts a number. Returns nil if it is not a valid process number.
  package init?(exactly number: some BinaryInteger) {
    guard let value = pid_t(exactly: number), value > 1 else { return nil }
    self.value = value
  }
}
