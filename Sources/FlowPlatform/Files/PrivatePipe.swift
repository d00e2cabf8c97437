/// A text on its way to another process of the same user and machine, by a named pipe: it is in no file.
package final class PrivatePipe: Sendable {
  /// The path of the pipe.
  package let path: String
  private let end: Descriptor

  /// Makes a pipe in a folder and puts a text of at most 64 KiB into it. Every pipe has room for 4,096 bytes; more is an error where
  /// the system gives this user small pipes.
  package init(_ text: String, in folder: String) throws(SystemError) {
    let path = "\(folder)/flowrun-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    guard mkfifo(path, 0o600) == 0 else { throw SystemError("cannot make a pipe in '\(folder)'", errno) }
    self.path = path
    // With both ends open there is no reader to wait for.
    end = Descriptor(open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW))
    let number = end.number
    let problem = number < 0 ? errno : Array(text.utf8).withUnsafeBytes { SystemCall.writeAll(number, $0) }
    // The file goes with this value.
    if problem != 0 { throw SystemError("cannot write into a pipe in '\(folder)'", problem) }
  }

  deinit { unlink(path) }

  /// Takes a text of so many bytes out of a pipe that this user, or the one with all rights, has made for this user alone; nil if
  /// there is no such pipe.
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
