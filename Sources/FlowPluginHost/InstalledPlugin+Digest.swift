#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import FlowSystem

extension InstalledPlugin {
  /// The maximum number of bytes of each file that are hashed.
  private static let hashedBytes = 64 << 20

  /// A hash of the plugin's manifest and program. It covers the files named in the command or, for a program in Swift,
  /// all Swift files next to the entry file. Files that the program itself reads are not included.
  package var digest: String {
    var hash = ContentHash()
    for path in [Self.manifestName] + programFiles {
      hash.combine(path)
      hash.combine(Self.content(of: FilePath.isAbsolute(path) ? path : folder + "/" + path) ?? Data())
    }
    return hash.text
  }

  /// The paths of the files that determine ``digest``.
  package var decidingFiles: [String] {
    ([Self.manifestName] + programFiles).map { FilePath.isAbsolute($0) ? $0 : folder + "/" + $0 }
  }

  private var programFiles: [String] {
    switch manifest.program {
    case .command(let words): return words
    case .source(let entry):
      let base = entry.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(entry[..<entry.utf8.index(after: $0)]) } ?? ""
      return (FilePath.names(in: "\(folder)/\(base)") ?? []).filter { $0.hasSuffix(".swift") }.map { base + $0 }
    }
  }

  /// Returns the content of a regular file, up to the size limit, or nil if there is no such file.
  private static func content(of path: String) -> Data? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return FileManager.default.contents(atPath: path).map { Data($0.prefix(hashedBytes)) }
  }
}
