import FlowDiagnostics
import FlowSystem

/// An error that occurred when a file was read or written.
package struct FileProblem: Error, CustomStringConvertible {
  package enum Purpose: String {
    case read, write
  }

  package let path: String
  package let cause: String
  package let purpose: Purpose

  /// Creates an error whose cause is described in words.
  package init(path: String, cause: String, _ purpose: Purpose = .read) {
    self.path = path
    self.cause = cause
    self.purpose = purpose
  }

  /// Creates an error whose cause is the current value of `errno`.
  package init(path: String, _ purpose: Purpose = .read) {
    self.init(path: path, cause: String(cString: strerror(errno)), purpose)
  }

  /// The path and the cause, such as `'report.json': No space left on device`.
  package var description: String { "'\(TerminalText.visible(path))': \(cause)" }
}
