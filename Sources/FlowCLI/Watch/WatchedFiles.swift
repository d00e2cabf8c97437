import FlowDiagnostics
import FlowModel
import FlowPluginHost
import FlowSystem

struct WatchedFiles: Sendable {
  /// Patterns that steps use to select files in a folder.
  struct Pattern: Sendable, Hashable {
    var texts: [String]
    var folder: String

    /// The paths of the files that match the patterns at this time.
    var paths: [String] {
      FilePatterns(texts).files(in: folder).map { FilePath.isAbsolute($0) ? $0 : "\(folder)/\($0)" }
    }
  }

  /// The workflow files, or folders that contain them. The manifests of plugins near them are watched as well.
  var workflows: [String]
  /// The plugin folders that the command line names.
  var pluginFolders: [String]
  var others: [String] = []
  /// The patterns of further files. They need not exist.
  var patterns: [Pattern] = []
  /// The patterns of files that are not watched because a run writes them.
  var products: [Pattern] = []

  /// Returns a stamp for each file, by the name that messages use for the file. The stamp changes if the file's content
  /// changes.
  func stamps() -> [ByteName: String] {
    let files = (try? WorkflowFiles(workflows))?.files ?? workflows
    var stamps: [ByteName: String] = [:]
    let here = FilePath.normalized(".")
    func add(_ path: String) {
      let name = FilePath.path(of: path, below: here) ?? path
      stamps[ByteName("'\(TerminalText.visible(name))'")] = FileStamp.of(path) ?? "is gone"
    }
    for file in files + others { add(file) }
    if !patterns.isEmpty {
      let made = Set(products.flatMap(\.paths).map { ByteName($0) })
      for path in patterns.flatMap(\.paths) where !made.contains(ByteName(path)) { add(path) }
    }
    let folders = Set(files.map { FilePath.folder(of: FilePath.absolute($0)) })
    let included = Set(files.flatMap(IncludeScan.files).map(FilePath.folder)).subtracting(folders)
    stamps[ByteName("a plugin")] = (folders.sorted() + included.sorted()).map {
      PluginFinder(given: pluginFolders, start: $0).stamp()
    }.joined()
    return stamps
  }
}
