import FlowStoreSQLite
import FlowSystem

/// Finds folders with a run history below another folder.
enum RunFolders {
  /// The maximum depth of the search, and the maximum number of names read.
  private static let (levels, names) = (4, 20_000)

  /// Returns the folders relative to `folder`, sorted by depth and then by name. Hidden folders, links and
  /// `node_modules` are skipped.
  static func below(_ folder: String) -> [String] {
    var found: [String] = []
    var level = [""]
    var looked = 0
    for _ in 0..<levels {
      var next: [String] = []
      for parent in level {
        for name in FilePath.names(in: "\(folder)/\(parent)") ?? [] {
          looked += 1
          guard looked <= names else { return found }
          guard !name.hasPrefix("."), name != "node_modules", isFolder("\(folder)/\(parent)\(name)") else { continue }
          if hasRuns("\(folder)/\(parent)\(name)") { found.append(parent + name) }
          next.append("\(parent)\(name)/")
        }
      }
      level = next
    }
    return found
  }

  /// True if runs of the workflows of a folder have been recorded.
  static func hasRuns(_ folder: String) -> Bool {
    let path = RunMemory.path(in: folder)
    return FilePath.exists(path) && !SQLiteRunStore.isNew(path)
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
