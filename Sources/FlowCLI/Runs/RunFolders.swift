import FlowSystem

/// Finds folders with a run history or with workflows below another folder.
package enum RunFolders {
  /// How many levels of folders are searched, and how many names are read.
  private static let (levels, names) = (4, 20_000)

  /// Folders relative to the folder of a search, sorted by depth and then by name.
  package struct Found {
    /// The folders with a run history.
    package var runs: [String] = []
    /// The folders with files that are named like workflows.
    package var workflows: [String] = []
  }

  /// Returns the folders below `folder` that have a run history.
  static func below(_ folder: String) -> [String] { search(folder).runs }

  /// Searches the folders below `folder`. Hidden folders, links and `node_modules` are skipped.
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

  /// True if a file of this name may be a workflow.
  package static func isWorkflowName(_ name: String) -> Bool {
    (name.hasSuffix(".yaml") || name.hasSuffix(".yml")) && !name.hasPrefix(".") && name != "plugin.yaml"
  }

  /// True if runs of the workflows of a folder have been recorded.
  package static func hasRuns(_ folder: String) -> Bool {
    let path = RunMemory.path(in: folder)
    return FilePath.exists(path) && !CommandParts.current.stores.isNew(path)
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
