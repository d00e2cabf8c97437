/// A file descriptor with a single owner, which closes it. Child processes do not inherit it. A negative number stands
/// for no file.
package struct Descriptor: ~Copyable, Sendable {
  /// The number by which the system identifies the open file.
  package let number: CInt

  /// Takes ownership of an open file. It is closed together with this value.
  package init(_ number: CInt) { self.number = number }

  deinit { if number >= 0 { _ = close(number) } }

  /// Makes reads and writes return immediately instead of blocking.
  package func setNonBlocking() {
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
  }

  /// Gives up ownership, so that the file stays open until the process ends.
  package consuming func leave() { discard self }
}
