import FlowPlatform
import SyncEngine
import Synchronization

/// Holds a device's file for one process, from opening to closing, and says to the next one who has it.
///
/// The lock is on a file of its own next to it (`….lock`), which stays there: the system releases the lock when the
/// process ends, however it ends. SQLite's own locks cover single transactions only.
final class FileLock: Sendable {
  private let descriptor: Mutex<Int32?>

  /// Takes the lock. Throws `ReplicaError.inUse` when another process, or another part of this one, has it.
  init(of path: String) throws(ReplicaError) {
    let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw .storage("'\(path)' cannot be opened (\(reason)); check the folder and its rights")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let (code, holder) = (errno, Self.holder(descriptor))
      close(descriptor)
      if code == EWOULDBLOCK { throw .inUse(by: holder) }
      throw .storage("'\(path).lock' cannot be locked (\(String(cString: strerror(code))))")
    }
    let text = Array("process \(getpid())".utf8)
    _ = ftruncate(descriptor, 0)
    _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    self.descriptor = Mutex(descriptor)
  }

  deinit { release() }

  /// Gives the lock back.
  func release() {
    descriptor.withLock { descriptor in
      if let descriptor { close(descriptor) }
      descriptor = nil
    }
  }

  private static func holder(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : "another process"
  }

  /// Makes a file that only its owner may read and write, where there is none: SQLite gives its companions the same rights.
  static func make(_ path: String) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }
}
