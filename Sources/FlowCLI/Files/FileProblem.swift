import FlowDiagnostics
import FlowSystem

/// A file that could not be read or written.
struct FileProblem: Error, CustomStringConvertible {
  /// What was to be done with the file.
  enum Purpose: String {
    case read, write
  }

  let path: String
  let cause: String
  let purpose: Purpose

  /// A problem with a cause in words.
  init(path: String, cause: String, _ purpose: Purpose = .read) {
    self.path = path
    self.cause = cause
    self.purpose = purpose
  }

  /// A problem with the cause that the system gives in `errno`.
  init(path: String, _ purpose: Purpose = .read) {
    self.init(path: path, cause: String(cString: strerror(errno)), purpose)
  }

  /// The file and the cause: `'report.json': No space left on device`.
  var description: String { "'\(TerminalText.visible(path))': \(cause)" }
}
