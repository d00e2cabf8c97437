import FlowPluginHost
import FlowSystem

/// Notices when files are saved.
struct FileWatch {
  private let paths: [String]
  private let pluginFolders: [String]
  private var seen = ""

  /// Watches the files and folders at `paths`, and the manifests of plugins around them.
  init(_ paths: [String], pluginFolders: [String]) {
    self.paths = paths
    self.pluginFolders = pluginFolders
    seen = stamp()
  }

  /// Waits until something has changed and stays as it is for a moment, as it does when a save is over.
  mutating func change() async {
    while true {
      try? await Task.sleep(for: .milliseconds(150))
      let now = stamp()
      if now == seen { continue }
      seen = now
      try? await Task.sleep(for: .milliseconds(50))
      if stamp() == now { return }
    }
  }

  private func stamp() -> String {
    let files = (try? WorkflowFiles(paths))?.files ?? paths
    var text = ""
    for file in files { text += "\(file) \(FileStamp.of(file) ?? "is gone")\n" }
    var folders: Set<String> = []
    for file in files { folders.insert(FilePath.folder(of: FilePath.absolute(file))) }
    for folder in folders.sorted() { text += PluginFinder(given: pluginFolders, start: folder).stamp() }
    return text
  }
}
