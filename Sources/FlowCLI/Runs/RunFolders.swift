import FlowStoreSQLite
import FlowSystem

/// Finds the folders below another folder that have a run history.
enum RunFolders {
  /// How many levels of folders are searched, and how many names are read.
  private static let (levels, names) = (4, 20_000)

  /// Returns the paths of the folders relative to `folder`, sorted by depth and then by name. Hidden folders, links and
  /// `node_modules` are not searched.
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

  /// True if runs of the workflows in this folder have been recorded.
  static func hasRuns(_ folder: String) -> Bool {
    let path = RunMemory.path(in: folder)
    return FilePath.exists(path) && !SQLiteRunStore.isNew(path)
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
