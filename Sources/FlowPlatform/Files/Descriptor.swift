/// A file descriptor with a single owner, which closes it. Children do not inherit it. A negative number means that
/// there is no file.
package struct Descriptor: ~Copyable, Sendable {
  /// The number of the file in the system.
  package let number: CInt

  /// Takes ownership of an open file.
  package init(_ number: CInt) { self.number = number }

  deinit { if number >= 0 { _ = close(number) } }

  /// Makes reading and writing non-blocking.
  package func setNonBlocking() {
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
  }

  /// Leaves the file open until the process ends.
  package consuming func leave() { discard self }
}
