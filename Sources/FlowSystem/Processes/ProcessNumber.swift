/// A process number from text, an option or a stored value: a complete word of digits, greater than 1.
///
/// `kill` interprets 0 as the caller's group, -1 as all processes of the user and other negative numbers as groups, so
/// no other external number may be passed to it. Callers must still check that the number belongs to the intended
/// process.
package struct ProcessNumber: Sendable, Hashable {
  /// The number for system calls.
  package let value: pid_t

  /// Parses a word; returns nil if it is not a process number.
  package init?(_ word: some StringProtocol) {
    let isNumber = word.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isNumber, word.utf8.first != UInt8(ascii: "0"), let number = pid_t(word) else { return nil }
    self.init(exactly: number)
  }

  /// Converts a number; returns nil if it is not a process number.
  package init?(exactly number: some BinaryInteger) {
    guard let value = pid_t(exactly: number), value > 1 else { return nil }
    self.value = value
  }
}
