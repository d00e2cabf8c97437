import FlowPlatform

/// A file that the launch shows: a storyboard or a launch screen.
enum LaunchFile {
  /// Its size in bytes; nil if there is no such file.
  static func sizeBytes(at path: String) -> Int? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }
}
