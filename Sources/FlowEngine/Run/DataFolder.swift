#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The folder in which runs of one workflow keep what must outlive them.
///
/// The file `launched` in it says that a run has ended well here, so that the next is not the first.
public struct DataFolder: Sendable {
  /// The absolute path.
  public let path: String

  /// A folder that could not be made or written.
  public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path that was refused.
    public let path: String
    /// What the system said.
    public let cause: String
    /// Path, cause and remedy.
    public var description: String {
      "the data folder '\(path)' cannot be used: \(cause); name another one with --data"
    }
  }

  /// Opens the folder at an absolute path, making it and its parents when missing.
  public init(making path: String) throws(Problem) {
    self.path = path
    if access(path, W_OK | X_OK) == 0, access(path + "/.", F_OK) == 0 { return }
    var partial = ""
    for part in path.split(separator: "/") {
      partial += "/\(part)"
      if mkdir(partial, 0o755) != 0, errno != EEXIST, errno != EISDIR {
        if errno == EROFS || errno == EACCES, access(partial, F_OK) == 0 { continue }
        throw Problem(path: partial, cause: String(cString: strerror(errno)))
      }
    }
    guard access(path, W_OK | X_OK) == 0 else { throw Problem(path: path, cause: String(cString: strerror(errno))) }
  }

  /// The folder at an absolute path that exists.
  init(opened path: String) { self.path = path }

  /// Whether a run with this folder has ended `success` or `partial` before.
  public var hasLaunched: Bool { access(path + "/launched", F_OK) == 0 }

  /// Notes that a run has ended well. Returns what went wrong, or nil.
  func noteLaunch() -> String? {
    let file = open(path + "/launched", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard file >= 0 else { return "cannot note the launch in '\(path)': \(String(cString: strerror(errno)))" }
    close(file)
    return nil
  }
}

/// How many cores run threads now.
func activeCores() -> Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
