import FlowModel
import FlowPlatform

/// Looks up files for the check of a step. For a fan-out it caches them, because items often read the same files.
struct FileMemo {
  private let folder: OpenFolder
  /// True if the results are cached.
  private let remembers: Bool
  private var paths: [ByteName: FilePattern.Found] = [:]
  private var stamps: [ByteName: InputStamp] = [:]
  /// The states of files that were read a moment ago, and the current time, or nil if there are none. See
  /// ``RecentStates``.
  var recent: (states: RecentStates, now: Int)?

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - folder: The folder that paths are relative to.
  ///   - remembers: True to cache the results, because the same files may be looked up again.
  init(in folder: String, remembers: Bool) {
    self.folder = OpenFolder(folder)
    self.remembers = remembers
  }

  /// The files that were looked up. Nil if one of them was found by a pattern, which may match other files next time.
  var files: [InputStamp]? { paths.isEmpty ? Array(stamps.values) : nil }

  /// Returns the files that match a pattern, and whether the pattern is a plain path.
  mutating func files(_ pattern: String, limit: Int) -> (found: FilePattern.Found, isPath: Bool) {
    if let path = FilePattern.plainPath(pattern) { return (FilePattern.Found(paths: [path]), true) }
    if let known = paths[ByteName(pattern)] { return (known, false) }
    let parsed = FilePattern(pattern)
    let found = parsed.find(in: folder.path, limit: limit)
    if remembers, parsed.isOpen { paths[ByteName(pattern)] = found }
    return (found, !parsed.isOpen)
  }

  /// True if a file or folder exists at the path.
  func exists(_ path: String) -> Bool { folder.status(of: path) != nil }

  /// Returns the first exclusion in the list that names a folder, or nil if there is none. Such an exclusion excludes
  /// no file.
  func excludedFolder(_ list: FilePatterns) -> String? { list.excludedFolder(in: folder.path) }

  /// Looks up the states of many files together. Returns an empty array if there are too few files for that, or if
  /// results are cached.
  func states(of files: [String]) -> [FileState?] {
    if remembers || files.count < 2 { return [] }
    return recent.flatMap { $0.states.states(of: files, in: folder.path, at: $0.now) } ?? folder.states(of: files)
  }

  /// Returns the existing products that have changed since the given time, without reading their content.
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

  /// Returns the recorded state of a removed temporary file, or nil if `lent` does not contain the file.
  func lentStamp(_ path: String, _ lent: LentFiles) -> InputStamp? {
    guard var stamp = lent[FilePath.place(of: path, in: folder.path)] else { return nil }
    stamp.path = path
    return stamp
  }

  /// Returns `paths` plus the removed temporary files that match the pattern.
  func adding(_ lent: LentFiles, to paths: [String], _ pattern: String) -> [String] {
    let known = Set(paths.map { ByteName($0) })
    let parsed = FilePattern(pattern)
    let gone = lent.places.compactMap { place -> String? in
      let path = FilePath.isAbsolute(pattern) ? place : FilePath.path(of: place, below: folder.path) ?? place
      return parsed.covers(path) && !known.contains(ByteName(path)) ? path : nil
    }
    return gone.isEmpty ? paths : (paths + gone).sorted()
  }

  /// True if the file is in its recorded state.
  func isAsItWas(_ stamp: InputStamp) -> Bool {
    FileState(ofRegular: folder.status(of: stamp.path)).map { stamp.hasState(of: InputStamp(stamp.path, $0)) } ?? false
  }

  /// Returns the current state of a file. `state` is the file's state if it was read a moment ago, otherwise nil.
  mutating func stamp(_ path: String, known: InputStamp?, state: FileState?) -> InputStamp {
    guard remembers else { return InputStamp(path, in: folder, known: known, state: state) }
    if let stamp = stamps[ByteName(path)] { return stamp }
    let stamp = InputStamp(path, in: folder, known: known)
    stamps[ByteName(path)] = stamp
    return stamp
  }
}
