/// The identity of a file or folder, which stays the same if it is renamed, and differs from that of a file that replaces
/// it.
package struct FileIdentity: Sendable, Hashable {
  private let device: UInt64
  /// The inode number.
  package let number: UInt64

  /// Reads the identity of the file at a path. Returns nil if there is none.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }
}
