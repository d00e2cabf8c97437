import FlowCommandKit
import FlowDiagnostics
import FlowSystem

/// The workflow files that the command line names, including those in folders.
package struct WorkflowFiles {
  /// The files in the order of the command line. Those of a folder are sorted by name.
  private(set) var files: [String] = []
  /// The number of YAML files in folders that were skipped because they are not workflows.
  private(set) var passedOver = 0

  /// The maximum number of levels of folders that are searched.
  private static let depth = 32

  /// Finds the workflows in those of the `paths` that are folders. Throws a ``FileProblem`` if a folder has none.
  init(_ paths: [String]) throws(FileProblem) {
    for path in paths {
      guard FilePath.isFolder(path) else {
        files.append(path)
        continue
      }
      let before = files.count
      look(in: path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path, depth: 0)
      if files.count == before { throw FileProblem(path: path, cause: "there is no workflow in this folder") }
    }
  }

  private mutating func look(in folder: String, depth: Int) {
    for name in FilePath.names(in: folder) ?? [] where !name.hasPrefix(".") {
      let path = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
      if FilePath.isFolder(path) {
        if depth < Self.depth { look(in: path, depth: depth + 1) }
      } else if name.hasSuffix(".yaml") || name.hasSuffix(".yml"), name != "plugin.yaml" {
        if PluginFiles.kind(of: name) != nil || Self.isWorkflow(path) { files.append(path) } else { passedOver += 1 }
      }
    }
  }

  /// True if a line of the file begins with `steps:`. Also true if the file cannot be read, so that the check reports
  /// the error.
  package static func isWorkflow(_ path: String) -> Bool {
    guard let bytes = try? FileAccess.read(path) else { return true }
    let key = Array("steps:".utf8)
    return bytes.starts(with: key)
      || bytes.indices.contains { bytes[$0] == 0x0A && bytes[($0 + 1)...].starts(with: key) }
  }
}
