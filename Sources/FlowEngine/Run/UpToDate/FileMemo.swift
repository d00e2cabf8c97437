import FlowModel
import FlowPlatform

/// A cache of the files that were looked up for a step, or for its items, many of which read the same files.
struct FileMemo {
  private let folder: OpenFolder
  /// True if a file may be looked up more than once.
  private let remembers: Bool
  private var paths: [ByteName: FilePattern.Found] = [:]
  private var stamps: [ByteName: InputStamp] = [:]
  /// The states that were looked up just before, and the present time. See ``RecentStates``.
  var recent: (states: RecentStates, now: Int)?

  /// Creates a cache.
  ///
  /// - Parameters:
  ///   - folder: The folder that the paths are relative to.
  ///   - remembers: True if a file may be looked up more than once.
  init(in folder: String, remembers: Bool) {
    self.folder = OpenFolder(folder)
    self.remembers = remembers
  }

  /// All files that were looked up. Nil if a pattern was used, because it may match other files next time.
  var files: [InputStamp]? { paths.isEmpty ? Array(stamps.values) : nil }

  /// Returns the files that match a pattern.
  ///
  /// - Returns: The files, and true if the pattern is a path.
  mutating func files(_ pattern: String, limit: Int) -> (found: FilePattern.Found, isPath: Bool) {
    if let path = FilePattern.plainPath(pattern) { return (FilePattern.Found(paths: [path]), true) }
    if let known = paths[ByteName(pattern)] { return (known, false) }
    let parsed = FilePattern(pattern)
    let found = parsed.find(in: folder.path, limit: limit)
    if remembers, parsed.isOpen { paths[ByteName(pattern)] = found }
    return (found, !parsed.isOpen)
  }

  /// True if anything exists at a path.
  func exists(_ path: String) -> Bool { folder.status(of: path) != nil }

  /// The first exclusion of a list that names a folder, so that it excludes nothing.
  func excludedFolder(_ list: FilePatterns) -> String? { list.excludedFolder(in: folder.path) }

  /// Looks up the states of many files at once. Returns an empty array for few files, or if one may be known already.
  func states(of files: [String]) -> [FileState?] {
    if remembers || files.count < 2 { return [] }
    return recent.flatMap { $0.states.states(of: files, in: folder.path, at: $0.now) } ?? folder.states(of: files)
  }

  /// The existing products that have changed since an instant, without their content.
  mutating func products(_ makes: [NamedFiles], since nanoseconds: Int) -> [InputStamp] {
    var changed: [InputStamp] = []
    for named in makes where !PatternText.isExclusion(named.pattern) {
      for path in files(named.pattern, limit: Limits.watchedFiles).found.paths {
        guard let state = FileState(ofRegular: folder.status(of: path)), state.changedNanoseconds >= nanoseconds else {
          continue
        }
        changed.append(InputStamp(path, state))
      }
    }
    return changed
  }

  /// The recorded state of a removed temporary file, or nil if the file is not one.
  func lentStamp(_ path: String, _ lent: LentFiles) -> InputStamp? {
    guard var stamp = lent[FilePath.place(of: path, in: folder.path)] else { return nil }
    stamp.path = path
    return stamp
  }

  /// Adds the removed temporary files that match a pattern.
  func adding(_ lent: LentFiles, to paths: [String], _ pattern: String) -> [String] {
    let known = Set(paths.map { ByteName($0) })
    let parsed = FilePattern(pattern)
    let gone = lent.places.compactMap { place -> String? in
      let path = FilePath.isAbsolute(pattern) ? place : FilePath.path(of: place, below: folder.path) ?? place
      return parsed.covers(path) && !known.contains(ByteName(path)) ? path : nil
    }
    return gone.isEmpty ? paths : (paths + gone).sorted()
  }

  /// True if a product is in its recorded state.
  func isAsItWas(_ stamp: InputStamp) -> Bool {
    FileState(ofRegular: folder.status(of: stamp.path)).map { stamp.hasState(of: InputStamp(stamp.path, $0)) } ?? false
  }

  /// Returns the present state of a file. `state` is its file state if that was just looked up.
  mutating func stamp(_ path: String, known: InputStamp?, state: FileState?) -> InputStamp {
    guard remembers else { return InputStamp(path, in: folder, known: known, state: state) }
    if let stamp = stamps[ByteName(path)] { return stamp }
    let stamp = InputStamp(path, in: folder, known: known)
    stamps[ByteName(path)] = stamp
    return stamp
  }
}
