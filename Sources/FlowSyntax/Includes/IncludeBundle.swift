import FlowModel

/// A workflow and its included files as a single file. A run records it, so that its definition remains known even if
/// the files change.
package enum IncludeBundle {
  private static let begin = Array("{\"flowrun-files\":".utf8)

  /// Returns the bundle of a workflow and its included files, or the workflow itself if it includes none.
  static func bytes(_ main: [UInt8], file: String, _ files: [(path: String, bytes: [UInt8])]) -> [UInt8] {
    guard !files.isEmpty else { return main }
    var object = ValueObject()
    for file in files { object[file.path] = .string(String(decoding: file.bytes, as: UTF8.self)) }
    return JSONText.bytes(
      of: [
        "flowrun-files": .object(object), "file": .string(file),
        "workflow": .string(String(decoding: main, as: UTF8.self)),
      ])
  }

  /// Returns the workflow and the included files in a bundle, or nil if `bytes` are an ordinary file.
  static func parts(of bytes: [UInt8]) -> (main: [UInt8], file: String, files: [ByteName: [UInt8]])? {
    guard bytes.starts(with: begin), case .object(let object)? = try? JSONText.parse(bytes),
      let main = object["workflow"]?.stringValue, let files = object["flowrun-files"]?.objectValue
    else { return nil }
    var parts: [ByteName: [UInt8]] = [:]
    for (path, text) in files { parts[ByteName(path)] = Array((text.stringValue ?? "").utf8) }
    return (Array(main.utf8), object["file"]?.stringValue ?? "", parts)
  }
}
