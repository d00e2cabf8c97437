import FlowModel
import FlowPlatform
import FlowPluginKit

/// The current state of the files that a list of patterns matches.
struct FileLook {
  private(set) var stamps: [InputStamp] = []
  /// The first path that must exist but does not, or nil if there is none.
  private(set) var missing: String?
  /// The first pattern that must match a file but matches none, or nil if there is no such pattern.
  private(set) var unmatched: String?
  /// The remaining patterns that match no file.
  private(set) var idle: [String] = []
  /// The matching links whose target does not exist.
  private(set) var danglingLinks: [String] = []
  /// The first folder that an exclusion names, or nil if none does. Such an exclusion excludes no file.
  private(set) var excludedFolder: String?
  /// The removed temporary files that count as unchanged.
  private(set) var lentPaths: [String] = []
  /// True if there are more files than a step may have. In that case, ``stamps`` is incomplete.
  private(set) var isFull = false

  /// - Parameter lent: The removed temporary files that count as unchanged, or nil if there are none.
  init(_ files: [NamedFiles], known: [InputStamp], _ memo: inout FileMemo, lent: LentFiles? = nil) {
    let lent = lent?.isEmpty == false ? lent : nil
    let hasExclusions = files.contains { PatternText.isExclusion($0.pattern) }
    let list = hasExclusions ? FilePatterns(files.map(\.pattern)) : nil
    excludedFolder = list.flatMap { memo.excludedFolder($0) }
    var seen: Set<ByteName>? = files.count > 1 ? [] : nil
    var byPath: [ByteName: InputStamp]?
    for (number, named) in files.enumerated() where !PatternText.isExclusion(named.pattern) {
      var (found, isPath) = memo.files(named.pattern, limit: Limits.watchedFiles)
      if let lent, !isPath { found.paths = memo.adding(lent, to: found.paths, named.pattern) }
      if let list {
        found.paths.removeAll { !list.keeps($0, of: number) }
        found.danglingLinks.removeAll { !list.keeps($0, of: number) }
      }
      danglingLinks += found.danglingLinks
      if found.paths.isEmpty, !isPath, named.need != .never {
        let pattern = PatternText.shown(named.pattern)
        if named.need == .ofPaths { idle.append(pattern) } else if unmatched == nil { unmatched = pattern }
      }
      let states = memo.states(of: found.paths)
      for (index, path) in found.paths.enumerated() {
        if seen?.insert(ByteName(path)).inserted == false { continue }
        guard stamps.count < Limits.watchedFiles else {
          isFull = true
          return
        }
        // A step usually reads the same files as before, in the same order.
        var before = stamps.count < known.count ? known[stamps.count] : nil
        if before?.path.hasSameBytes(as: path) != true, !known.isEmpty {
          if byPath == nil { byPath = Dictionary(known.map { (ByteName($0.path), $0) }, uniquingKeysWith: { $1 }) }
          before = byPath?[ByteName(path)]
        }
        var stamp = memo.stamp(path, known: before, state: states.isEmpty ? nil : states[index])
        if let lent, stamp.bytes == -1, let gone = memo.lentStamp(path, lent) {
          stamp = gone
          lentPaths.append(path)
        }
        stamps.append(stamp)
        if isPath, missing == nil, named.need != .never, stamp.bytes == -1, !memo.exists(path) { missing = path }
      }
    }
  }

  /// Returns warnings about the links and patterns in the list under `key`.
  func notes(on key: String, of step: String) -> [String] {
    danglingLinks.map { "'\($0)', which '\(key)' of step '\(step)' matches, is a link that leads to nothing" }
      + (idle.isEmpty
        ? [] : ["'\(idle[0])'\(Self.more(idle.count)) of '\(key)' of step '\(step)' matches no file"])
  }

  private static func more(_ count: Int) -> String {
    switch count {
    case 1: ""
    case 2: ", like another pattern,"
    default: ", like \(count - 1) other patterns,"
    }
  }
}
