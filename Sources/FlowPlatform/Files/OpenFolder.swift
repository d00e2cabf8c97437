/// A folder that is kept open, so that its path is not resolved again for each of its files.
package final class OpenFolder: Sendable {
  /// The path as given.
  package let path: String
  /// The descriptor, or a negative number if it could not be opened; then full paths are used.
  private let descriptor: CInt

  /// Opens a folder. A missing folder has no files.
  package init(_ path: String) {
    self.path = path
    descriptor = open(path.isEmpty ? "/" : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The path of a file relative to the folder; an absolute one is unchanged.
  package func place(of file: String) -> String { FilePath.isAbsolute(file) ? file : "\(path)/\(file)" }

  /// The status of a file, or nil if it does not exist.
  package func status(of file: String) -> stat? {
    var status = stat()
    // Passing a string directly would copy it first.
    let result = (descriptor >= 0 ? file : place(of: file)).withCString { path in
      fstatat(descriptor >= 0 ? descriptor : AT_FDCWD, path, &status, 0)
    }
    return result == 0 ? status : nil
  }
}
