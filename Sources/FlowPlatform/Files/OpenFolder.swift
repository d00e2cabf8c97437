/// A folder that is kept open, so that the way to it is not looked up again for each of its files.
package final class OpenFolder: Sendable {
  /// As it was named.
  package let path: String
  /// Negative: it could not be opened, and its files are looked up from the start.
  private let descriptor: CInt

  /// Opens a folder. One that is not there has no files.
  package init(_ path: String) {
    self.path = path
    descriptor = open(path.isEmpty ? "/" : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Where a path from the folder on leads; an absolute one stands for itself.
  package func place(of file: String) -> String { FilePath.isAbsolute(file) ? file : "\(path)/\(file)" }

  /// What `stat` says of a file; nil: it is not there.
  package func status(of file: String) -> stat? {
    var status = stat()
    // A text that is passed as such is copied first.
    let result = (descriptor >= 0 ? file : place(of: file)).withCString { path in
      fstatat(descriptor >= 0 ? descriptor : AT_FDCWD, path, &status, 0)
    }
    return result == 0 ? status : nil
  }
}
