import FlowPluginKit

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Store {
  /// Makes the folder for the store; tells whether the store itself is still to be made.
  static func prepareFile(at path: String) throws -> Bool {
    if access(path, F_OK) == 0 { return false }
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return true }
    try makeFolder(String(path[..<slash]))
    return true
  }

  private static func makeFolder(_ folder: String) throws {
    if access(folder, F_OK) == 0 { return }
    if let slash = folder.lastIndex(of: "/"), slash != folder.startIndex { try makeFolder(String(folder[..<slash])) }
    guard mkdir(folder, 0o755) != 0, errno != EEXIST else { return }
    let code = errno
    throw ActionError(
      code == ENOSPC ? StoreFailure.diskFull.rawValue : StoreFailure.folderNotWritable.rawValue,
      "cannot make the folder '\(folder)' for the store: \(systemMessage(code)); make it, or choose another path",
      isRetryable: false)
  }

  /// The system's words for an error number.
  static func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }

  /// What the file system says about a store that SQLite could not use.
  enum Obstacle {
    case folder
    case fileNotReadable
    case fileNotWritable
    case folderNotWritable
    case noSpace
    case nothingFound
  }

  /// Whether this process may write files only up to some size.
  private static var isFileSizeLimited: Bool {
    var limit = rlimit()
    #if canImport(Glibc)
      return getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 && limit.rlim_cur < rlim_t(Int64.max)
    #else
      return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < rlim_t(Int64.max)
    #endif
  }

  /// Looks for the reason why SQLite could not open, read or write the store.
  static func obstacle(at path: String) -> Obstacle {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    var status = stat()
    if stat(path, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR { return .folder }
      if access(path, R_OK) != 0 { return .fileNotReadable }
      if access(path, W_OK) != 0 { return .fileNotWritable }
    }
    if access(folder, W_OK | X_OK) != 0 { return .folderNotWritable }
    var space = statvfs()
    // Less than the shared memory of the write-ahead log needs.
    if statvfs(folder, &space) == 0, UInt(space.f_bavail) * UInt(space.f_frsize) < 64 << 10 { return .noSpace }
    return isFileSizeLimited ? .noSpace : .nothingFound
  }
}
