import FlowModel
import FlowPlatform

/// The files that were looked up for a step, or for the items of one, of which many read the same files.
struct FileMemo {
  private let folder: OpenFolder
  /// Whether a file may be asked for more than once.
  private let remembers: Bool
  private var paths: [ByteName: FilePattern.Found] = [:]
  private var stamps: [ByteName: InputStamp] = [:]
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
  ///
  /// - Returns: the files, and whether the pattern is a path.
  mutating func files(_ pattern: String, limit: Int) -> (found: FilePattern.Found, isPath: Bool) {
    if let path = FilePattern.plainPath(pattern) { return (FilePattern.Found(paths: [path]), true) }
    if let known = paths[ByteName(pattern)] { return (known, false) }
    let parsed = FilePattern(pattern)
    let found = parsed.find(in: folder.path, limit: limit)
    if remembers, parsed.isOpen { paths[ByteName(pattern)] = found }
    return (found, !parsed.isOpen)
  }

  /// Whether there is anything at a path.
  func exists(_ path: String) -> Bool { folder.status(of: path) != nil }

  /// The exclusion of a list that names a folder, so that it excludes nothing.
  func excludedFolder(_ list: FilePatterns) -> String? { list.excludedFolder(in: folder.path) }

  /// The states of many files, which are looked up together; empty: they are few, or one may be known already.
  func states(of files: [String]) -> [FileState?] {
    if remembers || files.count < 2 { return [] }
    return recent.flatMap { $0.states.states(of: files, in: folder.path, at: $0.now) } ?? folder.states(of: files)
  }

  /// The products that exist and have changed since an instant, without their content.
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

  /// The recorded state of a temporary file that is gone, or nil if the file is not temporary.
  func lentStamp(_ path: String, _ lent: LentFiles) -> InputStamp? {
    guard var stamp = lent[FilePath.place(of: path, in: folder.path)] else { return nil }
    stamp.path = path
    return stamp
  }

  /// Adds the temporary files that are gone and match a pattern.
  func adding(_ lent: LentFiles, to paths: [String], _ pattern: String) -> [String] {
    let known = Set(paths.map { ByteName($0) })
    let parsed = FilePattern(pattern)
    let start = folder.path + "/"
    let gone = lent.places.compactMap { place -> String? in
      let path = pattern.hasPrefix("/") || !place.hasPrefix(start) ? place : String(place.dropFirst(start.count))
      return parsed.covers(path) && !known.contains(ByteName(path)) ? path : nil
    }
    return gone.isEmpty ? paths : (paths + gone).sorted()
  }

  /// Whether a product has the state that it had.
  func isAsItWas(_ stamp: InputStamp) -> Bool {
    FileState(ofRegular: folder.status(of: stamp.path)).map { stamp.hasState(of: InputStamp(stamp.path, $0)) } ?? false
  }

  /// A file as it is now; `state` is its state, if that was looked up just before.
  mutating func stamp(_ path: String, known: InputStamp?, state: FileState?) -> InputStamp {
    guard remembers else { return InputStamp(path, in: folder, known: known, state: state) }
    if let stamp = stamps[ByteName(path)] { return stamp }
    let stamp = InputStamp(path, in: folder, known: known)
    stamps[ByteName(path)] = stamp
    return stamp
  }
}
