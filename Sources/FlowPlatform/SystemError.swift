/// A system call that failed.
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The failed operation.
  package let attempt: String
  /// The system's error number.
  package let number: CInt

  package init(_ attempt: String, _ number: CInt) {
    self.attempt = attempt
    self.number = number
  }

  /// The system's message for the number.
  package var reason: String { Self.reason(number) }

  /// The failed operation and the reason.
  package var description: String { "\(attempt): \(reason)" }

  /// The system's message for an error number.
  package static func reason(_ number: CInt) -> String { String(cString: strerror(number)) }

  /// True if this process or the whole system has too many open files.
  package var isLackOfDescriptors: Bool { number == EMFILE || number == ENFILE }
}
