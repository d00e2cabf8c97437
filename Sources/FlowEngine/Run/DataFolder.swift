import FlowPlatform

/// The data folder of a workflow. Its files are read by later runs of the same workflow.
///
/// The file `launched` in it records that a launch has succeeded, so that `launch.first` is false for later runs.
public struct DataFolder: Sendable {
  /// The absolute path of the folder.
  public let path: String

  /// The error that is thrown if a data folder cannot be created or written.
  public struct FolderProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path of the data folder.
    package let path: String
    /// The cause, including the system's message.
    package let cause: String
    /// A message with the path, the cause and a suggestion.
    public var description: String { "the data folder '\(path)' cannot be used: \(cause); name another one" }
  }

  /// Uses the folder at a path, which may be relative to the working folder. Creates it and its parents if they are
  /// missing; only the owner may access created folders. Throws an error if a folder cannot be created, or if the
  /// folder is not writable.
  public init(making path: String) throws(FolderProblem) { try self.init(making: path) { mkdir($0, 0o700) } }

  /// - Parameter make: A function that creates a folder. Like `mkdir`, it returns 0 on success, and otherwise sets
  ///   `errno`.
  init(making path: String, with make: (String) -> CInt) throws(FolderProblem) {
    let path = FilePath.absolute(path)
    self.path = path
    if access(path, W_OK | X_OK) == 0, access(path + "/.", F_OK) == 0 { return }
    try Self.make(FilePath.parts(of: path)[...], for: path, with: make)
    guard access(path, W_OK | X_OK) == 0 else { throw FolderProblem(path: path, cause: Self.text(errno)) }
  }

  /// Creates a folder, and its parents if they are missing. It does not check first whether parents exist: a sandbox
  /// reports each check of a folder outside it, and may deny the check even if the folder can be created.
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
    // The error number for an existing folder differs between file systems, so check whether the folder exists.
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

  /// Refers to the folder at an absolute path, without checking or creating it.
  init(opened path: String) { self.path = path }

  /// True if a run with this folder has shown its window or, if its workflow shows none, has ended as `success` or
  /// `partial`.
  package var hasLaunched: Bool { access(path + "/launched", F_OK) == 0 }

  /// Records that a launch has succeeded. Returns an error message if that failed, otherwise nil.
  func noteLaunch() -> String? {
    let file = open(path + "/launched", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard file >= 0 else { return "cannot record the launch in '\(path)': \(String(cString: strerror(errno)))" }
    close(file)
    return nil
  }
}
