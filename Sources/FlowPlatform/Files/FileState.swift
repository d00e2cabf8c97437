/// The metadata that shows whether a regular file is unchanged, without reading it.
package struct FileState: Sendable, Hashable {
  /// The inode number.
  package var number: UInt64
  /// The length in bytes.
  package var bytes: Int
  /// The modification time of the content, which programs can set.
  package var modifiedNanoseconds: Int
  /// The time of the last change seen by the system, which programs cannot set.
  package var changedNanoseconds: Int

  /// A file that changes again within one clock tick keeps its times, so a check this soon after a change is
  /// inconclusive.
  private static let unsureNanoseconds = 50_000_000

  package init(number: UInt64, bytes: Int, modifiedNanoseconds: Int, changedNanoseconds: Int) {
    (self.number, self.bytes) = (number, bytes)
    (self.modifiedNanoseconds, self.changedNanoseconds) = (modifiedNanoseconds, changedNanoseconds)
  }

  /// Creates a state from the result of `stat`.
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

  /// Creates the state of a regular file, or returns nil if there is none.
  package init?(ofRegular status: stat?) {
    guard let status, status.st_mode & S_IFMT == S_IFREG else { return nil }
    self.init(status)
  }

  /// True if the file changed so recently that its times may miss the next change.
  package var isUnsure: Bool {
    Self.nowNanoseconds - max(modifiedNanoseconds, changedNanoseconds) < Self.unsureNanoseconds
  }

  /// The current time of the clock used for file times.
  package static var nowNanoseconds: Int {
    var now = timespec()
    #if os(Linux)
      // The kernel's clock for file times is up to a tick behind the exact one.
      clock_gettime(CLOCK_REALTIME_COARSE, &now)
    #else
      clock_gettime(CLOCK_REALTIME, &now)
    #endif
    return nanoseconds(now)
  }

  private static func nanoseconds(_ time: timespec) -> Int { time.tv_sec * 1_000_000_000 + time.tv_nsec }
}

extension SHA256 {
  /// The digest of a file's content, or nil if it cannot be read.
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
