/// The error for a failed system call.
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A description of the failed operation, such as `cannot open /dev/null`.
  package let attempt: String
  /// The system's error number, `errno`.
  package let number: CInt

  package init(_ attempt: String, _ number: CInt) {
    self.attempt = attempt
    self.number = number
  }

  /// The system's message for the error number.
  package var reason: String { Self.reason(number) }

  package var description: String { "\(attempt): \(reason)" }

  /// Returns the text that the system associates with an error number.
  package static func reason(_ number: CInt) -> String { String(cString: strerror(number)) }

  /// True if the call failed because this process or the whole system has too many open files.
  package var isLackOfDescriptors: Bool { number == EMFILE || number == ENFILE }
}
