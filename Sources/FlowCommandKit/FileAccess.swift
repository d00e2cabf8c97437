import FlowModel
import FlowSystem

/// Files as the command line names them.
package enum FileAccess {
  /// The text of a file without the byte-order mark that it may begin with; what is not UTF-8 becomes U+FFFD.
  package static func text(_ path: String) throws(FileProblem) -> String {
    let bytes = try read(path)
    return String(decoding: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...], as: UTF8.self)
  }

  /// The bytes of a file that a workflow includes; nil if it cannot be read. What another process would have to write
  /// first is not a file to include.
  package static let included: @Sendable (String) -> [UInt8]? = { isRegular($0) ? try? read($0) : nil }

  /// Whether there is a file at a path that holds what it holds, no pipe and no device.
  package static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// The number of bytes that a file has; 0 where there is none.
  package static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
  }

  /// The bytes of a file; throws a ``FileProblem`` that names it.
  package static func read(_ path: String, limit: Int = Limits.fileBytes) throws(FileProblem) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw FileProblem(path: path) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw FileProblem(path: path) }
    if status.st_mode & S_IFMT == S_IFDIR { throw FileProblem(path: path, cause: "it is a folder") }
    var bytes = [UInt8]()
    // A regular file comes in one piece, into memory that was not cleared first.
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
