import FlowDiagnostics
import FlowModel
import FlowPluginHost
import FlowSystem

/// The files that are watched for changes.
struct WatchedFiles: Sendable {
  /// Files that steps name with a list of patterns, below a folder.
  struct Pattern: Sendable, Hashable {
    var texts: [String]
    var folder: String

    /// The paths of the files that match now.
    var paths: [String] {
      FilePatterns(texts).files(in: folder).map { FilePath.isAbsolute($0) ? $0 : "\(folder)/\($0)" }
    }
  }

  /// Workflows, or folders of them; the manifests of the plugins around them are watched too.
  var workflows: [String]
  /// Folders of plugins that the command line names.
  var pluginFolders: [String]
  /// Other files.
  var others: [String] = []
  /// Further files that are there or will be.
  var patterns: [Pattern] = []
  /// Files that are not watched though a pattern fits: a run makes them.
  var products: [Pattern] = []

  /// What distinguishes each file from an older or newer one, by the file as a sentence names it.
  func stamps() -> [ByteName: String] {
    let files = (try? WorkflowFiles(workflows))?.files ?? workflows
    var stamps: [ByteName: String] = [:]
    let here = FilePath.normalized(".") + "/"
    func add(_ path: String) {
      let name = path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
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
