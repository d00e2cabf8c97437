import CFlowStore
import FlowStore
import FlowPlatform

/// Which file a store is, so that none is moved aside that another process has put in its place.
public struct StoreIdentity: Sendable, Hashable {
  private let device: UInt64
  private let node: UInt64

  /// The file at a path; nil if there is none.
  public init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    node = UInt64(truncatingIfNeeded: status.st_ino)
  }
}

/// What changes when the file and the log of a store are written: two fingerprints; 0 stands for a file that is missing.
struct StoreStamps: Equatable {
  var file: UInt64
  var log: UInt64

  init(file: UInt64 = 0, log: UInt64 = 0) {
    self.file = file
    self.log = log
  }

  /// Those of the store at a path now.
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

/// What is known of a store besides what is in it, kept in the file of its locks: how the files were when their content was
/// last known to be intact, and how far the log was flushed for a durable run.
///
/// It is not flushed to disk. After a power cut it is an older one, which claims less.
struct StoreRecord: Equatable {
  var stamps = StoreStamps()
  /// The salt of the log of which ``durableFrames`` are on disk.
  var durableSalt: UInt64 = 0
  /// How many frames of that log are on disk.
  var durableFrames: UInt32 = 0

  private static let magic: UInt32 = 0x4652_5331

  /// Reads the record of a store; an empty one where there is none, or where it is not what was written.
  static func read(_ file: borrowing Descriptor) -> StoreRecord {
    var bytes = [UInt8](repeating: 0, count: 36)
    let count = bytes.withUnsafeMutableBytes { pread(file.number, $0.baseAddress, $0.count, 0) }
    let numbers = bytes.withUnsafeBytes { buffer in
      (0..<3).map { buffer.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self) }
    }
    let words = bytes.withUnsafeBytes { buffer in
      (0..<3).map { buffer.loadUnaligned(fromByteOffset: 24 + 4 * $0, as: UInt32.self) }
    }
    guard count == bytes.count, words[1] == magic, words[2] == Checksum.of(Array(bytes[..<32])) else {
      return StoreRecord()
    }
    return StoreRecord(
      stamps: StoreStamps(file: numbers[0], log: numbers[1]), durableSalt: numbers[2], durableFrames: words[0])
  }

  /// Writes the record; where that cannot be done the store is checked again when it is next opened.
  func write(to file: borrowing Descriptor) {
    var bytes: [UInt8] = []
    for number in [stamps.file, stamps.log, durableSalt] { withUnsafeBytes(of: number) { bytes += $0 } }
    for number in [durableFrames, Self.magic] { withUnsafeBytes(of: number) { bytes += $0 } }
    withUnsafeBytes(of: UInt32(Checksum.of(bytes))) { bytes += $0 }
    _ = bytes.withUnsafeBytes { pwrite(file.number, $0.baseAddress, $0.count, 0) }
  }

  /// Opens the file of the record, made where it is missing unless the store is only to be read; without a valid number
  /// where that cannot be done.
  static func open(_ path: String, readOnly: Bool) -> Descriptor {
    let writing = FlowPlatform.open(path, O_RDWR | (readOnly ? 0 : O_CREAT) | O_CLOEXEC, 0o600)
    return Descriptor(writing >= 0 ? writing : FlowPlatform.open(path, O_RDONLY | O_CLOEXEC))
  }

  /// Says what is wrong with the log of the store at a path; nil: nothing. A process may be writing it meanwhile: a log that
  /// seems damaged is read again for up to 20 ms, in which a write that was under way ends.
  func logFlaw(of path: String) -> String? {
    let file = Descriptor(FlowPlatform.open(path + "-wal", O_RDONLY | O_CLOEXEC))
    guard file.number >= 0 else { return nil }
    var (first, second) = (flow_log(), flow_log())
    guard flow_log_check(file.number, durableSalt, durableFrames, &first) == CInt(FLOW_LOG_DAMAGED) else { return nil }
    for _ in 0..<10 {
      usleep(2000)
      guard flow_log_check(file.number, durableSalt, durableFrames, &second) == CInt(FLOW_LOG_DAMAGED),
        first.salt == second.salt, first.bad_frame == second.bad_frame
      else { return nil }
    }
    if first.bad_frame > 0 { return "frame \(first.bad_frame) of its log is damaged" }
    return first.salt == 0 ? "the header of its log is damaged" : "the end of its log is missing"
  }

  /// Whether the log of the store at a path holds nothing, not even something damaged.
  static func isLogEmpty(of path: String) -> Bool {
    let file = Descriptor(FlowPlatform.open(path + "-wal", O_RDONLY | O_CLOEXEC))
    guard file.number >= 0 else { return errno == ENOENT }
    var log = flow_log()
    return flow_log_check(file.number, 0, 0, &log) == CInt(FLOW_LOG_EMPTY)
  }
}
