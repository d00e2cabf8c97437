import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// The folder on a worker in which one attempt of a step runs. It contains only the files that the step reads.
final class StepFolder: Sendable {
  /// The absolute path of this folder.
  let path: String
  /// Performs all operations on the folder, one at a time.
  let thread = BlockingWorker(name: "files")
  /// The absolute path of the workflow's folder on the machine where flowrun runs.
  private let original: String
  private let store: FileStore
  private let state = Mutex(State())

  private struct State {
    /// The files and links that the step reads.
    var entries: [TransferEntry] = []
    /// The files in the folder, by path, with their states when the folder was completed. Does not contain links.
    var placed: [ByteName: Placed] = [:]
    /// Writes the expected files. Nil if none are expected.
    var writer: ContentWriter?
    var awaited: [TransferEntry] = []
    var reader: ContentReader?
  }

  private struct Placed {
    var state: FileState
    var entry: TransferEntry
  }

  init(_ path: String, standsFor original: String, _ store: FileStore) {
    self.path = path
    self.original = original
    self.store = store
  }

  private func place(of entry: TransferEntry) -> String { "\(path)/\(entry.path)" }

  /// Deletes the folder with all of its contents.
  func remove() {
    state.withLock { $0 = State() }
    FileTree.remove(path)
  }

  /// Returns the inputs with paths inside the workflow's folder replaced by the corresponding paths in this folder.
  func localized(_ inputs: ValueObject, of action: ActionDeclaration) -> ValueObject {
    var inputs = inputs
    for field in action.inputs {
      switch (field.type, inputs[field.name]) {
      case (.path, .string(let text)?): inputs[field.name] = .string(localized(text))
      case (.array(.path), .array(let values)?):
        inputs[field.name] = .array(values.map { $0.stringValue.map { .string(localized($0)) } ?? $0 })
      default: break
      }
    }
    return inputs
  }

  private func localized(_ text: String) -> String {
    if text.hasSameBytes(as: original) { return path }
    guard text.utf8.starts(with: "\(original)/".utf8) else { return text }
    return path + String(decoding: text.utf8.dropFirst(original.utf8.count), as: UTF8.self)
  }

  /// Creates the folder for the files of a step. Returns the indices of the files that the host must send.
  func begin(_ parameters: ValueObject) throws(ActionError) -> ValueObject {
    let entries = try TransferEntry.list(parameters["entries"])
    try makeFolder(path)
    var made: Set<ByteName> = [ByteName(path)]
    func makeFolderOnce(_ path: String) throws(ActionError) {
      if made.insert(ByteName(path)).inserted { try makeFolder(path) }
    }
    for pattern in parameters["makes"]?.arrayValue ?? [] {
      let pattern = FilePattern(pattern.stringValue ?? "")
      for folder in pattern.isExclusion ? [] : pattern.folders
      where !folder.isEmpty && !folder.pathParts.contains("..") {
        try makeFolderOnce("\(path)/\(folder)")
      }
    }
    var missing: [Value] = []
    var awaited: [TransferEntry] = []
    for (index, entry) in entries.enumerated() {
      try makeFolderOnce(FilePath.folder(of: place(of: entry)))
      guard case .file(_, let digest, let permissions) = entry.content else { continue }
      if store.place(digest, at: place(of: entry)) {
        chmod(place(of: entry), mode_t(permissions))
      } else {
        missing.append(.integer(index))
        awaited.append(entry)
      }
    }
    let places = awaited.map(place)
    let isComplete = awaited.isEmpty
    state.withLock { [awaited] state in
      state.entries = entries
      state.awaited = awaited
      state.writer = isComplete ? nil : ContentWriter(awaited) { places[$0] }
    }
    if isComplete { try complete() }
    return ["missing": .array(missing)]
  }

  private func makeFolder(_ path: String) throws(ActionError) {
    do throws(SystemError) { try FileTree.makeFolders(path, permissions: 0o755) } catch { throw ActionError(error) }
  }

  /// Writes the next block of the expected files.
  func put(_ parameters: ValueObject) throws(ActionError) -> ValueObject {
    guard var writer = state.withLock({ $0.writer }) else {
      throw ActionError("file-transfer", "a block of files came that was not awaited")
    }
    state.withLock { $0.writer = nil }
    try writer.write(try TransferBlock.content(parameters)[...])
    let isComplete = state.withLock { [writer] state in
      let isComplete = writer.completed == state.awaited.count
      if !isComplete { state.writer = writer }
      return isComplete
    }
    if isComplete { try complete() }
    return [:]
  }

