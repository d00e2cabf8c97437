import FlowPlatform
import Synchronization

/// The right of one process to show a scheduled notification. It is returned when the process ends, however it ends: what
/// was claimed and not said to be shown is still there for the next one. So it is shown once or, when the process died
/// between showing it and saying so, again; under the same identifier, by which a router opens one page.
///
/// It is the system's lock on the notification's own file.
public final class NotificationClaim: Sendable {
  private let path: String
  /// Nil once it is returned.
  private let descriptor: Mutex<CInt?>

  /// Nil when another has the claim, or when there is no such file.
  init?(of path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    // The lock may come from one who has just removed the file, or replaced it.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, Self.isFile(descriptor, at: path) else {
      close(descriptor)
      return nil
    }
    self.path = path
    self.descriptor = Mutex(descriptor)
  }

  deinit { release() }

  /// The notification has been shown: it is forgotten, unless it was scheduled again meanwhile.
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
