import FlowDiagnostics
import FlowSyntax
import FlowSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Finds external plugins, which are folders with a `plugin.yaml`. Reads the manifests and starts no programs.
///
/// Searches in this order:
///
/// - the given folders, each of which is a plugin or contains plugins,
/// - `plugins` next to the workflow (in the working folder if there is no workflow) and next to each included file,
/// - `plugins` in the parent folders of these, up to the first one that contains `.git`.
package struct PluginFinder: Sendable {
  /// The plugins that a search has found.
  package struct Found: Sendable {
    /// The usable plugins, in the order in which they were found.
    package var plugins: [InstalledPlugin] = []
    /// The folders whose `plugin.yaml` is invalid or cannot be read.
    package var unusable: [UnusablePlugin] = []
  }

  private let given: [String]
  private let starts: [String]

  /// Creates a finder.
  ///
  /// - Parameters:
  ///   - given: The folders from the command line.
  ///   - start: The folder of the workflow or, without a workflow, the working folder.
  ///   - included: The folders of included files.
  package init(given: [String] = [], start: String, included: [String] = []) {
    self.given = given.map(FilePath.normalized)
    starts = [FilePath.normalized(start)] + included.map(FilePath.normalized)
  }

  /// Searches all folders and reads the manifests. A plugin that is found twice is listed once.
  package func find() -> Found {
    var found = Found()
    var seen: Set<String> = []
    for folder in given {
      if FilePath.isFile(folder + "/" + InstalledPlugin.manifestName) {
        addPlugin(in: folder, into: &found, seen: &seen)
      } else if FilePath.isFolder(folder) {
        takeAll(in: folder, into: &found, seen: &seen)
      } else {
        found.unusable.append(
          UnusablePlugin(folder: folder, description: "\(folder): error: there is no such folder\n"))
      }
    }
    for folder in above { takeAll(in: folder + "/plugins", into: &found, seen: &seen) }
    return found
  }

  /// Returns a string that changes when a manifest that ``find()`` would read is added, removed or modified.
  package func stamp() -> String {
    var stamp = ""
    func add(_ folder: String) {
      guard let manifest = FileStamp.of(folder + "/" + InstalledPlugin.manifestName) else { return }
      stamp += "\(folder) \(manifest)\n"
    }
    for folder in given + above.map({ $0 + "/plugins" }) {
      add(folder)
      for name in FilePath.names(in: folder) ?? [] { add("\(folder)/\(name)") }
    }
    return stamp
  }

  /// The folders that are searched for a `plugins` folder, without duplicates.
  private var above: [String] {
    var folders: [String] = []
    for folder in starts.flatMap(above) where !folders.contains(folder) { folders.append(folder) }
    return folders
  }

  private func above(_ start: String) -> [String] {
    var folders: [String] = []
    var folder = start
    while true {
      folders.append(folder == "/" ? "" : folder)
      guard folder != "/", !folder.isEmpty, !FilePath.exists(folder + "/.git") else { return folders }
      folder = String(folder[..<(folder.utf8.lastIndex(of: UInt8(ascii: "/")) ?? folder.startIndex)])
      if folder.isEmpty { folder = "/" }
    }
  }

  private func takeAll(in folder: String, into found: inout Found, seen: inout Set<String>) {
    for name in FilePath.names(in: folder) ?? []
    where FilePath.isFile("\(folder)/\(name)/\(InstalledPlugin.manifestName)") {
      addPlugin(in: "\(folder)/\(name)", into: &found, seen: &seen)
    }
  }

  private func addPlugin(in folder: String, into found: inout Found, seen: inout Set<String>) {
    let real = FilePath.real(folder)
    guard seen.insert(real).inserted else { return }
    if let stranger = FolderTrust.problem(with: real) {
      found.unusable.append(UnusablePlugin(folder: folder, description: "\(folder): error: \(stranger)\n"))
      return
    }
    switch Self.read(folder) {
    case .success(let plugin): found.plugins.append(plugin)
    case .failure(let unusable): found.unusable.append(unusable)
    }
  }

  /// Reads the manifest of the plugin in `folder`.
  package static func read(_ folder: String) -> Result<InstalledPlugin, UnusablePlugin> {
    let file = folder.withoutTrailingSlash + "/" + InstalledPlugin.manifestName
    guard let data = FileManager.default.contents(atPath: file) else {
      return .failure(UnusablePlugin(folder: folder, description: "\(file): error: the file cannot be read\n"))
    }
    let result = PluginManifestLoader().load(bytes: [UInt8](data), file: file)
    guard let manifest = result.manifest else {
      return .failure(UnusablePlugin(folder: folder, description: result.rendered()))
    }
    var plugin = InstalledPlugin(manifest, folder: folder.withoutTrailingSlash)
    plugin.text = (result.source, result.programSpans)
    return .success(plugin)
  }
}

extension String {
  /// The path without a trailing slash. The root `/` is unchanged.
  var withoutTrailingSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}
