import FlowPlatform

/// A file that is displayed during the launch: a storyboard or a launch screen.
enum LaunchFile {
  /// Returns the size of the file in bytes, or nil if there is no regular file at this path.
  static func sizeBytes(at path: String) -> Int? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }
}
