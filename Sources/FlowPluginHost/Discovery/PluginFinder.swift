import FlowDiagnostics
import FlowSyntax
import FlowSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Finds external plugins: folders that hold a `plugin.yaml`. Reads manifests and starts nothing.
///
/// It looks in the folders it is given, each a plugin or a folder of plugins, then in `plugins` next to the workflow
/// (in the working directory when there is none), next to each file that it includes, and in `plugins` of the folders above
/// these, up to the first that holds `.git`.
public struct PluginFinder: Sendable {
  /// What was found.
  public struct Found: Sendable {
    /// The plugins that can be used, in the order of finding.
    public var plugins: [InstalledPlugin] = []
    /// The folders that hold a `plugin.yaml` but cannot be used.
    public var unusable: [UnusablePlugin] = []
  }

  private let given: [String]
  private let starts: [String]

  /// A finder for these folders, for `start`, the folder of the workflow or the working directory, and for the folders of
  /// the files that it includes; paths may be relative to the working directory.
  public init(given: [String] = [], start: String, included: [String] = []) {
    self.given = given.map(FilePath.normalized)
    starts = [FilePath.normalized(start)] + included.map(FilePath.normalized)
  }

  /// Looks.
  public func find() -> Found {
    var found = Found()
    var seen: Set<String> = []
    for folder in given {
      if FilePath.isFile(folder + "/" + InstalledPlugin.manifestName) {
        take(folder, into: &found, seen: &seen)
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

  /// Changes when a manifest that ``find()`` would read comes, goes or is written.
  public func stamp() -> String {
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

  /// The folders in which plugins are looked for by default, each once.
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
      take("\(folder)/\(name)", into: &found, seen: &seen)
    }
  }

  private func take(_ folder: String, into found: inout Found, seen: inout Set<String>) {
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

  /// Reads the manifest of the plugin in `folder`, wherever that is.
  public static func read(_ folder: String) -> Result<InstalledPlugin, UnusablePlugin> {
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
  /// The path without a slash at its end, unless it is nothing else.
  var withoutTrailingSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}
