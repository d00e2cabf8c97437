import FlowModel
import FlowPluginKit
import FlowSystem

/// The result of a body, in a file that can be created only once. The worker creates it when the body has ended, before
/// it answers. The host creates it when it considers the worker lost. The second of them finds the result that the
/// first has written. A body that has ended therefore does not run again just because its answer was lost.
package struct ResultFile: Sendable {
  let path: String

  init(path: String) { self.path = path }

  /// Refers to the file of an attempt in the run's data folder, which workers may share. Returns nil if the context has
  /// secrets, which must not be written, or if the folder cannot be created.
  init?(of context: ActionContext, named body: String) {
    if context.hasSecrets { return nil }
    let folder = context.run.dataFolder + "/results"
    if mkdir(folder, 0o700) != 0, errno != EEXIST { return nil }
    path = folder + "/" + String(body.map { $0 == "/" ? "-" : $0 })
  }

  /// Writes the result, unless the file exists. If that fails, there is no result, and the body may run again.
  func write(_ message: Value) {
    let part = path + ".part"
    let number = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard number >= 0 else { return }
    defer { unlink(part) }
    let isWritten = JSONText.bytes(of: message).withUnsafeBytes { SystemCall.writeAll(number, $0) } == 0
    if close(number) == 0, isWritten { _ = link(part, path) }
  }

  /// Creates an empty file, so that a worker can no longer write a result. Returns the result that a worker has already
  /// written, or nil.
  func claim() -> Value? {
    let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if number >= 0 {
      close(number)
      return nil
    }
    guard errno == EEXIST, let bytes = read() else { return nil }
    return try? JSONText.parse(bytes, rules: .ofOutputs)
  }

  private func read() -> [UInt8]? {
    let number = open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return nil }
    let file = Descriptor(number)
    var bytes: [UInt8] = []
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { piece.deallocate() }
    while bytes.count <= JSONText.Rules.ofOutputs.bytes {
      let count = SystemCall.read(file.number, piece)
      if count < 0 { return nil }
      if count == 0 { return bytes }
      bytes += piece[..<count]
    }
    return nil
  }

  func remove() { unlink(path) }

  /// Removes the folder of results if it is empty.
  func removeFolder() {
    if let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) { rmdir(String(path[..<end])) }
  }
}
