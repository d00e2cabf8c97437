import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// The worker's side of file transfer: a folder for each step, and a store of contents that several steps may need.
final class WorkerFiles: Sendable {
  private let scratch: ScratchFolder
  private let output: WorkerOutput
  private let store: FileStore
  private let folders = Mutex<[Int: StepFolder]>([:])

  /// - Parameter parent: The folder in which the worker creates its own folder, or nil for the system's temporary
  ///   folder.
  init(in parent: String?, _ output: WorkerOutput) throws(SystemError) {
    let usual = getenv("TMPDIR").map { String(cString: $0) }.flatMap { FilePath.isAbsolute($0) ? $0 : nil } ?? "/tmp"
    scratch = try ScratchFolder(in: parent ?? usual, prefix: "flowrun-files-")
    self.output = output
    store = FileStore(in: scratch.path + "/store")
  }

  /// The folder that contains the folders of all steps.
  var path: String { scratch.path }

  /// Returns the folder of a step by its number, or nil if there is none.
  func folder(_ number: Int) -> StepFolder? { folders.withLock { $0[number] } }

  /// Deletes the folders of all steps and the stored contents.
  func remove() { scratch.remove() }

  /// Starts to handle a request about a step's files, on the thread of its folder. Returns false for any other request.
  func handle(_ method: String, _ id: Int, _ parameters: ValueObject) -> Bool {
    let number = parameters["files"]?.integerValue ?? 0
    if method == "files" {
      let folder = StepFolder(
        "\(scratch.path)/\(number)", standsFor: parameters["folder"]?.stringValue ?? "", store)
      folders.withLock { $0[number] = folder }
    }
    guard let folder = folder(number) else {
      guard ["put", "collect", "get", "drop"].contains(method) else { return false }
      output.refuse(id, ActionError("file-transfer", "there is no folder number \(number)"))
      return true
    }
    switch method {
    case "files": answer(id, folder) { folder throws(ActionError) in try folder.begin(parameters) }
    case "put": answer(id, folder) { folder throws(ActionError) in try folder.put(parameters) }
    case "collect": answer(id, folder) { folder throws(ActionError) in try folder.collect(parameters) }
    case "get": answer(id, folder) { folder throws(ActionError) in try folder.next() }
    case "drop":
      folders.withLock { _ = $0.removeValue(forKey: number) }
      answer(id, folder) { folder throws(ActionError) in
        folder.remove()
        return [:]
      }
    default: return false
    }
    return true
  }

  /// Answers a request on the thread of the folder, so that requests are handled in order.
  private func answer(
    _ id: Int, _ folder: StepFolder, _ body: @escaping @Sendable (StepFolder) throws(ActionError) -> ValueObject
  ) {
    folder.thread.submit { [output] mayRun in
      do throws(ActionError) {
        guard mayRun else { throw ActionError("no-thread", "the system cannot create a thread", isRetryable: true) }
        output.answer(id, .object(try body(folder)))
      } catch {
        output.refuse(id, error)
      }
    }
  }
}

/// Stores contents by their digests. Small files are not stored, because sending them again takes no longer.
final class FileStore: Sendable {
  private struct State {
    /// The digests and sizes of stored contents, the least recently used first.
    var kept: [(digest: String, bytes: Int)] = []
    var bytes = 0
  }

  private static let leastBytes = 64 << 10
  private static let mostBytes = 4 << 30

  private let folder: String
  private let state = Mutex(State())

  init(in folder: String) { self.folder = folder }

  private func path(_ digest: String) -> String { "\(folder)/\(digest)" }

  /// Copies stored content to a new file. Returns false if the content is not stored or cannot be copied.
  func place(_ digest: String, at target: String) -> Bool {
    state.withLock { state in
      guard let index = state.kept.firstIndex(where: { $0.digest == digest }) else { return false }
      state.kept.append(state.kept.remove(at: index))
      if (try? FileTree.copy(path(digest), to: target)) != nil { return true }
      unlink(target)
      return false
    }
  }

  /// Stores the content of a file if it is large enough and there is space.
  func keep(_ digest: String, bytes: Int, from source: String) {
    guard bytes >= Self.leastBytes, (try? FileTree.makeFolders(folder, permissions: 0o700)) != nil else { return }
    state.withLock { state in
      guard !state.kept.contains(where: { $0.digest == digest }) else { return }
      guard (try? FileTree.copy(source, to: path(digest))) != nil else {
        unlink(path(digest))
        // The disk is full. Remove all stored contents, because steps need the space more.
        while !state.kept.isEmpty { removeFirst(&state) }
        return
      }
      state.kept.append((digest, bytes))
      state.bytes += bytes
      while state.bytes > Self.mostBytes { removeFirst(&state) }
    }
  }

  private func removeFirst(_ state: inout State) {
    let (digest, bytes) = state.kept.removeFirst()
    state.bytes -= bytes
    unlink(path(digest))
  }
}
