import FlowPlatform
import Synchronization

/// The exclusive right of a process to show a scheduled notification. It ends when the process ends, whatever the
/// reason. If the notification was not finished by then, it remains for the next process. A notification is therefore
/// shown once, or twice if a process dies between showing and finishing it. The identifier stays the same, so a router
/// opens only one page.
///
/// Implemented as a system lock on the notification's file.
public final class NotificationClaim: Sendable {
  private let path: String
  /// The locked file, or nil after the claim was released.
  private let descriptor: Mutex<CInt?>

  /// Claims a notification. Returns nil if it is already claimed, or if its file does not exist.
  init?(of path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    // The process that held the lock before may have removed or replaced the file.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, Self.isFile(descriptor, at: path) else {
      close(descriptor)
      return nil
    }
    self.path = path
    self.descriptor = Mutex(descriptor)
  }

  deinit { release() }

  /// Removes the notification after it was shown, unless it has been scheduled again in the meantime.
  public func finish() {
    descriptor.withLock { descriptor in
      if let descriptor, Self.isFile(descriptor, at: path) { unlink(path) }
    }
    release()
  }

  private func release() {
    descriptor.withLock { descriptor in
      if let descriptor { close(descriptor) }
      descriptor = nil
    }
  }

  private static func isFile(_ descriptor: CInt, at path: String) -> Bool {
    var held = stat()
    var present = stat()
    return fstat(descriptor, &held) == 0 && stat(path, &present) == 0 && held.st_ino == present.st_ino
      && held.st_dev == present.st_dev
  }
}
