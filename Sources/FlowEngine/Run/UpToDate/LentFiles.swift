import FlowModel
import FlowPlatform
import Synchronization

/// Removed temporary files that count as unchanged, because all steps that read them are up to date. The runs of items
/// share the table of the outer run.
final class LentFiles: Sendable {
  private let files = Mutex<[ByteName: InputStamp]>([:])

  /// Adds files whose paths are relative to `folder`.
  func lend(_ stamps: [InputStamp], in folder: String) {
    files.withLock { files in
      for stamp in stamps { files[ByteName(FilePath.place(of: stamp.path, in: folder))] = stamp }
    }
  }

  func add(_ others: LentFiles) {
    let all = others.files.withLock { $0 }
    files.withLock { $0.merge(all) { $1 } }
  }

  var isEmpty: Bool { files.withLock { $0.isEmpty } }

  var places: [String] { files.withLock { $0.keys.map(\.text) } }

  /// The state of the removed file at this absolute path, or nil if it is not in the table.
  subscript(place: String) -> InputStamp? { files.withLock { $0[ByteName(place)] } }
}

extension FilePath {
  /// Returns the absolute, normalized path of a file. `path` may be relative to `folder`.
  static func place(of path: String, in folder: String) -> String {
    normalized(isAbsolute(path) ? path : "\(folder)/\(path)")
  }
}
