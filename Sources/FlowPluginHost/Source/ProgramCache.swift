import FlowPluginKit
import FlowSyntax
import FlowSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A cache of programs that were compiled from the Swift source of plugins.
///
/// A program's file name consists of the plugin's name and a hash of its sources and of the compiler. The file is
/// created under a temporary name and renamed when it is complete, so that two flowrun processes can compile the same
/// source at the same time. Object files are also kept (``SourceBuild``), so that only changed files are recompiled.
struct ProgramCache: Sendable {
  let folder: String

  /// The number of programs kept per plugin.
  private static let keptPrograms = 4

  /// The folder `flowrun/plugins` in `XDG_CACHE_HOME`, in `~/.cache` if that is not an absolute path, or in a temporary
  /// folder without a home.
  static var userFolder: String {
    let base: String
    if let stated = getenv("XDG_CACHE_HOME").map({ String(cString: $0) }), FilePath.isAbsolute(stated) {
      base = stated
    } else if let home = getenv("HOME") {
      base = String(cString: home) + "/.cache"
    } else {
      base = FileManager.default.temporaryDirectory.appending(path: "user-\(geteuid())").path
    }
    return base + "/flowrun/plugins"
  }

  /// Returns the path of the plugin's program. If necessary, compiles it from `entry` and the other Swift files in the
  /// same folder.
  func program(of plugin: InstalledPlugin, entry: String, limits: PluginLimits) throws(ActionError) -> String {
    let compiler = try Self.compiler(for: plugin)
    let sources = try Self.sources(of: plugin, entry: entry)
    var hash = ContentHash()
    hash.combine(compiler.identity)
    if Self.importsFlowPlugin(sources) { support.combineModule(into: &hash) }
    for (name, content) in sources {
      hash.combine(name)
      hash.combine(content)
    }
    let program = "\(folder)/\(plugin.name)-\(hash.text)"
    if FileManager.default.isExecutableFile(atPath: program) { return program }
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw failure(plugin, "cannot make the folder for compiled plugins '\(folder)': \(error)")
    }
    let module = try module(for: sources, of: plugin, with: compiler, limits: limits)
    try compile(sources, of: plugin, with: compiler.path, module: module, to: program, limits: limits)
    removeOldPrograms(of: plugin)
    return program
  }

  /// Returns the folder of the compiled module `FlowPlugin`, or nil if the sources do not import it.
  private func module(
    for sources: [(name: String, content: Data)], of plugin: InstalledPlugin,
    with compiler: (path: String, identity: String), limits: PluginLimits
  ) throws(ActionError) -> String? {
    guard Self.importsFlowPlugin(sources) else { return nil }
    do {
      return try support.module(of: compiler.identity) { folder in
        let commands = SupportFolder.commands(compiler: compiler.path, in: folder).map {
          let words = $0.words + ["-j", "\(ProcessInfo.processInfo.activeProcessorCount)"]
          return (PluginCommand(words, seeing: Self.compilerVariables), $0.directory)
        }
        for run in try FinishedProgram.together(commands, deadline: .now + limits.compile)
        where run.status != .exited(code: 0) {
          throw failure(plugin, "the module FlowPlugin does not compile here (\(run.status)):\n\(run.output)")
        }
      }
    } catch let error as ActionError {
      throw error
    } catch {
      throw failure(plugin, "the module FlowPlugin cannot be made in '\(folder)': \(error)")
    }
  }

  private static func importsFlowPlugin(_ sources: [(name: String, content: Data)]) -> Bool {
    sources.contains { _, content in
      String(decoding: content, as: UTF8.self).split(whereSeparator: \.isNewline).contains { line in
        let words = line.split(separator: " ")
        return words.last == "FlowPlugin" && words.dropLast().last == "import"
      }
    }
  }

  /// The environment variables that the compiler inherits.
  private static let compilerVariables = ["HOME", "TMPDIR", "SDKROOT", "DEVELOPER_DIR"]

  private var support: SupportFolder { SupportFolder(cache: folder) }

  private func compile(
    _ sources: [(name: String, content: Data)], of plugin: InstalledPlugin, with compiler: String, module: String?,
    to output: String, limits: PluginLimits
  ) throws(ActionError) {
    let build: SourceBuild
    do {
      build = try SourceBuild(sources, in: "\(folder)/\(plugin.name)\(SourceBuild.folderSuffix)")
    } catch {
      throw failure(plugin, "cannot write a copy of its source to '\(folder)' to compile it: \(error)")
    }
    let run: FinishedProgram
    do throws(SystemError) {
      run = try FinishedProgram(
        PluginCommand(
          build.command(compiler: compiler, module: module), seeing: Self.compilerVariables),
        directory: build.folder, deadline: .now + limits.compile)
    } catch {
      throw failure(plugin, error.description)
    }
    guard run.status == .exited(code: 0) else {
      // A compiler that was killed may have left incomplete files behind.
      if case .signaled = run.status { build.discard() }
      throw failure(plugin, "its source does not compile (\(run.status)):\n\(run.output)")
    }
    // The program is copied rather than moved, because the compiler would not create it again if nothing has changed.
    let unfinished = "\(output).\(getpid())"
    do {
      try FileManager.default.copyItem(atPath: build.program, toPath: unfinished)
    } catch {
      throw failure(plugin, "cannot keep the compiled program '\(output)': \(error)")
    }
    guard rename(unfinished, output) == 0 else {
      throw failure(plugin, "cannot keep the compiled program '\(output)': \(String(cString: strerror(errno)))")
    }
  }

  private func failure(_ plugin: InstalledPlugin, _ reason: String) -> ActionError { Self.failure(plugin, reason) }

  private static func failure(_ plugin: InstalledPlugin, _ reason: String) -> ActionError {
    ActionError("plugin-source", "the plugin '\(plugin.name)' (\(plugin.origin)): \(reason)", isRetryable: false)
  }

  /// Returns the path of the compiler, found in `PATH`, and a string that changes when the compiler is replaced.
  private static func compiler(for plugin: InstalledPlugin) throws(ActionError) -> (path: String, identity: String) {
    for folder in (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":") {
      let path = "\(folder)/swiftc"
      var status = stat()
      if access(path, X_OK) == 0, stat(path, &status) == 0 {
        return (path, "\(path) \(status.st_size) \(status.st_ino)")
      }
    }
    throw failure(plugin, "it is Swift source, and there is no 'swiftc' in PATH to compile it")
  }

  /// Returns the Swift files in the folder of `entry`, sorted by name.
  private static func sources(
    of plugin: InstalledPlugin, entry: String
  ) throws(ActionError) -> [(name: String, content: Data)] {
    let folder = entry.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(entry[..<entry.utf8.index(after: $0)]) } ?? ""
    guard FileManager.default.fileExists(atPath: "\(plugin.folder)/\(entry)") else {
      throw failure(plugin, "there is no file '\(entry)' in its folder")
    }
    let names = FilePath.names(in: "\(plugin.folder)/\(folder)") ?? []
    var sources: [(name: String, content: Data)] = []
    for name in names where name.hasSuffix(".swift") {
      guard let content = FileManager.default.contents(atPath: "\(plugin.folder)/\(folder)\(name)") else {
        throw failure(plugin, "'\(folder)\(name)' cannot be read")
      }
      sources.append((folder + name, content))
    }
    return sources
  }

  private func removeOldPrograms(of plugin: InstalledPlugin) {
    CacheEntries(folder: folder, prefix: plugin.name + "-").removeOld(keeping: Self.keptPrograms)
  }
}