  /// Completes the folder after all files have arrived: keeps the new ones in the store, creates the links, and records
  /// the state of each file to detect changes.
  private func complete() throws(ActionError) {
    let (entries, awaited) = state.withLock { ($0.entries, $0.awaited) }
    for entry in awaited {
      if case .file(let bytes, let digest, _) = entry.content {
        store.keep(digest, bytes: bytes, from: place(of: entry))
      }
    }
    var placed: [ByteName: Placed] = [:]
    // Set the times of the files to an earlier time, so that a change within the same clock tick is detected.
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    now.tv_sec -= 2
    for entry in entries {
      let place = place(of: entry)
      switch entry.content {
      case .file:
        var status = stat()
        guard utimensat(AT_FDCWD, place, [now, now], 0) == 0, lstat(place, &status) == 0 else {
          throw ActionError(SystemError("cannot prepare '\(entry.path)'", errno))
        }
        placed[ByteName(entry.path)] = Placed(state: FileState(status), entry: entry)
      case .link(let target):
        guard symlink(target, place) == 0 else {
          throw ActionError(SystemError("cannot make the link '\(entry.path)'", errno))
        }
      }
    }
    state.withLock { [placed] in ($0.placed, $0.awaited) = (placed, []) }
  }

  /// Lists the products of the step, and the sent files that the step has changed or deleted.
  func collect(_ parameters: ValueObject) throws(ActionError) -> ValueObject {
    let patterns = parameters["makes"]?.arrayValue?.compactMap(\.stringValue) ?? []
    let (entries, placed) = state.withLock { ($0.entries, $0.placed) }
    let found = try FileListing.entries(patterns, in: path, key: "produces") { [path] place, now in
      // The content of an unchanged file need not be hashed again.
      if let known = placed[ByteName(String(decoding: place.utf8.dropFirst(path.utf8.count + 1), as: UTF8.self))],
        known.state == now,
        case .file(_, let digest, _) = known.entry.content
      {
        return digest
      }
      return SHA256.digest(ofFile: place)
    }
    try found.checkAreNamed(by: patterns)
    let sent = Set(entries)
    let made = found.filter { !sent.contains($0) }
    let names = Set(found.map { ByteName($0.path) })
    var (deleted, changed): ([Value], [Value]) = ([], [])
    for entry in entries {
      var status = stat()
      guard lstat(place(of: entry), &status) == 0 else {
        deleted.append(.string(entry.path))
        continue
      }
      let name = ByteName(entry.path)
      if let known = placed[name], known.state != FileState(status), !names.contains(name) {
        changed.append(.string(entry.path))
      }
    }
    state.withLock { [made] in $0.reader = ContentReader(made.filter(\.isFile), in: path) }
    return ["made": .array(made.map(\.value)), "deleted": .array(deleted), "changed": .array(changed)]
  }

  /// Returns the next block of the products.
  func next() throws(ActionError) -> ValueObject {
    guard var reader = state.withLock({ $0.reader }) else {
      throw ActionError("file-transfer", "there is no more block of files")
    }
    state.withLock { $0.reader = nil }
    let block = try reader.next(TransferBlock.bytes)
    state.withLock { [reader] in $0.reader = reader }
    return TransferBlock.members(block)
  }
}

extension TransferEntry {
  var isFile: Bool { if case .file = content { true } else { false } }
}

extension [TransferEntry] {
  /// Throws an error if an entry matches the patterns only because a link leads to it.
  func checkAreNamed(by patterns: [String]) throws(ActionError) {
    let list = FilePatterns(patterns)
    let plain = Set(patterns.compactMap { FilePattern.plainPath($0).map(ByteName.init) })
    let isPlain = plain.count == patterns.count
    for entry in self where !(plain.contains(ByteName(entry.path)) && isPlain) && !list.covers(entry.path) {
      throw ActionError(
        "file-outside", "'produces' leads to '\(entry.path)' through a link; name it under 'produces', too",
        isRetryable: false)
    }
  }
}
