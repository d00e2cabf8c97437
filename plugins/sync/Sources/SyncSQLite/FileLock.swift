import FlowPlatform
import SyncEngine
import Synchronization

/// Reserves a device's file for one process while it is open. Error messages of other processes name that process.
///
/// The lock is on a separate file (`….lock`), which is never removed. The system releases the lock when the process
/// ends for any reason. SQLite's own locks last only for a transaction.
final class FileLock: Sendable {
  private let path: String
  /// The content of the lock file while this instance holds the lock: a description of the process and a random number.
  private let mark = "process \(getpid())\n\(String(UInt64.random(in: 0 ... .max), radix: 16))"
  private let descriptor: Mutex<Int32?>

  /// Locks the file. Throws `ReplicaError.inUse` if another process or another part of this process has locked it.
  init(of path: String) throws(ReplicaError) {
    self.path = path
    let descriptor = try Self.take(path)
    _ = ftruncate(descriptor, 0)
    _ = Array(mark.utf8).withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    self.descriptor = Mutex(descriptor)
  }

  deinit { release() }

  /// True while this instance holds the lock.
  var isHeld: Bool { descriptor.withLock { $0 != nil } }

  func release() {
    descriptor.withLock { descriptor in
      if let descriptor { close(descriptor) }
      descriptor = nil
    }
  }

  /// Locks the file again after ``release()``. Throws if another instance holds the lock or has held it meanwhile.
  func retake() throws(ReplicaError) {
    if isHeld { return }
    let descriptor = try Self.take(path)
    let content = Self.content(descriptor)
    guard content == mark else {
      close(descriptor)
      throw .storage(
        "\(Self.holder(content)) has used '\(path)' while this app was in the background; close this session and open it again"
      )
    }
    self.descriptor.withLock { $0 = descriptor }
  }

  private static func take(_ path: String) throws(ReplicaError) -> Int32 {
    let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw .storage("'\(path)' cannot be opened (\(reason)); check the folder and its rights")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let (code, holder) = (errno, holder(content(descriptor)))
      close(descriptor)
      if code == EWOULDBLOCK { throw .inUse(by: holder) }
      throw .storage("'\(path).lock' cannot be locked (\(String(cString: strerror(code))))")
    }
    return descriptor
  }

  private static func content(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  private static func holder(_ content: String) -> String {
    content.split(separator: "\n").first.map(String.init) ?? "another process"
  }

  /// Creates a missing file with access for its owner only. SQLite uses the same permissions for its companion files.
  static func make(_ path: String) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }
}
