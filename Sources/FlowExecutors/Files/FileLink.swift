import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowSystem
import Synchronization

/// Sends files to one worker and fetches the products of its steps.
///
/// The host requests each block, and only a few blocks are in transit at any time. Memory use therefore does not depend
/// on the size of files, and heartbeats can pass between blocks.
final class FileLink: Sendable {
  enum Loss: Error {
    case unread
    case lost(ActionError)
  }

  private let session: PluginSession
  /// The name of the worker in warnings and errors.
  private let name: String
  private let digests: FileDigests
  /// Receives a warning about changed or deleted files that are not fetched, and about names that are equal on some
  /// file systems.
  private let tell: @Sendable (String) -> Void
  /// The thread that reads, writes and compresses files.
  private let thread = BlockingWorker(name: "files")
  private let turns = Turns()
  private let lastNumber = Atomic(0)
  /// The reported warnings about similar names. Each is reported only once.
  private let reported = Mutex<Set<String>>([])

  init(_ session: PluginSession, name: String, _ digests: FileDigests, tell: @escaping @Sendable (String) -> Void) {
    self.session = session
    self.name = name
    self.digests = digests
    self.tell = tell
  }

  /// Creates a folder on the worker and sends the files that a step reads. `number` identifies the folder.
  func send(_ files: StepFiles, number: Int) async throws {
    let entries = try await thread.perform { [digests] in
      try Self.checkProducts(files)
      return try FileListing.entries(files.reads, in: files.folder, key: "inputs-from") { digests.digest($0, $1) }
    }
    reportLookAlikes(entries)
    // Files are sent for one step at a time, so that content read by two steps is sent only once.
    try await turns.acquire()
    defer { turns.release() }
    let prepared = try await answer(
      session.post(
        "files",
        [
          "files": .integer(number), "folder": .string(files.folder), "entries": .array(entries.map(\.value)),
          "makes": .array(files.makes.map { .string($0) }),
        ]))
    let missing = (prepared["missing"]?.arrayValue ?? []).compactMap { value -> TransferEntry? in
      guard let index = value.integerValue, entries.indices.contains(index), entries[index].isFile else { return nil }
      return entries[index]
    }
    if missing.isEmpty { return }
    var reader = ContentReader(missing, in: files.folder)
    var window = TransferWindow()
    var left = missing.reduce(0) { $0 + $1.bytes }
    // An empty block creates the empty files.
    repeat {
      try Task.checkCancellation()
      while let call = window.next() { try await window.measure { _ = try await self.answer(call) } }
      let members: ValueObject
      let count: Int
      (members, count, reader) = try await thread.perform { [reader] in
        var reader = reader
        let block = try reader.next(TransferBlock.bytes)
        return (TransferBlock.members(block), block.count, reader)
      }
      left -= count
      var parameters = members
      parameters["files"] = .integer(number)
      window.add(session.post("put", parameters))
    } while left > 0
    while let call = window.removeOldest() { _ = try await answer(call) }
  }

