import FlowCommandKit
import FlowSystem

/// A file that a command writes for its user, such as a report, a trace or a file of a new plugin.
///
/// A regular file is replaced after everything has been written, so that readers see either the old or the new content.
/// It keeps its permissions, and a link to it stays a link. Pipes, devices and the file to which standard output is
/// redirected are written directly.
///
/// All waits are limited: the reader of a pipe must open it within 2 s, and must not stop reading for more than 5 s.
package final class OutputFile {
  private let path: String
  private let file: Int32
  /// The temporary file with the new content, and the file that it will replace. Nil if the file is written directly.
  private let replacement: (temporary: String, target: String)?
  private var isOpen = true

  private static let readerSeconds = 2.0
  private static let pauseMilliseconds: Int32 = 5_000

  /// Opens a file for writing. Throws a ``FileProblem`` that contains the path.
  init(_ path: String) throws(FileProblem) {
    self.path = path
    var status = stat()
    guard stat(path, &status) == 0 else {
      (file, replacement) = try Self.openReplacement(of: path, nil)
      return
    }
    if let descriptor = Self.standardFile(status) {
      file = dup(descriptor)
      replacement = nil
      guard file >= 0 else { throw FileProblem(path: path, .write) }
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: (file, replacement) = try Self.openReplacement(of: path, status)
    case S_IFDIR: throw FileProblem(path: path, cause: "it is a folder", .write)
    default:
      file = try Self.openDevice(path)
      replacement = nil
    }
  }

  /// Opens a file for appending, because other processes may also have it open. Creates the file if it is missing.
  init(appendingTo path: String) throws(FileProblem) {
    self.path = path
    replacement = nil
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw FileProblem(path: path, .write) }
  }

  /// Creates a file. Throws a ``FileProblem`` if it already exists.
  init(creating path: String) throws(FileProblem) {
    self.path = path
    replacement = nil
    file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw FileProblem(path: path, .write) }
  }

  deinit {
    guard isOpen else { return }
    close(file)
    if let replacement { unlink(replacement.temporary) }
  }

  /// Removes a regular file that an earlier command has written. If `path` is a link, the link is kept and its target
  /// is removed. Files of other kinds are kept, and so is the file of a standard stream.
  static func removeOld(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, standardFile(status) == nil else { return }
    unlink(FilePath.real(path))
  }

  /// True if the beginning of a file looks like that of a run's output: JSON, HTML or XML. False for files whose names
  /// end like those of workflows.
  static func isOutput(_ path: String) -> Bool {
    guard !path.hasSuffix(".yaml"), !path.hasSuffix(".yml"), FileAccess.isRegular(path) else { return false }
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return false }
    defer { close(file) }
    var first: UInt8 = 0
    return read(file, &first, 1) == 1 && "{[<".utf8.contains(first)
  }

  func write(_ bytes: [UInt8]) throws(FileProblem) {
    try bytes.withUnsafeBufferPointer { (buffer) throws(FileProblem) in try write(buffer) }
  }

  func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(FileProblem) {
    var rest = UnsafeRawBufferPointer(bytes)
    while !rest.isEmpty {
      let count = SystemCall.write(file, rest)
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        continue
      }
      guard errno == EAGAIN else { throw FileProblem(path: path, .write) }
      var watched = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
      if poll(&watched, 1, Self.pauseMilliseconds) == 0 {
        throw FileProblem(
          path: path, cause: "its reader has taken nothing for \(Self.pauseMilliseconds / 1_000) s", .write)
      }
    }
  }

  /// Completes the file. The old file is replaced now, unless the file is written directly.
  func finish() throws(FileProblem) {
    isOpen = false
    let isClosed = close(file) == 0
    guard let replacement else {
      if !isClosed { throw FileProblem(path: path, .write) }
      return
    }
    guard isClosed, rename(replacement.temporary, replacement.target) == 0 else {
      let problem = FileProblem(path: path, .write)
      unlink(replacement.temporary)
      throw problem
    }
  }

  /// Returns the descriptor of standard output or standard error if it refers to this file, or nil. Such a file must
  /// not be replaced.
  private static func standardFile(_ status: stat) -> Int32? {
    [1, 2].first { descriptor in
      var own = stat()
      return fstat(descriptor, &own) == 0 && own.st_dev == status.st_dev && own.st_ino == status.st_ino
    }
  }

  /// Opens a temporary file next to the target of `path`, with the same permissions and owner. If that is impossible,
  /// opens the existing target itself.
  private static func openReplacement(
    of path: String, _ status: stat?
  ) throws(FileProblem) -> (Int32, (temporary: String, target: String)?) {
    let target = FilePath.target(of: path)
    if status != nil, access(target, W_OK) != 0 { throw FileProblem(path: path, .write) }
    let name = ".flowrun-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    let temporary = FilePath.folder(of: target) + "/" + name
    let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard let status else {
      if file < 0 { throw FileProblem(path: path, .write) }
      return (file, (temporary, target))
    }
    var own = stat()
    if file >= 0, fstat(file, &own) == 0,
      own.st_uid == status.st_uid && own.st_gid == status.st_gid || fchown(file, status.st_uid, status.st_gid) == 0,
      fchmod(file, status.st_mode & 0o7777) == 0
    {
      return (file, (temporary, target))
    }
    if file >= 0 {
      close(file)
      unlink(temporary)
    }
    let itself = open(target, O_WRONLY | O_TRUNC | O_CLOEXEC)
    guard itself >= 0 else { throw FileProblem(path: path, .write) }
    return (itself, nil)
  }

  /// Opens a pipe or device for writing. Waits for a reader if it is a pipe.
  private static func openDevice(_ path: String) throws(FileProblem) -> Int32 {
    let start = ContinuousClock.now
    while true {
      let file = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
      if file >= 0 { return file }
      guard errno == ENXIO else { throw FileProblem(path: path, .write) }
      guard ContinuousClock.now - start < .seconds(readerSeconds) else {
        throw FileProblem(path: path, cause: "nothing reads from it", .write)
      }
      usleep(10_000)
    }
  }
}

extension OutputFile {
  package static func write(_ bytes: [UInt8], to path: String) throws(FileProblem) {
    let file = try OutputFile(path)
    try file.write(bytes)
    try file.finish()
  }

  /// Creates a file with this content. Throws if it already exists. If writing fails, removes the incomplete file.
  static func create(_ bytes: [UInt8], at path: String) throws(FileProblem) {
    let file = try OutputFile(creating: path)
    do {
      try file.write(bytes)
      try file.finish()
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Throws if the file at `path` cannot be written. Commands check this before they start a run.
  package static func check(_ path: String) throws(FileProblem) {
    var status = stat()
    if stat(path, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR { throw FileProblem(path: path, cause: "it is a folder", .write) }
      guard access(path, W_OK) == 0 else { throw FileProblem(path: path, .write) }
      return
    }
    let folder = FilePath.folder(of: FilePath.target(of: path))
    guard stat(folder, &status) == 0 else {
      let cause = errno == ENOENT ? "the folder '\(folder)' does not exist" : String(cString: strerror(errno))
      throw FileProblem(path: path, cause: cause, .write)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw FileProblem(path: path, cause: "'\(folder)' is not a folder", .write)
    }
    guard access(folder, W_OK | X_OK) == 0 else { throw FileProblem(path: path, .write) }
  }
}
