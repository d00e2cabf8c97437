import FlowDiagnostics
import FlowSystem

/// A file that could not be read or written.
package struct FileProblem: Error, CustomStringConvertible {
  /// What was to be done with the file.
  package enum Purpose: String {
    case read, write
  }

  package let path: String
  package let cause: String
  package let purpose: Purpose

  /// A problem with a cause in words.
  package init(path: String, cause: String, _ purpose: Purpose = .read) {
    self.path = path
    self.cause = cause
    self.purpose = purpose
  }

  /// A problem with the cause that the system gives in `errno`.
  package init(path: String, _ purpose: Purpose = .read) {
    self.init(path: path, cause: String(cString: strerror(errno)), purpose)
  }

  /// The file and the cause: `'report.json': No space left on device`.
  package var description: String { "'\(TerminalText.visible(path))': \(cause)" }
}
