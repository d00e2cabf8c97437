import FlowSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A folder with support files for plugins' programs. It is created once and used by all runs. Its name contains a hash
/// of its contents, and begins with a capital letter so that it never equals the name of a plugin's program.
struct SupportFolder: Sendable {
  let cache: String

  private static let files = [SupportFile.python, .node, .shell]

  /// The number of folders kept of each kind. Other versions of flowrun or of the compiler may use the older ones.
  private static let keptFolders = 4

  /// Returns the environment variables with the paths of the support files. Search paths that `environment` already
  /// contains are extended.
  func variables(beside environment: [String: String]) throws -> [String: String] {
    let folder = try folder(of: Self.files)
    func path(_ name: String) -> String {
      environment[name].map { $0.isEmpty ? folder : "\(folder):\($0)" } ?? folder
    }
    return [
      "PYTHONPATH": path("PYTHONPATH"), "NODE_PATH": path("NODE_PATH"),
      "FLOWRUN_PLUGIN_SH": "\(folder)/\(SupportFile.shell.name)",
    ]
  }

  private func folder(of files: [SupportFile]) throws -> String {
    var hash = ContentHash()
    Self.combine(files, into: &hash)
    return try made(prefix: "FlowFiles-", hash: hash) { folder in
      for file in files { try Data(file.bytes).write(to: URL(filePath: "\(folder)/\(file.name)")) }
    }
  }

  /// Returns the folder of the compiled `FlowPlugin` module. If it does not exist, creates it with the source files and
  /// calls `compile` with its path.
  func module(of compiler: String, compile: (_ folder: String) throws -> Void) throws -> String {
    var hash = ContentHash()
    combineModule(into: &hash)
    hash.combine(compiler)
    return try made(prefix: "FlowPlugin-", hash: hash) { folder in
      try FileManager.default.createDirectory(
        atPath: "\(folder)/\(Self.hotFolder)", withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
      for file in SupportFile.swift { try Data(file.bytes).write(to: URL(filePath: "\(folder)/\(file.name)")) }
      try compile(folder)
    }
  }

  /// Returns the commands that compile the module. They run concurrently. One compiles all files without optimization,
  /// which is quick. The other optimizes only the few files that determine the speed of calls. Optimizing all files
  /// would take twice as long without making calls faster.
  static func commands(compiler: String, in folder: String) -> [(words: [String], directory: String)] {
    let common = [compiler, "-c", "-parse-as-library", "-module-name", "FlowPlugin"]
    let hot = SupportFile.swift.filter(\.isHot).map { "../" + $0.name }
    return [
      (common + ["-O"] + hot, "\(folder)/\(hotFolder)"),
      (common + ["-Onone", "-enable-batch-mode", "-emit-module"] + SupportFile.swift.map(\.name), folder),
    ]
  }

  /// The folder of the optimized object files.
  static let hotFolder = "hot"

  /// Returns the paths of the object files that a program must be linked with if it imports the module.
  static func objects(in folder: String) -> [String] {
    SupportFile.swift.map { file in
      "\(folder)/\(file.isHot ? hotFolder + "/" : "")\(file.name.dropLast("swift".count))o"
    }
  }

  func combineModule(into hash: inout ContentHash) {
    Self.combine(SupportFile.swift, into: &hash)
    for command in Self.commands(compiler: "", in: "") { hash.combine(command.words.joined(separator: " ")) }
  }

  private static func combine(_ files: [SupportFile], into hash: inout ContentHash) {
    for file in files {
      hash.combine(file.name)
      hash.combine(Data(file.bytes))
    }
  }

  /// Returns the folder for a hash. A new folder is filled under a temporary name and renamed when it is complete, so
  /// that two flowrun processes can create it at the same time.
  private func made(prefix: String, hash: ContentHash, fill: (String) throws -> Void) throws -> String {
    let folder = "\(cache)/\(prefix)\(hash.text)"
    if access(folder, R_OK | X_OK) == 0 { return folder }
    let unfinished = "\(folder).\(getpid()).\(UInt32.random(in: 0...UInt32.max))"
    try FileManager.default.createDirectory(
      atPath: unfinished, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    do {
      try fill(unfinished)
    } catch {
      try? FileManager.default.removeItem(atPath: unfinished)
      throw error
    }
    if rename(unfinished, folder) != 0 {
      let number = errno
      try? FileManager.default.removeItem(atPath: unfinished)
      // Another flowrun process may have created the folder in the meantime.
      guard access(folder, R_OK | X_OK) == 0 else { throw SystemError("cannot make the folder '\(folder)'", number) }
    }
    CacheEntries(folder: cache, prefix: prefix).removeOld(keeping: Self.keptFolders)
    return folder
  }
}
