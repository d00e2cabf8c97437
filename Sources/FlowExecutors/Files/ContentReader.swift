import FlowModel
import FlowPluginKit
import FlowSystem

/// A file that is closed when the object is deallocated.
final class OpenFile: Sendable {
  private let descriptor: Descriptor

  /// Opens a file without following a link. Returns nil if that fails, with the reason in `errno`.
  init?(_ path: String, _ flags: CInt, permissions: mode_t = 0) {
    descriptor = Descriptor(open(path, flags | O_CLOEXEC | O_NOFOLLOW, permissions))
    if descriptor.number < 0 { return nil }
  }

  var number: CInt { descriptor.number }
}

/// Reads the contents of several files in blocks, one file after another, and verifies that they have not changed.
struct ContentReader: Sendable {
  private let folder: String
  private var rest: ArraySlice<TransferEntry>
  private var file: OpenFile?
  private var hash = SHA256()
  private var left = 0

  /// - Parameter files: The entries of regular files, without links.
  init(_ files: [TransferEntry], in folder: String) {
    self.folder = folder
    rest = files[...]
  }

  /// Returns the next `count` bytes, fewer at the end of the last file, and none after that. Throws an error if a file
  /// has changed.
  mutating func next(_ count: Int) throws(ActionError) -> [UInt8] {
    var block = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count, let entry = rest.first {
      if file == nil {
        guard let opened = OpenFile("\(folder)/\(entry.path)", O_RDONLY) else { throw .changed(entry.path) }
        (file, hash, left) = (opened, SHA256(), entry.bytes)
      }
      guard let number = file?.number else { break }
      if left > 0 {
        let wanted = min(left, count - done)
        let read = block.withUnsafeMutableBytes {
          SystemCall.read(number, UnsafeMutableRawBufferPointer(rebasing: $0[done..<done + wanted]))
        }
        guard read > 0 else { throw .changed(entry.path) }
        block.withUnsafeBytes { hash.combine(UnsafeRawBufferPointer(rebasing: $0[done..<done + read])) }
        done += read
        left -= read
      }
      if left == 0 {
        guard case .file(_, let digest, _) = entry.content, hash.finish() == digest, Self.isAtEnd(number) else {
          throw .changed(entry.path)
        }
        file = nil
        rest.removeFirst()
      }
    }
    block.removeLast(count - done)
    return block
  }

  private static func isAtEnd(_ file: CInt) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { SystemCall.read(file, $0) == 0 }
  }
}

/// Receives the contents of several files one after another and writes each to its own path.
struct ContentWriter: Sendable {
  private let files: [TransferEntry]
  private let place: @Sendable (_ index: Int) -> String
  private var index = 0
  private var file: OpenFile?
  private var hash = SHA256()
  private var left = 0

  /// - Parameters:
  ///   - files: The entries of regular files, without links.
  ///   - place: Returns the path for the file at an index.
  init(_ files: [TransferEntry], to place: @escaping @Sendable (_ index: Int) -> String) {
    self.files = files
    self.place = place
  }

  /// The number of files that have been completely written.
  var completed: Int { index }

  /// Writes the next bytes. An empty slice creates the empty files at the current position. Throws an error if a file
  /// cannot be written, a complete file does not have the expected digest, or bytes remain after the last file.
  mutating func write(_ bytes: ArraySlice<UInt8>) throws(ActionError) {
    var bytes = bytes
    while index < files.count {
      let entry = files[index]
      guard case .file(let size, let digest, let permissions) = entry.content else { break }
      if file == nil {
        guard let made = OpenFile(place(index), O_WRONLY | O_CREAT | O_EXCL, permissions: 0o600) else {
          throw Self.unwritable(entry, errno)
        }
        (file, hash, left) = (made, SHA256(), size)
      }
      guard let number = file?.number else { break }
      let part = bytes.prefix(left)
      let problem = part.withUnsafeBytes { part in
        hash.combine(part)
        return SystemCall.writeAll(number, part)
      }
      if problem != 0 { throw Self.unwritable(entry, problem) }
      left -= part.count
      bytes = bytes.dropFirst(part.count)
      if left > 0 { return }
      guard hash.finish() == digest else { throw .changed(entry.path) }
      if fchmod(number, mode_t(permissions)) != 0 { throw Self.unwritable(entry, errno) }
      file = nil
      index += 1
    }
    if !bytes.isEmpty { throw ActionError("file-transfer", "the blocks are longer than the files") }
  }

  private static func unwritable(_ entry: TransferEntry, _ problem: CInt) -> ActionError {
    ActionError("file-transfer", "'\(entry.path)' cannot be written: \(SystemError.reason(problem))", isRetryable: true)
  }
}
