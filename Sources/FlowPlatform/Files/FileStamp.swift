/// Tells whether a file has been written since somebody looked.
package enum FileStamp {
  /// Changes when the file at a path is written or replaced, also by a program that sets its time back; nil where there is none.
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
