#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import FlowSystem

extension InstalledPlugin {
  /// The number of bytes of a file that are hashed to detect a changed program.
  private static let hashedBytes = 64 << 20

  /// A digest of the plugin's manifest and program: the manifest, the files in its folder that its command names, or
  /// the Swift files next to its source. Files that these read in turn are not included.
  public var digest: String {
    var hash = ContentHash()
    for path in [Self.manifestName] + programFiles {
      hash.combine(path)
      hash.combine(Self.content(of: FilePath.isAbsolute(path) ? path : folder + "/" + path) ?? Data())
    }
    return hash.text
  }

  /// The hashed files: if none of them is written, the digest does not change.
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

  /// The bytes of a regular file, or nil if there is none.
  private static func content(of path: String) -> Data? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return FileManager.default.contents(atPath: path).map { Data($0.prefix(hashedBytes)) }
  }
}
