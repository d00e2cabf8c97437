#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import FlowSystem

extension InstalledPlugin {
  /// The most bytes of a file that are compared to see whether a program has changed.
  private static let hashedBytes = 64 << 20

  /// A text that changes when the plugin's manifest or program does: the manifest, the files in its folder that
  /// its command names, or the Swift files next to its source. What these read in turn is not known.
  public var digest: String {
    var hash = ContentHash()
    for path in [Self.manifestName] + programFiles {
      hash.combine(path)
      hash.combine(Self.content(of: FilePath.isAbsolute(path) ? path : folder + "/" + path) ?? Data())
    }
    return hash.text
  }

  /// The files that decide: when none of them is written the digest stays as it is.
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

  /// The bytes of a regular file; nil if there is none.
  private static func content(of path: String) -> Data? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return FileManager.default.contents(atPath: path).map { Data($0.prefix(hashedBytes)) }
  }
}
