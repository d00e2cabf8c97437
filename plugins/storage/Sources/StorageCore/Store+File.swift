import FlowPluginKit
import FlowPlatform

extension Store {
  /// Creates the folder of the store and an empty file that only this user can access. Returns false if the file exists
  /// already.
  ///
  /// SQLite gives its journals the same permissions as the database file. If the file cannot be created, SQLite reports
  /// the reason later.
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

  /// Returns the system's message for an error number.
  static func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }

  /// A problem in the file system that prevents SQLite from using a store.
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

  /// Returns the first problem that can prevent SQLite from opening, reading or writing the store.
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
    // The shared memory of the write-ahead log needs this much space.
    if statvfs(folder, &space) == 0, UInt(space.f_bavail) * UInt(space.f_frsize) < 64 << 10 { return .noSpace }
    return isFileSizeLimited ? .noSpace : .nothingFound
  }
}

/// Creates a file that only its owner can access. An existing file is not changed. This is not a method, because
/// ``Store`` has its own `open` and `close`.
private func makeEmptyFile(_ path: String) {
  let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
  if file >= 0 { close(file) }
}
