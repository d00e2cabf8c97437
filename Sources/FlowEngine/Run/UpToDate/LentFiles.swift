import FlowModel
import FlowPlatform
import Synchronization

/// Temporary files that are gone, but count as they were when their steps succeeded: as long as none of their readers must run, their
/// absence changes nothing. The runs of items share the table of the whole run.
final class LentFiles: Sendable {
  private let files = Mutex<[ByteName: InputStamp]>([:])

  /// Adds files whose paths start in a folder.
  func lend(_ stamps: [InputStamp], in folder: String) {
    files.withLock { files in
      for stamp in stamps { files[ByteName(FilePath.place(of: stamp.path, in: folder))] = stamp }
    }
  }

  /// Takes over what another table has.
  func add(_ others: LentFiles) {
    let all = others.files.withLock { $0 }
    files.withLock { $0.merge(all) { $1 } }
  }

  /// Whether there are none.
  var isEmpty: Bool { files.withLock { $0.isEmpty } }

  /// The absolute paths.
  var places: [String] { files.withLock { $0.keys.map(\.text) } }

  /// The recorded state of the file at an absolute path.
  subscript(place: String) -> InputStamp? { files.withLock { $0[ByteName(place)] } }
}

extension FilePath {
  /// The absolute path of a file that is named from a folder.
  static func place(of path: String, in folder: String) -> String {
    normalized(isAbsolute(path) ? path : "\(folder)/\(path)")
  }
}
