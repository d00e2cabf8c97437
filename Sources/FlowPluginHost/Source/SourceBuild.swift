import FlowSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Copies of a plugin's Swift files with their object files, so that only changed files are recompiled.
///
/// The compiler detects changes by the modification time in whole seconds. It would miss an edit within the same
/// second, or a file restored with its old time. Therefore, each copy's modification time is derived from its content.
final class SourceBuild {
  /// The suffix that distinguishes a build folder from programs in the cache.
  static let folderSuffix = ".build"
  /// The working folder of the compiler.
  let folder: String
  private let names: [String]
  private let lock: Descriptor
  private let isShared: Bool

  /// Copies `sources` to `folder`. If another process is compiling there, copies them to a temporary folder instead.
  init(_ sources: [(name: String, content: Data)], in folder: String) throws {
    try Self.make(folder)
    lock = Descriptor(open(folder + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
    isShared = lock.number >= 0 && flock(lock.number, LOCK_EX | LOCK_NB) == 0
    self.folder = isShared ? folder : "\(folder).\(getpid())"
    names = sources.map(\.name)
    try Self.make(self.folder + "/objects")
    for source in sources {
      let path = "\(self.folder)/\(source.name)"
      try Self.make(String(path[..<(path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)]))
      try source.content.write(to: URL(filePath: path))
      try Self.setTime(of: path, to: source.content)
    }
    try Self.fileMap(names).write(to: URL(filePath: self.folder + "/files.json"))
  }

  deinit { if !isShared { discard() } }

  func discard() { try? FileManager.default.removeItem(atPath: folder) }

  var program: String { folder + "/program" }

  /// Returns the command that compiles the changed copies.
  ///
  /// The arguments, including the program's name, must be the same each time. Otherwise the compiler recompiles
  /// everything. Optimization reduces the time of a call to a fifth. The paths are relative, so that messages show
  /// `main.swift:3:5` and the program does not contain the folder's path. `module` is the folder of an additional
  /// module that the source may import.
  func command(compiler: String, module: String?) -> [String] {
    var command = [compiler, "-O", "-incremental", "-output-file-map", "files.json", "-module-name", "main"]
    if let module { command += ["-I", module] + SupportFolder.objects(in: module) }
    #if os(Linux)
      // The toolchain's linker is twice as fast as the system's.
      command.append("-use-ld=lld")
    #endif
    return command + ["-j", "\(ProcessInfo.processInfo.activeProcessorCount)", "-o", "program"]
      + names.map { "./" + $0 }
  }

  private static func make(_ folder: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  private static func setTime(of path: String, to content: Data) throws {
    var hash = ContentHash()
    hash.combine(content)
    let time = timeval(tv_sec: hash.seconds, tv_usec: 0)
    guard utimes(path, [time, time]) == 0 else { throw SystemError("cannot set the time of '\(path)'", errno) }
  }

  /// Returns the content of the output file map for the compiler, with an object file for each source.
  private static func fileMap(_ names: [String]) throws -> Data {
    var map = ["": ["swift-dependencies": "objects/program.priors"]]
    for name in names {
      var hash = ContentHash()
      hash.combine(name)
      map["./" + name] = ["object": "objects/\(hash.text).o", "swift-dependencies": "objects/\(hash.text).swiftdeps"]
    }
    return try JSONEncoder().encode(map)
  }
}
