/// The identity of a file or folder. It stays the same if the file is renamed, and changes if another file replaces it.
package struct FileIdentity: Sendable, Hashable {
  private let device: UInt64
  /// The file's inode number, which is unique within its file system.
  package let number: UInt64

  /// Reads the identity of the file or folder at a path. Returns nil if nothing exists there.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }
}
