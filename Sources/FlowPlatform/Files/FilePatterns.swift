/// A list of file patterns, some of which may exclude files. For each path, the last matching pattern decides.
package struct FilePatterns: Sendable {
  private let patterns: [FilePattern]
  private let hasExclusions: Bool

  package init(_ texts: [String]) {
    patterns = texts.map { FilePattern($0) }
    hasExclusions = patterns.contains(where: \.isExclusion)
  }

  /// True if a path that matches the pattern at `index` is not excluded by a later pattern.
  package func keeps(_ path: String, of index: Int) -> Bool {
    guard hasExclusions else { return true }
    let path = FilePattern.plainPath(path) ?? PathPattern(PatternText.quoted(path)).normalized
    for pattern in patterns[(index + 1)...].reversed() where pattern.covers(path) { return !pattern.isExclusion }
    return true
  }

  /// True if the patterns match a path. The path must not contain `.` or `..`.
  package func covers(_ path: String) -> Bool {
    patterns.last { $0.covers(path) }.map { !$0.isExclusion } ?? false
  }

  /// Returns the matching files without duplicates, in the order of the patterns that match them.
  ///
  /// - Parameter limit: The maximum number of files. If there are more, `limit` + 1 of them are returned, in any order.
  package func files(in folder: String, limit: Int = .max) -> [String] {
    var seen: Set<[UInt8]> = []
    var files: [String] = []
    for (index, pattern) in patterns.enumerated() where !pattern.isExclusion {
      for path in pattern.files(in: folder, limit: limit)
      where keeps(path, of: index) && seen.insert(Array(path.utf8)).inserted {
        files.append(path)
      }
      if files.count > limit { break }
    }
    return files
  }

  /// Returns the first exclusion that is the path of a folder, or nil if there is none. Such a pattern excludes
  /// nothing.
  package func excludedFolder(in folder: String) -> String? {
    guard hasExclusions else { return nil }
    for pattern in patterns where pattern.isExclusion {
      for alternative in pattern.alternatives where !alternative.isOpen {
        let path = alternative.path
        if FilePath.isFolder(FilePath.isAbsolute(path) ? path : "\(folder)/\(path)") { return path }
      }
    }
    return nil
  }
}
