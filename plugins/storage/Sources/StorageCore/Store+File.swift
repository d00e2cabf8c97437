import FlowPluginKit
import FlowPlatform

extension Store {
  /// Creates the folder and an empty file for the store, readable only by this user; returns true if it was created.
  ///
  /// SQLite gives its journals the permissions of the database file. If the file cannot be created, SQLite reports the
  /// reason later.
  static func prepareFile(at path: String) throws -> Bool {
    if access(path, F_OK) == 0 { return false }
    if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex {
      try makeFolder(String(path[..<slash]))
    }
    makeEmptyFile(path)
    return true
  }

  private static func makeFolder(_ folder: String) throws {
    if access(folder, F_OK) == 0 { return }
    if let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")), slash != folder.startIndex {
      try makeFolder(String(folder[..<slash]))
    }
    guard mkdir(folder, 0o700) != 0, errno != EEXIST else { return }
    let code = errno
    throw ActionError(
      code == ENOSPC ? StoreFailure.diskFull.rawValue : StoreFailure.folderNotWritable.rawValue,
      "cannot make the folder '\(folder)' for the store: \(systemMessage(code)); make it, or choose another path",
      isRetryable: false)
  }

  /// The system's message for an error number.
  static func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }

  /// The reason in the file system why SQLite could not use a store.
  enum Obstacle {
    case folder
    case fileNotReadable
    case fileNotWritable
    case folderNotWritable
    case noSpace
    case nothingFound
  }

  /// True if this process has a file size limit.
  private static var isFileSizeLimited: Bool {
    var limit = rlimit()
    #if canImport(Glibc)
      return getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 && limit.rlim_cur < rlim_t(Int64.max)
    #else
      return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < rlim_t(Int64.max)
    #endif
  }

  /// Finds the reason why SQLite could not open, read or write the store.
  static func obstacle(at path: String) -> Obstacle {
    let folder = FilePath.folder(of: path)
    var status = stat()
    if stat(path, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR { return .folder }
      if access(path, R_OK) != 0 { return .fileNotReadable }
      if access(path, W_OK) != 0 { return .fileNotWritable }
    }
    if access(folder, W_OK | X_OK) != 0 { return .folderNotWritable }
    var space = statvfs()
    // Less space than the shared memory of the write-ahead log needs.
    if statvfs(folder, &space) == 0, UInt(space.f_bavail) * UInt(space.f_frsize) < 64 << 10 { return .noSpace }
    return isFileSizeLimited ? .noSpace : .nothingFound
  }
}

/// Creates a file that only its owner can access; keeps an existing one unchanged. (A free function, because ``Store``
/// has its own `open` and `close`.)
private func makeEmptyFile(_ path: String) {
  let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
  if file >= 0 { close(file) }
}
