#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where commands have files that go with them.
enum TemporaryPath {
  /// The folder for temporary files: that of flowrun's own environment, or `/tmp`.
  static var folder: String {
    ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  }

  /// A path in that folder that nothing else uses.
  static func unused() -> String { "\(folder)/flowrun-\(String(UInt64.random(in: 0 ... .max), radix: 36))" }
}
