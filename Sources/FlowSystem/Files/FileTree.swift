/// Operations on whole folders, and copies of files.
package enum FileTree {
  /// Creates a folder and its missing parents with these permissions.
  package static func makeFolders(_ path: String, permissions: mode_t = 0o777) throws(SystemError) {
    if mkdir(path, permissions) == 0 { return }
    let problem = errno
    if FilePath.isFolder(path) { return }
    guard problem == ENOENT else { throw SystemError("cannot make the folder '\(path)'", problem) }
    try makeFolders(FilePath.folder(of: path), permissions: permissions)
    if mkdir(path, permissions) != 0, errno != EEXIST { throw SystemError("cannot make the folder '\(path)'", errno) }
  }

  /// Removes the file or folder at a path with everything in it. Files that cannot be removed are skipped. Links are
  /// not followed.
  package static func remove(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      unlink(path)
      return
    }
    if status.st_mode & 0o700 != 0o700 { chmod(path, 0o700) }
    for name in FilePath.names(in: path) ?? [] { remove("\(path)/\(name)") }
    rmdir(path)
  }

  /// Copies the content of a file to a new file, which only its owner can read.
  package static func copy(_ source: String, to target: String) throws(SystemError) {
    let from = Descriptor(open(source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW))
    guard from.number >= 0 else { throw SystemError("cannot read '\(source)'", errno) }
    let to = Descriptor(open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
    guard to.number >= 0 else { throw SystemError("cannot write '\(target)'", errno) }
    let problem = withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 16) { buffer -> CInt in
      while true {
        let count = SystemCall.read(from.number, buffer)
        if count <= 0 { return count == 0 ? 0 : errno }
        let problem = SystemCall.writeAll(to.number, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        if problem != 0 { return problem }
      }
    }
    if problem != 0 { throw SystemError("cannot write '\(target)'", problem) }
  }
}
