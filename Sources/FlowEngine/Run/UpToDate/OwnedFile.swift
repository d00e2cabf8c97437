import FlowModel
import FlowPlatform

/// Removes files that steps have produced.
enum OwnedFile {
  /// The result of trying to remove a file. `kept` contains the reason for keeping the file.
  enum Result: Equatable {
    case removed
    case kept(String)
  }

  /// Removes a file if it is a regular file below `home` and still has its recorded content.
  ///
  /// - Parameters:
  ///   - file: The recorded state of the file.
  ///   - folder: The folder to which the path of the file is relative.
  ///   - home: The folder in which the file must be.
  static func remove(_ file: InputStamp, from folder: String, below home: String) -> Result {
    let home = FilePath.normalized(home)
    let place = FilePath.place(of: file.path, in: folder)
    guard let path = FilePath.path(of: place, below: home) else {
      return .kept("it is not below the workflow's folder")
    }
    var parts = path.pathParts
    guard let name = parts.popLast() else { return .kept("it is not a file") }
    var parent = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if parent >= 0 { close(parent) } }
    // Open each folder of the path in turn, so that no link is followed.
    for part in parts {
      let next = openat(parent, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      if parent >= 0 { close(parent) }
      parent = next
      guard parent >= 0 else { return .kept("a folder of its path is a link or cannot be read") }
    }
    var status = stat()
    guard fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      return .kept(String(cString: strerror(errno)))
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return .kept("it is not a regular file") }
    guard status.st_size == file.bytes, SHA256.digest(ofFile: place) == file.digest else {
      return .kept("it has changed since")
    }
    guard unlinkat(parent, name, 0) == 0 else { return .kept(String(cString: strerror(errno))) }
    return .removed
  }

  /// True if the path is that of a regular file, not of a link to one.
  static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
