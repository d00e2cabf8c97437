/// Passes text to another process of the same user on this machine, through a named pipe, so that it is not stored in a
/// file.
package final class PrivatePipe: Sendable {
  package let path: String
  private let end: Descriptor

  /// Creates a pipe in a folder and writes `text`, at most 64 KiB, to it. A pipe always has room for 4,096 bytes.
  /// Longer text fails if the system limits this user's pipes to that size.
  package init(_ text: String, in folder: String) throws(SystemError) {
    let path = "\(folder)/flowrun-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    guard mkfifo(path, 0o600) == 0 else { throw SystemError("cannot make a pipe in '\(folder)'", errno) }
    self.path = path
    // Opening both ends avoids waiting for a reader.
    end = Descriptor(open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW))
    let number = end.number
    let problem = number < 0 ? errno : Array(text.utf8).withUnsafeBytes { SystemCall.writeAll(number, $0) }
    // `deinit` removes the pipe.
    if problem != 0 { throw SystemError("cannot write into a pipe in '\(folder)'", problem) }
  }

  deinit { unlink(path) }

  /// Reads `byteCount` bytes of UTF-8 text from a pipe. Returns nil if the text is incomplete, invalid or longer than
  /// 64 KiB, or if the pipe is accessible to other users or is not owned by this user or root.
  package static func text(at path: String, byteCount: Int) -> String? {
    let file = Descriptor(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW))
    var status = stat()
    guard byteCount > 0, byteCount <= 65_536, file.number >= 0, fstat(file.number, &status) == 0,
      status.st_mode & S_IFMT == S_IFIFO, status.st_mode & 0o077 == 0, status.st_uid == geteuid() || status.st_uid == 0
    else { return nil }
    var bytes: [UInt8] = []
    while bytes.count < byteCount {
      let rest = byteCount - bytes.count
      let piece = [UInt8](unsafeUninitializedCapacity: rest) { buffer, count in
        count = max(0, SystemCall.read(file.number, UnsafeMutableRawBufferPointer(buffer)))
      }
      if piece.isEmpty { return nil }
      bytes += piece
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
