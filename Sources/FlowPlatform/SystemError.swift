/// A system call that failed.
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was tried.
  package let attempt: String
  /// The number the system gave.
  package let number: CInt

  /// A failed attempt with the system's number for why.
  package init(_ attempt: String, _ number: CInt) {
    self.attempt = attempt
    self.number = number
  }

  /// The system's own words for the number.
  package var reason: String { Self.reason(number) }

  /// What was tried and why it failed.
  package var description: String { "\(attempt): \(reason)" }

  /// The system's own words for an error number.
  package static func reason(_ number: CInt) -> String { String(cString: strerror(number)) }

  /// Whether there are too many open files, of this process or of the whole system, for another one.
  package var isLackOfDescriptors: Bool { number == EMFILE || number == ENFILE }
}
