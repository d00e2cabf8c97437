/// The metadata that shows whether a regular file is unchanged, without reading its content.
package struct FileState: Sendable, Hashable {
  /// The inode number.
  package var number: UInt64
  package var bytes: Int
  /// The time at which the content was last modified. Programs can set it.
  package var modifiedNanoseconds: Int
  /// The time at which the system last saw a change. Programs cannot set it.
  package var changedNanoseconds: Int

  /// The age of the last change, in nanoseconds, below which the times are unreliable. A file that changes twice within
  /// one clock tick keeps its times.
  private static let unsureNanoseconds = 50_000_000

  package init(number: UInt64, bytes: Int, modifiedNanoseconds: Int, changedNanoseconds: Int) {
    (self.number, self.bytes) = (number, bytes)
    (self.modifiedNanoseconds, self.changedNanoseconds) = (modifiedNanoseconds, changedNanoseconds)
  }

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

  /// Creates the state of a regular file. Returns nil for anything else.
  package init?(ofRegular status: stat?) {
    guard let status, status.st_mode & S_IFMT == S_IFREG else { return nil }
    self.init(status)
  }

  /// True if the file changed so recently that its times may not reflect another change.
  package var isUnsure: Bool {
    Self.nowNanoseconds - max(modifiedNanoseconds, changedNanoseconds) < Self.unsureNanoseconds
  }

  /// The current time according to the clock that the system uses for files.
  package static var nowNanoseconds: Int {
    var now = timespec()
    #if os(Linux)
      // The clock that the kernel uses for files is up to a tick behind the exact clock.
      clock_gettime(CLOCK_REALTIME_COARSE, &now)
    #else
      clock_gettime(CLOCK_REALTIME, &now)
    #endif
    return nanoseconds(now)
  }

  private static func nanoseconds(_ time: timespec) -> Int { time.tv_sec * 1_000_000_000 + time.tv_nsec }
}

extension SHA256 {
  /// Returns the digest of a file's content, or nil if the file cannot be read.
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