  /// Returns an unused number for the folder of a step.
  func newNumber() -> Int { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Throws an error if a step declares products outside of the workflow's folder.
  private static func checkProducts(_ files: StepFiles) throws(ActionError) {
    var listing = FileListing(in: files.folder, key: "produces")
    for pattern in files.makes where !PatternText.isExclusion(pattern) {
      for folder in FilePattern(pattern).folders where !folder.isEmpty { _ = try listing.realPath(of: folder) }
    }
  }

  /// Fetches the products of a step, and moves them to their paths once all of them have arrived.
  func fetch(_ files: StepFiles, number: Int, _ context: ActionContext) async throws {
    let found = try await answer(
      session.post("collect", ["files": .integer(number), "makes": .array(files.makes.map { .string($0) })]))
    let made = try TransferEntry.list(found["made"])
    try made.checkAreNamed(by: files.makes)
    reportLookAlikes(made)
    let arrival = try await thread.perform { try ArrivedFiles(made, for: files.folder, in: context.run.dataFolder) }
    if let arrival {
      try await receive(arrival, number)
      try await thread.perform { try arrival.settle() }
    }
    for what in ["deleted", "changed"] {
      let paths = found[what]?.arrayValue?.compactMap(\.stringValue) ?? []
      guard let first = paths.first else { continue }
      let others = paths.count > 1 ? " and \(paths.count - 1) other file\(paths.count > 2 ? "s" : "")" : ""
      tell(
        "step '\(context.stepID)' \(what) '\(first)'\(others) on its worker, which changes nothing here: "
          + "only what 'produces' names comes back")
    }
  }

  /// Reports file names that are equal on file systems that ignore case or Unicode normalization. Each report is sent
  /// once.
  private func reportLookAlikes(_ entries: [TransferEntry]) {
    guard let text = entries.lookAlikes, reported.withLock({ $0.insert(text).inserted }) else { return }
    tell(text)
  }

  private func receive(_ arrival: ArrivedFiles, _ number: Int) async throws {
    guard !arrival.files.isEmpty else { return }
    try await turns.acquire()
    defer { turns.release() }
    var writer = arrival.writer
    var window = TransferWindow()
    let blocks = max(1, (arrival.bytes + TransferBlock.bytes - 1) / TransferBlock.bytes)
    var asked = 0
    while asked < blocks || !window.isEmpty {
      try Task.checkCancellation()
      while asked < blocks, window.hasRoom {
        window.add(session.post("get", ["files": .integer(number)]))
        asked += 1
      }
      guard let call = window.removeOldest() else { break }
      let members = try await window.measure { try await self.answer(call) }
      writer = try await thread.perform { [writer] in
        var writer = writer
        try writer.write(try TransferBlock.content(members)[...])
        return writer
      }
    }
    guard writer.completed == arrival.files.count else {
      throw ActionError("file-transfer", "the worker sent less than its files have", isRetryable: true)
    }
  }

  func drop(_ number: Int) { _ = session.post("drop", ["files": .integer(number)]) }

  private func answer(_ call: PluginCall) async throws -> ValueObject {
    switch await call.end() {
    case .answered(let value): return value.objectValue ?? [:]
    case .refused(let failure):
      throw ActionError(failure.code, "\(name): \(failure.message)", isRetryable: failure.isRetryable ?? true)
    case .failed(let error): throw error
    case .lost(let error): throw Loss.lost(error)
    case .unread: throw Loss.unread
    }
  }
}

/// The blocks in transit. Their maximum number grows while answers arrive quickly, and shrinks on a slow connection,
/// where blocks would delay heartbeats.
struct TransferWindow {
  private var calls: [PluginCall] = []
  private var size = 2

  private static let mostBlocks = 32
  private static let quick = Duration.milliseconds(250)
  private static let slow = Duration.seconds(1)

  var hasRoom: Bool { calls.count < size }
  var isEmpty: Bool { calls.isEmpty }

  mutating func add(_ call: PluginCall) { calls.append(call) }

  /// Removes and returns the oldest block if it must be awaited before another block may be sent. Otherwise returns
  /// nil.
  mutating func next() -> PluginCall? { hasRoom ? nil : removeOldest() }

  /// Removes and returns the oldest block. Returns nil if none is in transit.
  mutating func removeOldest() -> PluginCall? { calls.isEmpty ? nil : calls.removeFirst() }

  /// Waits for the answer to a block, and adapts the maximum number of blocks to the time that it takes.
  mutating func measure<Answer>(_ wait: () async throws -> Answer) async throws -> Answer {
    let start = ContinuousClock.now
    let answer = try await wait()
    let time = ContinuousClock.now - start
    if time < Self.quick { size = min(size + 1, Self.mostBlocks) }
    if time > Self.slow { size = max(size / 2, 1) }
    return answer
  }
}

/// A fair asynchronous lock: tasks acquire it one at a time, in the order of their requests.
final class Turns: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [OneShot<Void>] = []
  }

  private let state = Mutex(State())

  func acquire() async throws {
    let ticket = state.withLock { state -> OneShot<Void>? in
      guard state.isTaken else {
        state.isTaken = true
        return nil
      }
      let ticket = OneShot<Void>()
      state.waiting.append(ticket)
      return ticket
    }
    await ticket?.wait()
    if Task.isCancelled {
      release()
      throw CancellationError()
    }
  }

  func release() {
    let next = state.withLock { state -> OneShot<Void>? in
      guard !state.waiting.isEmpty else {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.finish(())
  }
}

/// A cache of the digests of local files, because several steps may read the same file. A digest is valid only while
/// the size, times and identity of its file are unchanged.
final class FileDigests: Sendable {
  private let known = Mutex<[ByteName: (state: FileState, digest: String)]>([:])

  /// Returns the digest of a file's content, or nil if the file cannot be read.
  func digest(_ path: String, _ state: FileState) -> String? {
    if let known = known.withLock({ $0[ByteName(path)] }), known.state == state { return known.digest }
    guard let digest = SHA256.digest(ofFile: path) else { return nil }
    if !state.isUnsure { known.withLock { $0[ByteName(path)] = (state, digest) } }
    return digest
  }
}
