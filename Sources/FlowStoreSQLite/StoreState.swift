import CFlowStore
import FlowStore
import FlowPlatform

/// Fingerprints of the file and the log of a store. They change with every write, and are 0 for a missing file.
struct StoreStamps: Equatable {
  var file: UInt64
  var log: UInt64

  init(file: UInt64 = 0, log: UInt64 = 0) {
    self.file = file
    self.log = log
  }

  /// Reads the current stamps of the store at a path.
  init(of path: String) {
    file = Self.stamp(path)
    log = Self.stamp(path + "-wal")
  }

  private static func stamp(_ path: String) -> UInt64 {
    var status = stat()
    guard stat(path, &status) == 0 else { return 0 }
    #if canImport(Darwin)
      let (written, changed) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (written, changed) = (status.st_mtim, status.st_ctim)
    #endif
    let parts = [
      Int(status.st_size), Int(truncatingIfNeeded: status.st_ino), Int(written.tv_sec), Int(written.tv_nsec),
      Int(changed.tv_sec), Int(changed.tv_nsec),
    ]
    return parts.withUnsafeBytes { flow_fingerprint($0.baseAddress, $0.count) }
  }
}

/// The identities of a store's files. An open connection continues to write to the files that it has opened, even if
/// they have been replaced.
struct StoreFiles: Equatable {
  private let files: [FileIdentity?]

  /// Reads the current identities of the files of the store at a path.
  init(of path: String) { files = ["", "-wal", "-shm", ".lock"].map { FileIdentity(path + $0) } }
}

/// Data about a store that is kept in its lock file: the state of the files when they were last known to be intact, and
/// how much of the log was flushed for a durable run.
///
/// The record is not flushed to disk. After a power failure, an older record may be read, which makes weaker claims.
struct StoreRecord: Equatable {
  var stamps = StoreStamps()
  /// The salt of the log whose first ``durableFrames`` frames are on disk, or 0 if no durable run has used the store.
  var durableSalt: UInt64 = 0
  /// The number of frames of that log that are on disk.
  var durableFrames: UInt32 = 0
  /// The salt of the log whose first ``copiedFrames`` frames have been copied to the main file.
  var copiedSalt: UInt64 = 0
  /// The number of frames of that log that have been copied.
  var copiedFrames: UInt32 = 0
  /// The fingerprint of the log after all of it was copied to the main file.
  var copiedLog: UInt64 = 0
  /// The inode number of the main file.
  var node: UInt64 = 0

  private static let magic: UInt32 = 0x4652_5332
  /// The magic number of older records, which do not contain the copied frames.
  private static let firstMagic: UInt32 = 0x4652_5331

  /// Reads the record of a store. Returns an empty record if there is none or it is damaged.
  static func read(_ file: borrowing Descriptor) -> StoreRecord {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = bytes.withUnsafeMutableBytes { pread(file.number, $0.baseAddress, $0.count, 0) }
    func number(_ offset: Int) -> UInt64 {
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
    }
    func word(_ offset: Int) -> UInt32 {
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }
    func isIntact(_ size: Int, _ magic: UInt32) -> Bool {
      count >= size && word(size - 8) == magic && word(size - 4) == Checksum.of(Array(bytes[..<(size - 4)]))
    }
    var record = StoreRecord()
    if isIntact(64, magic) {
      record.stamps = StoreStamps(file: number(0), log: number(8))
      (record.durableSalt, record.copiedSalt, record.copiedLog, record.node) = (
        number(16), number(24), number(32), number(40)
      )
      (record.durableFrames, record.copiedFrames) = (word(48), word(52))
    } else if isIntact(36, firstMagic) {
      record.stamps = StoreStamps(file: number(0), log: number(8))
      (record.durableSalt, record.durableFrames) = (number(16), word(24))
      // An older record does not contain the state of the copy.
      record.noteLogReplaced()
    }
    return record
  }

