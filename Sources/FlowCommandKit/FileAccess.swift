import FlowModel
import FlowSystem

/// Reads files that the command line or a workflow names.
package enum FileAccess {
  /// Returns the text of a file without its byte order mark. Invalid UTF-8 is replaced by U+FFFD.
  package static func text(_ path: String) throws(FileProblem) -> String {
    let bytes = try read(path)
    return String(decoding: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...], as: UTF8.self)
  }

  /// Returns the bytes of an included file, or nil if it cannot be read. It must be a regular file, because reading a
  /// pipe would wait for another process.
  package static let included: @Sendable (String) -> [UInt8]? = { isRegular($0) ? try? read($0) : nil }

  /// True if there is a regular file at a path.
  package static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Returns the size of a regular file in bytes, or 0 if there is no such file.
  package static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
  }

  /// Returns the bytes of a file. Throws a ``FileProblem`` that contains the path if the file cannot be read or has
  /// more than `limit` bytes.
  package static func read(_ path: String, limit: Int = Limits.fileBytes) throws(FileProblem) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw FileProblem(path: path) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw FileProblem(path: path) }
    if status.st_mode & S_IFMT == S_IFDIR { throw FileProblem(path: path, cause: "it is a folder") }
    var bytes = [UInt8]()
    // A regular file is read in one piece into uninitialized memory.
    var pieceBytes = status.st_size > 0 ? min(Int(status.st_size), limit) + 1 : 1 << 16
    while true {
      var count = 0
      let piece = [UInt8](unsafeUninitializedCapacity: pieceBytes) { buffer, initialized in
        count = SystemCall.read(file, UnsafeMutableRawBufferPointer(buffer))
        initialized = max(0, count)
      }
      if count < 0 {
        throw FileProblem(path: path)
      }
      if count == 0 { return bytes }
      if bytes.isEmpty { bytes = piece } else { bytes += piece }
      if bytes.count > limit { throw FileProblem(path: path, cause: "it is larger than \(limit >> 20) MiB") }
      pieceBytes = 1 << 16
    }
  }
}
