import FlowPlatform

/// The files that were looked up for a step, or for the items of one, of which many read the same files.
struct FileMemo {
  private let folder: OpenFolder
  /// Whether a file may be asked for more than once.
  private let remembers: Bool
  private var paths: [String: [String]] = [:]
  private var stamps: [String: InputStamp] = [:]
  /// States that were looked up just before, and the time now; see ``RecentStates``.
  var recent: (states: RecentStates, now: Int)?

  /// - Parameters:
  ///   - folder: where the paths of the files start.
  ///   - remembers: whether a file may be asked for more than once.
  init(in folder: String, remembers: Bool) {
    self.folder = OpenFolder(folder)
    self.remembers = remembers
  }

  /// Every file that was looked up; nil: some were found by a pattern, which may match others the next time.
  var files: [InputStamp]? { paths.isEmpty ? Array(stamps.values) : nil }

  /// The files that a pattern means.
  mutating func files(_ pattern: String, limit: Int) -> [String] {
    if let path = FilePattern.plainPath(pattern) { return [path] }
    if let known = paths[pattern] { return known }
    let parsed = FilePattern(pattern)
    let found = parsed.files(in: folder.path, limit: limit)
    if remembers, parsed.isOpen { paths[pattern] = found }
    return found
  }

  /// The states of many files, which are looked up together; empty: they are few, or one may be known already.
  func states(of files: [String]) -> [FileState?] {
    if remembers || files.count < 2 { return [] }
    return recent.flatMap { $0.states.states(of: files, in: folder.path, at: $0.now) } ?? folder.states(of: files)
  }

  /// A file as it is now; `state` is its state, if that was looked up just before.
  mutating func stamp(_ path: String, known: InputStamp?, state: FileState?) -> InputStamp {
    guard remembers else { return InputStamp(path, in: folder, known: known, state: state) }
    if let stamp = stamps[path] { return stamp }
    let stamp = InputStamp(path, in: folder, known: known)
    stamps[path] = stamp
    return stamp
  }
}
