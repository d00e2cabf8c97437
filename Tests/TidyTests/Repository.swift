import Foundation

/// The files of the repository, whose text is tested.
enum Repository {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// Returns the paths of all files in a folder that have this ending. They are sorted and relative to the root. Build
  /// folders are skipped.
  static func files(below folder: String, ending: String) -> [String] {
    guard let walker = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path) else {
      return []
    }
    var paths: [String] = []
    for case let path as String in walker where path.hasSuffix(ending) && !path.contains(".build") {
      paths.append(folder + "/" + path)
    }
    return paths.sorted()
  }
}
