/// A folder that is kept open, so that the system need not resolve its path for each of its files.
package final class OpenFolder: Sendable {
  /// The path that was used to open the folder.
  package let path: String
  /// The descriptor of the folder. If it is negative, the folder could not be opened, and full paths are used instead.
  private let descriptor: CInt

  /// Opens a folder. If it cannot be opened, files are accessed by their full paths.
  package init(_ path: String) {
    self.path = path
    descriptor = open(path.isEmpty ? "/" : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Returns the path of a file in the folder. An absolute path is returned unchanged.
  package func place(of file: String) -> String { FilePath.isAbsolute(file) ? file : "\(path)/\(file)" }

  /// Returns the status of a file, or nil if the file does not exist.
  package func status(of file: String) -> stat? {
    var status = stat()
    // Passing the string directly would copy it first.
    let result = (descriptor >= 0 ? file : place(of: file)).withCString { path in
      fstatat(descriptor >= 0 ? descriptor : AT_FDCWD, path, &status, 0)
    }
    return result == 0 ? status : nil
  }
}