  /// Writes the record. If this fails, the store is checked again when it is opened the next time.
  func write(to file: borrowing Descriptor) {
    var bytes: [UInt8] = []
    for number in [stamps.file, stamps.log, durableSalt, copiedSalt, copiedLog, node] {
      withUnsafeBytes(of: number) { bytes += $0 }
    }
    for number in [durableFrames, copiedFrames, Self.magic] { withUnsafeBytes(of: number) { bytes += $0 } }
    withUnsafeBytes(of: UInt32(Checksum.of(bytes))) { bytes += $0 }
    _ = bytes.withUnsafeBytes { pwrite(file.number, $0.baseAddress, $0.count, 0) }
  }

  /// Records that the main file contains the log of the durable run, so that the log may have been replaced.
  mutating func noteLogReplaced() { (copiedSalt, copiedFrames) = (durableSalt, durableFrames) }

  /// True if the log that was flushed for a durable run must still exist.
  private func needsLog(_ now: StoreStamps, _ node: UInt64?) -> Bool {
    guard durableSalt != 0, let node else { return false }
    if copiedSalt == durableSalt, copiedFrames >= durableFrames { return false }
    // Another program, such as sqlite3, may have copied the log to the main file.
    return now.file == stamps.file || node != self.node
  }

  /// Opens the file that contains the record. Unless the store is only read, a missing file is created. Returns an
  /// invalid descriptor on failure.
  static func open(_ path: String, readOnly: Bool) -> Descriptor {
    let writing = FlowPlatform.open(path, O_RDWR | (readOnly ? 0 : O_CREAT) | O_CLOEXEC, 0o600)
    return Descriptor(writing >= 0 ? writing : FlowPlatform.open(path, O_RDONLY | O_CLOEXEC))
  }

  /// Returns a description of the damage to the log of the store at a path, or nil if the log is intact. Another
  /// process may be writing, so a log that seems damaged is read again for up to 20 ms, in which a current write ends.
  func logFlaw(of path: String, _ now: StoreStamps) -> String? {
    let missing = "its log, which a durable run had written, is missing"
    let isNeeded = needsLog(now, FileIdentity(path)?.number)
    let file = Descriptor(FlowPlatform.open(path + "-wal", O_RDONLY | O_CLOEXEC))
    guard file.number >= 0 else { return isNeeded ? missing : nil }
    var (first, second) = (flow_log(), flow_log())
    switch check(file, &first) {
    case CInt(FLOW_LOG_DAMAGED): break
    case let found where found >= 0 && isNeeded && first.salt != durableSalt: return missing
    default: return nil
    }
    for _ in 0..<10 {
      usleep(2000)
      guard check(file, &second) == CInt(FLOW_LOG_DAMAGED), first.salt == second.salt,
        first.bad_frame == second.bad_frame
      else { return nil }
    }
    if first.bad_frame > 0 { return "frame \(first.bad_frame) of its log is damaged" }
    return first.salt == 0 ? "the header of its log is damaged" : "the end of its log is missing"
  }

  /// Checks the log. It must contain the flushed frames and the frames that were copied to the main file: pages in a
  /// shorter log would be older than those in the main file.
  private func check(_ file: borrowing Descriptor, _ log: inout flow_log) -> CInt {
    let found = flow_log_check(file.number, durableSalt, durableFrames, &log)
    let isShort = log.salt != 0 && log.salt == copiedSalt && log.frames < copiedFrames
    return found == CInt(FLOW_LOG_SOUND) && isShort ? CInt(FLOW_LOG_DAMAGED) : found
  }

  /// True if the log of the store at a path has this salt.
  static func hasLog(_ salt: UInt64, _ path: String) -> Bool {
    let file = Descriptor(FlowPlatform.open(path + "-wal", O_RDONLY | O_CLOEXEC))
    guard file.number >= 0 else { return false }
    return flow_log_salt(file.number) == salt
  }

  /// True if the log of the store at a path is missing or empty. A damaged log does not count as empty.
  static func isLogEmpty(of path: String) -> Bool {
    let file = Descriptor(FlowPlatform.open(path + "-wal", O_RDONLY | O_CLOEXEC))
    guard file.number >= 0 else { return errno == ENOENT }
    var log = flow_log()
    return flow_log_check(file.number, 0, 0, &log) == CInt(FLOW_LOG_EMPTY)
  }
}
