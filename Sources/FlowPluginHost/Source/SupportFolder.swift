import FlowPluginSupport
import FlowSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The folder of support files for plugins' programs. It is named by its contents, created once, and shared by all
/// runs. The names begin with capital letters, so they never equal a plugin's program.
struct SupportFolder: Sendable {
  /// The cache folder.
  let cache: String

  private static let files = [SupportFile.python, .node, .shell]

  /// The number of folders kept per kind, for other versions of flowrun and of the compiler.
  private static let keptFolders = 4

  /// The variables with which a plugin's program finds the files.
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

  /// The folder of the compiled `FlowPlugin` module. If it does not exist, `compile` creates it from a folder with the
  /// source files.
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

  /// The commands that compile the files of a folder, two at a time: all files without optimization, which is quick,
  /// and at the same time, optimized, the few in which a call spends its time. Optimizing all files takes twice as long
  /// without making calls faster.
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

  /// The object files to link into a program that imports the module.
  static func objects(in folder: String) -> [String] {
    SupportFile.swift.map { file in
      "\(folder)/\(file.isHot ? hotFolder + "/" : "")\(file.name.dropLast("swift".count))o"
    }
  }

  /// Adds the sources and options of the module to a hash.
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

  /// The folder for a hash. It is filled under another name and renamed when complete, so that two flowrun processes
  /// may create it at once.
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
      // Another flowrun process has created it meanwhile.
      guard access(folder, R_OK | X_OK) == 0 else { throw SystemError("cannot make the folder '\(folder)'", number) }
    }
    CacheEntries(folder: cache, prefix: prefix).removeOld(keeping: Self.keptFolders)
    return folder
  }
}
