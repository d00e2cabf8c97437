/// What tells whether a regular file is as it was, without reading it.
package struct FileState: Sendable, Hashable {
  /// The inode.
  package var number: UInt64
  /// The length.
  package var bytes: Int
  /// When the content was last modified, which programs can set.
  package var modifiedNanoseconds: Int
  /// When the system last saw a change of the file, which no program can set.
  package var changedNanoseconds: Int

  /// A file that changes again within one tick of the clock keeps its times; what was seen so soon after a change says nothing.
  private static let unsureNanoseconds = 50_000_000

  /// What is known of a file.
  package init(number: UInt64, bytes: Int, modifiedNanoseconds: Int, changedNanoseconds: Int) {
    (self.number, self.bytes) = (number, bytes)
    (self.modifiedNanoseconds, self.changedNanoseconds) = (modifiedNanoseconds, changedNanoseconds)
  }

  /// What `stat` says of a file.
  package init(_ status: stat) {
    #if canImport(Darwin)
      let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (modified, changed) = (status.st_mtim, status.st_ctim)
    #endif
    number = UInt64(status.st_ino)
    bytes = Int(status.st_size)
    modifiedNanoseconds = Self.nanoseconds(modified)
    changedNanoseconds = Self.nanoseconds(changed)
  }

  /// The state of a regular file; nil: there is none at that path, or something else.
  package init?(ofRegular status: stat?) {
    guard let status, status.st_mode & S_IFMT == S_IFREG else { return nil }
    self.init(status)
  }

  /// Whether the file changed so recently that its times may not tell the next change.
  package var isUnsure: Bool {
    Self.nowNanoseconds - max(modifiedNanoseconds, changedNanoseconds) < Self.unsureNanoseconds
  }

  /// The time now by the clock that dates files.
  package static var nowNanoseconds: Int {
    var now = timespec()
    #if os(Linux)
      // The one that the kernel dates files with, which is up to a tick behind the exact one.
      clock_gettime(CLOCK_REALTIME_COARSE, &now)
    #else
      clock_gettime(CLOCK_REALTIME, &now)
    #endif
    return nanoseconds(now)
  }

  private static func nanoseconds(_ time: timespec) -> Int { time.tv_sec * 1_000_000_000 + time.tv_nsec }
}

extension SHA256 {
  /// The digest of a file's content; nil: it cannot be read.
  package static func digest(ofFile path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var hash = SHA256()
    let isRead = withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
      while true {
        let count = SystemCall.read(file, buffer)
        if count <= 0 { return count == 0 }
        hash.combine(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
      }
    }
    return isRead ? hash.finish() : nil
  }
}
