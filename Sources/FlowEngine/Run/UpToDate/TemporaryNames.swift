import FlowModel
import FlowPlatform
import FlowPluginKit

/// The paths and patterns of a step's temporary products.
struct TemporaryNames {
  private var paths: Set<ByteName> = []
  private var patterns: [FilePattern] = []

  init(_ makes: [NamedFiles]) {
    for named in makes where named.isTemporary && !PatternText.isExclusion(named.pattern) {
      if let path = FilePattern.plainPath(named.pattern) {
        paths.insert(ByteName(path))
      } else {
        patterns.append(FilePattern(named.pattern))
      }
    }
  }

  private var isEmpty: Bool { paths.isEmpty && patterns.isEmpty }

  private func contains(_ path: String) -> Bool {
    paths.contains(ByteName(path)) || patterns.contains { $0.covers(path) }
  }

  /// Returns those of the files that are temporary and whose states show that they exist.
  func filter(_ files: [InputStamp]) -> [InputStamp] {
    isEmpty ? [] : files.filter { $0.bytes >= 0 && contains($0.path) }
  }

  /// Returns the files that were found, followed by the recorded states of temporary files that are missing.
  func restored(_ found: [InputStamp], as recorded: [InputStamp]) -> [InputStamp] {
    if isEmpty { return found }
    var rest: [ByteName: InputStamp] = [:]
    for file in found where file.bytes != -1 || !contains(file.path) { rest[ByteName(file.path)] = file }
    var all: [InputStamp] = []
    for file in recorded {
      if let now = rest.removeValue(forKey: ByteName(file.path)) {
        all.append(now)
      } else if file.bytes >= 0, contains(file.path) {
        all.append(file)
      }
    }
    return all + found.filter { rest[ByteName($0.path)] != nil }
  }
}

extension StepFailure {
  /// Returns the failure of a step that reads a temporary file although it was removed.
  static func removedFile(_ path: String) -> StepFailure {
    StepFailure(
      code: "missing-input",
      message:
        "'inputs-from' names '\(path)', which is temporary and was removed; run the step that makes it again, with "
        + "--force, or with --from if this run is resumed")
  }
}
