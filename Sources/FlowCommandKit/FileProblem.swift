import FlowDiagnostics
import FlowSystem

/// An error of reading or writing a file.
package struct FileProblem: Error, CustomStringConvertible {
  /// The failed operation.
  package enum Purpose: String {
    case read, write
  }

  package let path: String
  package let cause: String
  package let purpose: Purpose

  /// Creates an error with a cause in words.
  package init(path: String, cause: String, _ purpose: Purpose = .read) {
    self.path = path
    self.cause = cause
    self.purpose = purpose
  }

  /// Creates an error with the cause in `errno`.
  package init(path: String, _ purpose: Purpose = .read) {
    self.init(path: path, cause: String(cString: strerror(errno)), purpose)
  }

  /// The file and the cause: `'report.json': No space left on device`.
  package var description: String { "'\(TerminalText.visible(path))': \(cause)" }
}
