/// A temporary folder that only this process uses.
///
/// A process locks its folder, and the system releases the lock when the process ends. Creating a folder also removes
/// the unlocked folders that killed processes have left in the same parent folder.
package final class ScratchFolder: Sendable {
  package let path: String
  private let lock: Descriptor

  /// Creates a folder whose name starts with `prefix`. Creates `parent` if it does not exist.
  package init(in parent: String, prefix: String) throws(SystemError) {
    if !FilePath.isFolder(parent) { try FileTree.makeFolders(parent, permissions: 0o700) }
    Self.sweep(parent, prefix: prefix)
    while true {
      let path = "\(parent)/\(prefix)\(String(UInt64.random(in: 0 ... .max), radix: 36))"
      let lock = Descriptor(open(path + Self.lockSuffix, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
      guard lock.number >= 0 else {
        if errno == EEXIST { continue }
        throw SystemError("cannot write in '\(parent)'", errno)
      }
      // Another process may have removed the lock file, because it was not locked at first.
      guard Self.isHeld(lock, at: path + Self.lockSuffix) else { continue }
      guard mkdir(path, 0o700) == 0 else {
        let problem = errno
        unlink(path + Self.lockSuffix)
        throw SystemError("cannot make the folder '\(path)'", problem)
      }
      self.path = path
      self.lock = lock
      return
    }
  }

  private static let lockSuffix = ".lock"

  /// Removes the folder with everything in it.
  package func remove() {
    FileTree.remove(path)
    unlink(path + Self.lockSuffix)
  }

  /// Removes the folders left by processes that have ended.
  private static func sweep(_ parent: String, prefix: String) {
    for name in FilePath.names(in: parent) ?? [] where name.hasPrefix(prefix) && name.hasSuffix(lockSuffix) {
      let path = "\(parent)/\(name)"
      let lock = Descriptor(open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW))
      guard lock.number >= 0, isHeld(lock, at: path) else { continue }
      FileTree.remove(String(path.dropLast(lockSuffix.count)))
      unlink(path)
    }
  }

  /// Locks a file. Returns false if another process holds the lock, the file belongs to another user, or the path no
  /// longer leads to it.
  private static func isHeld(_ lock: borrowing Descriptor, at path: String) -> Bool {
    var (own, there) = (stat(), stat())
    return flock(lock.number, LOCK_EX | LOCK_NB) == 0 && fstat(lock.number, &own) == 0 && own.st_uid == geteuid()
      && lstat(path, &there) == 0 && own.st_ino == there.st_ino && own.st_dev == there.st_dev
  }
}
