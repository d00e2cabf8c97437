import FlowModel
import FlowPluginKit
import FlowSystem

/// Finds the files in a folder that match patterns, and the links that lead to them.
struct FileListing {
  /// The absolute path of the folder that is searched.
  let folder: String
  /// The key of the step that contains the patterns, for error messages.
  let key: String
  private var links: [ByteName: String] = [:]
  private var files: [ByteName: FileStatus] = [:]
  private var knownFolders: Set<ByteName> = []

  private struct FileStatus {
    var state: FileState
    var permissions: Int
  }

  /// The maximum number of links in a path that are followed, similar to the system's limit.
  private static let mostLinks = 40

  init(in folder: String, key: String) {
    self.folder = folder
    self.key = key
  }

  /// Returns all matching files and links. `digest` is called with the path and state of each file, after the sizes of
  /// all files have been checked.
  static func entries(
    _ patterns: [String], in folder: String, key: String, digest: (_ path: String, FileState) -> String?
  ) throws(ActionError) -> [TransferEntry] {
    var listing = FileListing(in: folder, key: key)
    let list = FilePatterns(patterns)
    for (index, pattern) in patterns.enumerated() where !PatternText.isExclusion(pattern) {
      try listing.add(FilePattern(pattern)) { list.keeps($0, of: index) }
    }
    var entries: [TransferEntry] = []
    for (name, status) in listing.files.sorted(by: { $0.key < $1.key }) {
      let path = name.text
      guard let digest = digest("\(folder)/\(path)", status.state) else { throw Self.unreadable(path) }
      entries.append(
        TransferEntry(path, .file(bytes: status.state.bytes, digest: digest, permissions: status.permissions)))
    }
    return entries
      + listing.links.sorted { $0.key < $1.key }.map { TransferEntry($0.key.text, .link($0.value)) }
  }

  private static func unreadable(_ path: String) -> ActionError {
    ActionError("file-transfer", "'\(path)' cannot be read: \(SystemError.reason(errno))", isRetryable: true)
  }

  private mutating func add(_ pattern: FilePattern, where isKept: (String) -> Bool) throws(ActionError) {
    for path in pattern.files(in: folder, limit: Limits.watchedFiles) where isKept(path) {
      try add(path, isNamed: !pattern.isOpen)
    }
    guard files.count + links.count <= Limits.watchedFiles else {
      throw ActionError(
        "too-many-files", "'\(key)' matches more than \(Limits.watchedFiles) files; name fewer", isRetryable: false)
    }
  }

  private mutating func add(_ path: String, isNamed: Bool) throws(ActionError) {
    guard let real = try realPath(of: path) else { return }
    if files[ByteName(real)] != nil { return }
    var status = stat()
    guard lstat("\(folder)/\(real)", &status) == 0 else {
      // The name is not valid UTF-8, so its text does not identify the file.
      guard path.unicodeScalars.contains("\u{FFFD}") else { return }
      throw ActionError(
        "file-name", "the name '\(path)' is not UTF-8; rename the file, or match it with none of '\(key)'",
        isRetryable: false)
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR:
      throw ActionError(
        "not-a-file", "'\(key)' names '\(path)', which is a folder; for the files in it write '\(path)/**'",
        isRetryable: false)
    default: throw ActionError("not-a-file", "'\(path)' is not a regular file", isRetryable: false)
    }
    let state = FileState(status)
    guard state.bytes <= TransferEntry.mostBytes else {
      throw ActionError(
        "file-too-large", "'\(path)' has \(state.bytes) bytes; files of at most 1 GiB travel to workers",
        isRetryable: false)
    }
    files[ByteName(real)] = FileStatus(state: state, permissions: Int(status.st_mode & 0o777))
  }

  /// Returns the path with all links resolved, and records the links. Returns nil for the folder itself, or if a link
  /// cannot be resolved. Throws an error if the path leaves the folder.
  mutating func realPath(of path: String) throws(ActionError) -> String? {
    if FilePath.isAbsolute(path) { throw .outside(path, "is an absolute path") }
    var real: [String] = []
    var rest = path.pathParts[...]
    var count = 0
    while let part = rest.popFirst() {
      if part == "." { continue }
      if part == ".." {
        guard real.popLast() != nil else { throw .outside(path, "leads upwards") }
        continue
      }
      let here = (real + [part]).joined(separator: "/")
      if knownFolders.contains(ByteName(here)) {
        real.append(part)
        continue
      }
      var status = stat()
      let isThere = lstat("\(folder)/\(here)", &status) == 0
      guard isThere, status.st_mode & S_IFMT == S_IFLNK else {
        real.append(part)
        if isThere, status.st_mode & S_IFMT == S_IFDIR { knownFolders.insert(ByteName(here)) }
        continue
      }
      count += 1
      guard count <= Self.mostLinks, let target = Self.text(ofLink: "\(folder)/\(here)") else { return nil }
      guard TransferEntry.leadsInside(target, from: here) else { throw .outside(here, "is a link to '\(target)'") }
      links[ByteName(here)] = target
      rest = target.pathParts + rest
    }
    return real.isEmpty ? nil : real.joined(separator: "/")
  }

  private static func text(ofLink path: String) -> String? {
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
      let length = buffer.withMemoryRebound(to: CChar.self) { readlink(path, $0.baseAddress!, $0.count) }
      count = max(0, length)
    }
    return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
  }
}
