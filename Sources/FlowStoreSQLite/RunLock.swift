import CFlowStore
import FlowPlatform

/// A lock on a byte of a file. It is released when its process ends for any reason.
/// All runs of a store share one file, in which the number of a run is the offset of its byte. So runs leave no files
/// behind.
final class RunLock: Sendable {
  private let file: Descriptor

  private init(_ file: consuming Descriptor) { self.file = file }

  /// Locks a byte of the file at `path`, which is created if it is missing. Returns nil if another process has locked
  /// the byte.
  static func take(_ path: String, byte: Int) throws(SystemError) -> RunLock? {
    let file = Descriptor(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
    guard file.number >= 0 else { throw SystemError("cannot open '\(path)'", errno) }
    let result = flow_lock_byte(file.number, Int64(byte))
    guard result >= 0 else { throw SystemError("cannot lock '\(path)'", -result) }
    return result == 0 ? RunLock(file) : nil
  }

  /// True if a process has locked the byte of the file at `path`. False if the file does not exist.
  static func isHeld(_ path: String, byte: Int) -> Bool {
    let file = Descriptor(open(path, O_RDWR | O_CLOEXEC))
    guard file.number >= 0 else { return false }
    return flow_is_byte_locked(file.number, Int64(byte)) == 1
  }
}
