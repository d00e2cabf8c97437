import FlowDiagnostics
import FlowPlatform

/// Reads manifests of plugins in order to find the declarations of actions.
enum ManifestText {
  /// The size in bytes after which no more of a manifest is read.
  private static let limit = 1 << 20

  /// Returns the text of a manifest, or nil if it cannot be read.
  static func read(_ path: String) -> SourceText? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    while bytes.count < limit {
      var count = 0
      let piece = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, initialized in
        count = SystemCall.read(file, UnsafeMutableRawBufferPointer(buffer))
        initialized = max(0, count)
      }
      if count < 0 { return nil }
      if count == 0 { break }
      bytes += piece
    }
    return SourceText(bytes, file: path)
  }
}
