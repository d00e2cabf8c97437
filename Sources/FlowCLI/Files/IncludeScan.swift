import FlowCommandKit
import FlowCompiled
import FlowModel
import FlowSystem

/// Finds the files that a workflow includes by searching its text for `uses:`. This happens before anything is loaded:
/// plugins are also searched near included files, and without the plugins, actions are unknown.
package struct IncludeScan {
  /// The files in the order in which they were found, beginning with the workflow itself.
  private var found: [String] = []

  package static func files(includedBy file: String) -> [String] {
    var scan = IncludeScan()
    var files = [FilePath.absolute(file)]
    for _ in 0..<Limits.includeDepth where !files.isEmpty {
      files = files.flatMap { scan.included(by: $0) }
    }
    return Array(scan.found.dropFirst())
  }

  private mutating func included(by file: String) -> [String] {
    guard !found.contains(file), let bytes = FileAccess.included(file) else { return [] }
    found.append(file)
    let folder = FilePath.folder(of: file)
    if CompiledWorkflow.isCompiled(bytes) {
      let files = (try? CompiledWorkflow(bytes))?.graph.workflow.includedFiles ?? []
      found += files.map { FilePath.normalized("\(folder)/\($0)") }
      return []
    }
    return Self.names(in: bytes).map { FilePath.normalized(FilePath.isAbsolute($0) ? $0 : "\(folder)/\($0)") }
  }

  private static func names(in bytes: [UInt8]) -> [String] {
    var names: [String] = []
    bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      var place = 0
      while place < bytes.count, let hit = memchr(base + place, Int32(UInt8(ascii: ".")), bytes.count - place) {
        let dot = UnsafeRawPointer(hit) - base
        place = dot + 1
        guard place < bytes.count, bytes[place] == UInt8(ascii: "y"),
          let ending = [".yaml", ".yml"].first(where: { bytes[dot...].starts(with: $0.utf8) })
        else { continue }
        var start = dot
        while start > 0, !endsName(bytes[start - 1]) { start -= 1 }
        var key = start
        while key > 0, " \"'".utf8.contains(bytes[key - 1]) { key -= 1 }
        guard key >= 5, bytes[(key - 5)..<key].elementsEqual("uses:".utf8) else { continue }
        names.append(String(decoding: bytes[start..<(dot + ending.utf8.count)], as: UTF8.self))
      }
    }
    return names
  }

  private static func endsName(_ byte: UInt8) -> Bool { byte <= 0x20 || "\"'{,".utf8.contains(byte) }
}

extension Workflow {
  /// The paths of the files that a compiled workflow includes, sorted and relative to the workflow's folder.
  fileprivate var includedFiles: [String] {
    let inner = itemWorkflows.values.flatMap(\.workflow.includedFiles)
    return Set(includes.values.compactMap(\.origin) + inner).sorted()
  }
}
