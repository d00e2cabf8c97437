/// Detects whether a file has been written since an earlier check.
package enum FileStamp {
  /// Returns a string that changes when the file is written or replaced, even by a program that restores its
  /// modification time. Returns nil if the file does not exist.
  package static func of(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
      let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (modified, changed) = (status.st_mtim, status.st_ctim)
    #endif
    return "\(status.st_ino) \(status.st_size) \(modified.tv_sec).\(modified.tv_nsec) "
      + "\(changed.tv_sec).\(changed.tv_nsec)"
  }
}
