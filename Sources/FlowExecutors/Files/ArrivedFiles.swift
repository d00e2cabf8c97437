import FlowModel
import FlowPluginKit
import FlowSystem

/// Files received from a worker. They are kept in a separate folder until all are complete. Each file is then moved to
/// its path.
///
/// A file therefore keeps its old content until the new content is complete, even if either process is killed.
final class ArrivedFiles: Sendable {
  /// The regular files, in the order in which their contents arrive.
  let files: [TransferEntry]
  /// The total size of the files in bytes.
  let bytes: Int
  private let links: [TransferEntry]
  private let folder: String
  private let scratch: ScratchFolder

  /// Creates the temporary folder for the files. Returns nil if there is nothing to receive.
  init?(_ made: [TransferEntry], for folder: String, in dataFolder: String) throws(ActionError) {
    if made.isEmpty { return nil }
    files = made.filter(\.isFile)
    links = made.filter { !$0.isFile }
    bytes = files.reduce(0) { $0 + $1.bytes }
    self.folder = folder
    do throws(SystemError) {
      scratch = try ScratchFolder(in: dataFolder + "/arriving", prefix: "files-")
    } catch {
      throw ActionError(error)
    }
  }

  deinit { scratch.remove() }

  /// The writer that stores the contents of the files in the temporary folder. Each file is named by its index.
  var writer: ContentWriter { ContentWriter(files) { [path = scratch.path] in "\(path)/\($0)" } }

  /// Moves all files to their final paths and creates the links.
  func settle() throws(ActionError) {
    var places: [ByteName: String] = [:]
    for (index, entry) in files.enumerated() {
      try rename("\(scratch.path)/\(index)", to: try place(of: entry, &places), entry)
    }
    for entry in links {
      guard case .link(let target) = entry.content else { continue }
      let made = "\(scratch.path)/link"
      guard symlink(target, made) == 0 else { throw Self.problem(entry) }
      try rename(made, to: try place(of: entry, &places), entry)
    }
  }

  /// Returns the target path of an entry, and creates missing folders.
  private func place(of entry: TransferEntry, _ known: inout [ByteName: String]) throws(ActionError) -> String {
    let name = entry.path.pathParts.last ?? ""
    let parent = FilePath.folder(of: entry.path)
    if parent == "." { return "\(folder)/\(name)" }
    if let known = known[ByteName(parent)] { return "\(known)/\(name)" }
    var listing = FileListing(in: folder, key: "produces")
    let real = try listing.realPath(of: parent).map { "\(folder)/\($0)" } ?? folder
    do throws(SystemError) { try FileTree.makeFolders(real) } catch { throw ActionError(error) }
    known[ByteName(parent)] = real
    return "\(real)/\(name)"
  }

  private func rename(_ source: String, to place: String, _ entry: TransferEntry) throws(ActionError) {
    if systemRename(source, place) == 0 { return }
    guard errno == EXDEV else { throw Self.problem(entry) }
    // If the data folder is on another file system, the file is first copied next to its target, so that renaming it is
    // atomic.
    let beside = "\(FilePath.folder(of: place))/.flowrun-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    defer { unlink(beside) }
    switch entry.content {
    case .file(_, _, let permissions):
      do throws(SystemError) { try FileTree.copy(source, to: beside) } catch { throw ActionError(error) }
      guard chmod(beside, mode_t(permissions)) == 0 else { throw Self.problem(entry) }
    case .link(let target): guard symlink(target, beside) == 0 else { throw Self.problem(entry) }
    }
    guard systemRename(beside, place) == 0 else { throw Self.problem(entry) }
    unlink(source)
  }

  private static func problem(_ entry: TransferEntry) -> ActionError {
    ActionError("file-transfer", "'\(entry.path)' cannot be put in its place: \(SystemError.reason(errno))")
  }
}

private func systemRename(_ source: String, _ target: String) -> CInt { rename(source, target) }
