import FlowModel
import FlowPluginKit
import FlowSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file to which a command writes its named outputs. It is removed when this object is released.
///
/// The file has a separate folder, which is removed with it. A process that outlives the step therefore cannot create
/// the file again.
final class OutputFile: Sendable {
  /// The environment variable that contains the path of the file.
  static let variable = "FLOWRUN_OUTPUT"

  private let folder = TemporaryPath.unused()
  var path: String { "\(folder)/outputs" }

  /// Creates an empty file that only this user can access. Throws an ``ActionError`` if that fails.
  init() throws {
    guard mkdir(folder, 0o700) == 0 else { throw Self.problem() }
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      let problem = Self.problem()
      rmdir(folder)
      throw problem
    }
    close(file)
  }

  private static func problem() -> ActionError {
    ActionError(
      "spawn-failed",
      "cannot create the file for \(variable) in '\(TemporaryPath.folder)': \(String(cString: strerror(errno)))",
      isRetryable: true)
  }

  deinit {
    unlink(path)
    // The command may have left other files in the folder, for example temporary ones.
    if rmdir(folder) != 0 { try? FileManager.default.removeItem(atPath: folder) }
  }

  /// Returns the contents of the file, or nil if the command removed it. Throws an ``ActionError`` if the file cannot
  /// be read, is not a regular file, is larger than 1 MiB, or ends within a line while the disk is full.
  func contents() throws -> [UInt8]? {
    // If the command has replaced the file with a pipe, opening the pipe must not block.
    let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard number >= 0 else {
      if errno == ENOENT { return nil }
      throw Self.unreadable()
    }
    let file = Descriptor(number)
    var status = stat()
    guard fstat(number, &status) == 0 else { throw Self.unreadable() }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw NamedOutputs.OutputProblem("is not a file any more; append lines to it with >>").error
    }
    var bytes = [UInt8]()
    var count = 1
    while count > 0, bytes.count <= Limits.outputBytes {
      let piece = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, initialized in
        count = SystemCall.read(file.number, UnsafeMutableRawBufferPointer(buffer))
        initialized = max(0, count)
      }
      bytes += piece
    }
    if count < 0 { throw Self.unreadable() }
    var disk = statvfs()
    if let last = bytes.last, last != UInt8(ascii: "\n"), fstatvfs(number, &disk) == 0, disk.f_bavail == 0 {
      throw NamedOutputs.OutputProblem(
        "ends in the middle of a line, and there is no space left in '\(TemporaryPath.folder)'; its values may be cut off"
      ).error
    }
    guard bytes.count <= Limits.outputBytes else {
      throw ActionError(
        "output-too-large",
        "the command wrote more than \(Limits.outputBytes >> 20) MiB to \(Self.variable); write large results to a file of "
          + "its own, and its path as the output",
        isRetryable: false)
    }
    return bytes
  }

  private static func unreadable() -> ActionError {
    NamedOutputs.OutputProblem("cannot be read: \(String(cString: strerror(errno)))").error
  }
}
