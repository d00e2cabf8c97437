import FlowDiagnostics
import FlowModel
import FlowSyntax

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files as the command line names them.
enum FileAccess {
  /// The bytes of a file; throws a ``FileProblem`` that names it.
  static func read(_ path: String, limit: Int = Limits.fileBytes) throws(FileProblem) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw FileProblem(path: path, cause: String(cString: strerror(errno))) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw FileProblem(path: path, cause: String(cString: strerror(errno))) }
    if status.st_mode & S_IFMT == S_IFDIR { throw FileProblem(path: path, cause: "it is a folder") }
    var bytes = [UInt8]()
    // A regular file comes in one piece, into memory that nobody has cleared first.
    var pieceBytes = status.st_size > 0 ? min(Int(status.st_size), limit) + 1 : 1 << 16
    while true {
      var count = 0
      let piece = [UInt8](unsafeUninitializedCapacity: pieceBytes) { buffer, initialized in
        count = SystemCall.read(file, UnsafeMutableRawBufferPointer(buffer))
        initialized = max(0, count)
      }
      if count < 0 {
        throw FileProblem(path: path, cause: String(cString: strerror(errno)))
      }
      if count == 0 { return bytes }
      if bytes.isEmpty { bytes = piece } else { bytes += piece }
      if bytes.count > limit { throw FileProblem(path: path, cause: "it is larger than \(limit >> 20) MiB") }
      pieceBytes = 1 << 16
    }
  }

  /// Replaces a file's content at once: readers see the old or the new one. A path that is no regular file (a pipe,
  /// `/dev/stdout`) is written in place.
  static func write(_ bytes: [UInt8], to path: String) throws(FileProblem) {
    var status = stat()
    let inPlace = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    let target = inPlace ? path : path + ".new"
    let file = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw FileProblem(path: path, cause: String(cString: strerror(errno))) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { SystemCall.write(file, $0) }
      if count < 0 {
        let cause = String(cString: strerror(errno))
        close(file)
        if !inPlace { unlink(target) }
        throw FileProblem(path: path, cause: cause)
      }
      rest = rest.dropFirst(count)
    }
    guard close(file) == 0, inPlace || rename(target, path) == 0 else {
      throw FileProblem(path: path, cause: String(cString: strerror(errno)))
    }
  }

  /// Throws when a file at `path` could not be written, before a run is made for nothing.
  static func checkWritable(_ path: String) throws(UsageProblem) {
    let place = access(path, F_OK) == 0 ? path : folder(of: path)
    guard access(place, W_OK) == 0 else {
      throw UsageProblem("cannot write '\(path)': \(String(cString: strerror(errno)))")
    }
  }

  /// A path made absolute against the working directory.
  static func absolute(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    guard let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
  }

  /// Whether there is anything at a path.
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The folder that a path lies in.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

/// A file that could not be read or written.
struct FileProblem: Error, CustomStringConvertible {
  let path: String
  let cause: String
  var description: String { "'\(path)': \(cause)" }
}
