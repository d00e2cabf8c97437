import CFlowStore
import FlowPlatform

/// A byte of a file, held for life: when the process that has it is gone, however it went, the byte is free.
///
/// One file serves all runs of a store, each its own byte by its number, so that no run leaves a file behind.
final class RunLock: Sendable {
  private let file: Descriptor

  private init(_ file: consuming Descriptor) { self.file = file }

  /// Takes a byte of the file at `path`, made where it is missing; nil: someone has it.
  static func take(_ path: String, byte: Int) throws(SystemError) -> RunLock? {
    let file = Descriptor(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
    guard file.number >= 0 else { throw SystemError("cannot open '\(path)'", errno) }
    let result = flow_lock_byte(file.number, Int64(byte))
    guard result >= 0 else { throw SystemError("cannot lock '\(path)'", -result) }
    return result == 0 ? RunLock(file) : nil
  }

  /// Whether a process has a byte of the file at `path` locked; false if there is no file.
  static func isHeld(_ path: String, byte: Int) -> Bool {
    let file = Descriptor(open(path, O_RDWR | O_CLOEXEC))
    guard file.number >= 0 else { return false }
    return flow_is_byte_locked(file.number, Int64(byte)) == 1
  }
}
