#if Network
  import FlowCLI
  import FlowSystem
  import Synchronization

  /// Temporary files with values that a command reads when it starts. Only this user can open their folder.
  final class GivenFiles: Sendable {
    private let folder: String
    private let names = Mutex<[String]>([])

    init() throws {
      let place = RunLibrary.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
      var template = Array("\(place)/flowrun-inputs-XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else {
        throw SystemError("making a folder in '\(place)'", errno)
      }
      folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Writes `text` to a new file and returns the file's path.
    func add(_ text: String) throws -> String {
      let path = names.withLock { names in
        names.append("\(folder)/\(names.count)")
        return names[names.count - 1]
      }
      let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard file >= 0 else { throw SystemError("writing '\(path)'", errno) }
      defer { close(file) }
      // The reader removes one byte-order mark. The text itself may start with another, which must be kept.
      var bytes = Array("\u{FEFF}\(text)".utf8)[...]
      while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard count > 0 || errno == EINTR else { throw SystemError("writing '\(path)'", errno) }
        bytes = bytes.dropFirst(max(0, count))
      }
      return path
    }

    /// Deletes the files and their folder.
    func remove() {
      for name in names.withLock({ $0 }) { unlink(name) }
      rmdir(folder)
    }
  }
#endif
