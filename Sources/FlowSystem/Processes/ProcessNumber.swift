/// The number of a process that was read from text, an option or a stored value: a whole word of digits, greater than 1.
///
/// `kill` takes 0 for the caller's group, -1 for all processes of the user and other negative numbers for groups, so no other
/// number from outside may reach it. That the number belongs to the process that is meant must still be checked.
package struct ProcessNumber: Sendable, Hashable {
  /// The number as the system takes it.
  package let value: pid_t

  /// Reads a word; nil if it is not the number of a process.
  package init?(_ word: some StringProtocol) {
    let isNumber = word.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isNumber, word.utf8.first != UInt8(ascii: "0"), let number = pid_t(word) else { return nil }
    self.init(exactly: number)
  }

  /// Takes a number; nil if it is not that of a process.
  package init?(exactly number: some BinaryInteger) {
    guard let value = pid_t(exactly: number), value > 1 else { return nil }
    self.value = value
  }
}
