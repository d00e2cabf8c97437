import FlowSystem

/// Finds folders below another folder that contain workflows or a run history.
package enum RunFolders {
  /// The maximum number of levels that are searched, and of names that are read.
  private static let (levels, names) = (4, 20_000)

  /// The paths of the folders that a search has found, relative to its folder, sorted by depth and then by name.
  package struct Found {
    /// The folders that contain a run history.
    package var runs: [String] = []
    /// The folders that contain files with names of workflows.
    package var workflows: [String] = []
  }

  /// Returns the folders below `folder` that contain a run history.
  static func below(_ folder: String) -> [String] { search(folder).runs }

  /// Searches the folders below `folder`, up to the limits. Hidden folders, links and `node_modules` are skipped.
  package static func search(_ folder: String) -> Found {
    var found = Found()
    var level = [""]
    var looked = 0
    for _ in 0..<levels {
      var next: [String] = []
      for parent in level {
        let inside = FilePath.names(in: "\(folder)/\(parent)") ?? []
        if !parent.isEmpty, inside.contains(where: isWorkflowName) { found.workflows.append(String(parent.dropLast())) }
        for name in inside {
          looked += 1
          guard looked <= names else { return found }
          guard !name.hasPrefix("."), name != "node_modules", isFolder("\(folder)/\(parent)\(name)") else { continue }
          if hasRuns("\(folder)/\(parent)\(name)") { found.runs.append(parent + name) }
          next.append("\(parent)\(name)/")
        }
      }
      level = next
    }
    return found
  }

  /// True if a file with this name may be a workflow.
  package static func isWorkflowName(_ name: String) -> Bool {
    (name.hasSuffix(".yaml") || name.hasSuffix(".yml")) && !name.hasPrefix(".") && name != "plugin.yaml"
  }

  /// True if runs of workflows in this folder have been recorded.
  package static func hasRuns(_ folder: String) -> Bool {
    let path = RunMemory.path(in: folder)
    return FilePath.exists(path) && !CommandParts.current.stores.isNew(path)
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
