import FlowSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A copy of a plugin's Swift source with what the compiler made of each file, so that an edit costs one file.
///
/// The compiler says whether a file has changed from its time of modification, in whole seconds: an edit within the
/// second of the last one would be missed, and so would a file that was put back with its old time. The copies here carry
/// times that are made from their contents.
final class SourceBuild {
  /// What the names of the folders end with, so that they are distinguished from programs.
  static let folderSuffix = ".build"
  /// Where the compiler is to run.
  let folder: String
  private let names: [String]
  private let lock: Descriptor
  private let isShared: Bool

  /// Copies `sources` to `folder`, or, while another process compiles there, to a folder that is removed afterwards.
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

  /// Forgets everything that was made.
  func discard() { try? FileManager.default.removeItem(atPath: folder) }

  /// Where the compiler puts the program.
  var program: String { folder + "/program" }

  /// What compiles the copies, those that have changed.
  ///
  /// The same words each time, the program's name included: with others the compiler takes everything for changed.
  /// Optimized: what speaks the protocol is compiled once, and a call then takes a fifth of the time. The names are
  /// relative, so that messages say `main.swift:3:5` and the program does not hold the folder's path.
  /// `module` is the folder of what it may import besides the system's modules.
  func command(compiler: String, module: String?) -> [String] {
    var command = [compiler, "-O", "-incremental", "-output-file-map", "files.json", "-module-name", "main"]
    if let module { command += ["-I", module] + SupportFolder.objects(in: module) }
    #if os(Linux)
      // The toolchain's own linker, twice as fast as the system's.
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

  /// Where the compiler keeps what it makes of each file.
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
