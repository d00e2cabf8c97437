import FlowModel
import FlowPlatform
import Synchronization

/// Removed temporary files that count as unchanged since their steps succeeded. While none of their readers must run,
/// they need not exist. The runs of items share the table of the outer run.
final class LentFiles: Sendable {
  private let files = Mutex<[ByteName: InputStamp]>([:])

  /// Adds files with paths relative to a folder.
  func lend(_ stamps: [InputStamp], in folder: String) {
    files.withLock { files in
      for stamp in stamps { files[ByteName(FilePath.place(of: stamp.path, in: folder))] = stamp }
    }
  }

  /// Adds the files of another table.
  func add(_ others: LentFiles) {
    let all = others.files.withLock { $0 }
    files.withLock { $0.merge(all) { $1 } }
  }

  /// True if there are none.
  var isEmpty: Bool { files.withLock { $0.isEmpty } }

  /// The absolute paths.
  var places: [String] { files.withLock { $0.keys.map(\.text) } }

  /// The recorded state of the file at an absolute path.
  subscript(place: String) -> InputStamp? { files.withLock { $0[ByteName(place)] } }
}

extension FilePath {
  /// The absolute path of a file whose path may be relative to a folder.
  static func place(of path: String, in folder: String) -> String {
    normalized(isAbsolute(path) ? path : "\(folder)/\(path)")
  }
}
