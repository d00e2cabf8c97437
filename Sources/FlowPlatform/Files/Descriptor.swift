/// An open file that is closed with its only owner, never inherited by a child; a negative number is none.
package struct Descriptor: ~Copyable, Sendable {
  /// The number that the system knows it by.
  package let number: CInt

  /// Takes over an open file.
  package init(_ number: CInt) { self.number = number }

  deinit { if number >= 0 { _ = close(number) } }

  /// Makes reading and writing return at once instead of waiting.
  package func setNonBlocking() {
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
  }

  /// Leaves the file open for as long as the process lives.
  package consuming func leave() { discard self }
}
