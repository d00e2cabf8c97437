import FlowPlatform

/// The folder in which the runs of one workflow keep their lasting files.
///
/// The file `launched` in it records that a run has succeeded here, so the next one is not the first.
public struct DataFolder: Sendable {
  /// The absolute path.
  public let path: String

  /// The error for a folder that cannot be created or written.
  public struct FolderProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path that was refused.
    public let path: String
    /// The cause reported by the system.
    public let cause: String
    /// The path, the cause and a remedy.
    public var description: String { "the data folder '\(path)' cannot be used: \(cause); name another one" }
  }

  /// Opens the folder at a path, absolute or from the working folder, making it and its parents when missing; what it makes is
  /// its owner's alone.
  public init(making path: String) throws(FolderProblem) { try self.init(making: path) { mkdir($0, 0o700) } }

  /// Makes folders with `make`, which returns 0 or sets the error number, as `mkdir` does.
  init(making path: String, with make: (String) -> CInt) throws(FolderProblem) {
    let path = FilePath.absolute(path)
    self.path = path
    if access(path, W_OK | X_OK) == 0, access(path + "/.", F_OK) == 0 { return }
    try Self.make(FilePath.parts(of: path)[...], for: path, with: make)
    guard access(path, W_OK | X_OK) == 0 else { throw FolderProblem(path: path, cause: Self.text(errno)) }
  }

  /// Makes the folder of these parts. Looks at its parent only if that is missing: a sandbox reports each look at a folder
  /// outside of it, and may refuse it although the folder can be made.
  private static func make(
    _ parts: ArraySlice<Substring>, for path: String, with make: (String) -> CInt
  ) throws(FolderProblem) {
    let folder = "/" + parts.joined(separator: "/")
    if make(folder) == 0 { return }
    var code = errno
    if code == ENOENT || code == ENOTDIR, !parts.isEmpty {
      try Self.make(parts.dropLast(), for: path, with: make)
      if make(folder) == 0 { return }
      code = errno
    }
    // The error number for a folder that exists differs between file systems.
    var status = stat()
    guard stat(folder, &status) == 0 else {
      let parent = "/" + parts.dropLast().joined(separator: "/")
      throw FolderProblem(path: path, cause: "'\(parent)' cannot hold a new folder: \(text(code))")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw FolderProblem(path: path, cause: folder == path ? "it is a file" : "'\(folder)' is a file")
    }
  }

  private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }

  /// Opens an existing folder by its absolute path.
  init(opened path: String) { self.path = path }

  /// True if a run with this folder has ended with `success` or `partial`, or has shown its window if it has one.
  public var hasLaunched: Bool { access(path + "/launched", F_OK) == 0 }

  /// Records that a run has succeeded. Returns an error message, or nil.
  func noteLaunch() -> String? {
    let file = open(path + "/launched", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard file >= 0 else { return "cannot record the launch in '\(path)': \(String(cString: strerror(errno)))" }
    close(file)
    return nil
  }
}
