#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The paths of temporary files for commands.
enum TemporaryPath {
  /// The folder for temporary files: `TMPDIR`, or `/tmp` if `TMPDIR` is not set or empty.
  static var folder: String {
    ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  }

  /// Returns a random path in ``folder``.
  static func unused() -> String { "\(folder)/flowrun-\(String(UInt64.random(in: 0 ... .max), radix: 36))" }
}
