import Foundation

/// The repository as files, for tests that hold its text to the truth.
enum Repository {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The files below a folder with this ending, relative to the root, sorted; build folders are left out.
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
