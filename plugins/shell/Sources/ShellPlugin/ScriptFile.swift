import FlowPluginKit
import FlowSystem

/// A file with a script, for shells that read scripts from files. Only this user can access it. It is removed when this
/// value is destroyed.
struct ScriptFile: ~Copyable {
  let path: String

  /// Writes the script to a new temporary file. Throws an ``ActionError`` if that fails.
  init(_ text: String) throws {
    let folder = TemporaryPath.folder
    path = TemporaryPath.unused()
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.problem(folder) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let problem = Self.problem(folder)
        close(file)
        unlink(path)
        throw problem
      }
      rest = rest.dropFirst(count)
    }
    close(file)
  }

  deinit { unlink(path) }

  private static func problem(_ folder: String) -> ActionError {
    ActionError(
      "spawn-failed", "cannot write the command to a file in '\(folder)': \(String(cString: strerror(errno)))",
      isRetryable: true)
  }
}
