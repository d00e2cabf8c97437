import FlowPluginSupport
import FlowSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The folder of the files that plugins' programs are written with: named by what it holds, made once, shared by all runs. The
/// names begin with capital letters, so that no plugin's program has one.
struct SupportFolder: Sendable {
  /// The folder for what is kept.
  let cache: String

  private static let files = [SupportFile.python, .node, .shell]

  /// How many folders of one kind are kept: those of other flowruns, and of other compilers.
  private static let keptFolders = 4

  /// What is added to the environment of a plugin's program, so that it finds the files.
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

  /// The folder of what is compiled of the files of `FlowPlugin`, which `compile` makes when it is not there: it is given a
  /// folder with the files.
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

  /// What compiles the files of a folder, two at a time: all of them as they are, which is quick, and next to that,
  /// optimized, the few in which a call spends its time. Optimizing all takes twice as long, and a call no less.
  static func commands(compiler: String, in folder: String) -> [(words: [String], directory: String)] {
    let common = [compiler, "-c", "-parse-as-library", "-module-name", "FlowPlugin"]
    let hot = SupportFile.swift.filter(\.isHot).map { "../" + $0.name }
    return [
      (common + ["-O"] + hot, "\(folder)/\(hotFolder)"),
      (common + ["-Onone", "-enable-batch-mode", "-emit-module"] + SupportFile.swift.map(\.name), folder),
    ]
  }

  /// The folder of the optimized ones.
  static let hotFolder = "hot"

  /// What a program that imports the module is linked from.
  static func objects(in folder: String) -> [String] {
    SupportFile.swift.map { file in
      "\(folder)/\(file.isHot ? hotFolder + "/" : "")\(file.name.dropLast("swift".count))o"
    }
  }

  /// Takes up what the module is compiled from, and how.
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

  /// The folder for a hash. It is filled in another place and renamed when it is complete, so that two flowruns may make it
  /// at once.
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
      // Another flowrun was as quick.
      guard access(folder, R_OK | X_OK) == 0 else { throw SystemError("cannot make the folder '\(folder)'", number) }
    }
    CacheEntries(folder: cache, prefix: prefix).removeOld(keeping: Self.keptFolders)
    return folder
  }
}
