import FlowPlatform

/// What was found out about files while the items of a step were looked at: many read the same ones.
struct FileMemo {
  private var paths: [String: [String]] = [:]
  private var stamps: [String: InputStamp] = [:]

  /// The files that a pattern means.
  mutating func files(_ pattern: String, in folder: String, limit: Int) -> [String] {
    if let path = FilePattern.plainPath(pattern) { return [path] }
    if let known = paths[pattern] { return known }
    let found = FilePattern(pattern).files(in: folder, limit: limit)
    paths[pattern] = found
    return found
  }

  /// A file as it is now.
  mutating func stamp(_ path: String, in folder: String, known: InputStamp?) -> InputStamp {
    if let stamp = stamps[path] { return stamp }
    let stamp = InputStamp(path, in: folder, known: known)
    stamps[path] = stamp
    return stamp
  }
}
