/// A pattern for the paths of files: `*`, `?` and `[…]` match characters of a name, `**` matches any number of folders,
/// and `{…,…}` contains alternatives. ``PatternText`` describes the syntax.
///
/// A name that starts with a dot is matched only by a part that also starts with one.
package struct FilePattern: Sendable {
  /// True if the pattern excludes files that earlier patterns match.
  package let isExclusion: Bool
  let alternatives: [PathPattern]

  /// Creates a pattern from its text. An invalid pattern matches only the path equal to its text.
  package init(_ text: String) {
    isExclusion = PatternText.isExclusion(text)
    let texts = (try? PatternText.expanded(text)) ?? [PatternText.quoted(PatternText.withoutMark(text))]
    alternatives = texts.map { PathPattern($0) }
  }

  /// Returns the text itself if it is a path that needs no parsing or normalization. Returns nil if it may contain
  /// special characters, `.`, `..` or redundant slashes. Most patterns are plain paths.
  package static func plainPath(_ text: String) -> String? {
    var (before, isPlain) = (UInt8(ascii: "/"), !text.isEmpty)
    var copy = text
    copy.withUTF8 { bytes in
      if bytes.first == UInt8(ascii: "!") { isPlain = false }
      for (index, byte) in bytes.enumerated() {
        switch byte {
        case UInt8(ascii: "."): if before == UInt8(ascii: "/") { isPlain = false }
        case UInt8(ascii: "/"): if index > 0, before == UInt8(ascii: "/") { isPlain = false }
        default: if PatternText.isSpecial(byte) { isPlain = false }
        }
        before = byte
      }
    }
    return isPlain && before != UInt8(ascii: "/") ? text : nil
  }

  /// True if the pattern may match several paths, false if it is a single path.
  package var isOpen: Bool { alternatives.count > 1 || alternatives.contains(where: \.isOpen) }

  /// The alternatives without `.`, and without `..` after the name of a folder. Equivalent patterns have equal results.
  package var normalized: [String] { alternatives.map(\.normalized) }

  /// For each alternative, the deepest folder that contains all matching files. An empty path stands for the folder in
  /// which the search starts.
  package var folders: [String] { alternatives.map(\.folder) }

  /// True if the pattern matches a path. The path must not contain `.` or `..`.
  package func covers(_ path: String) -> Bool { alternatives.contains { $0.covers(path) } }

  /// The files that match a pattern.
  package struct Found: Sendable {
    /// The paths of the files in ascending order.
    package var paths: [String]
    /// The matching links whose target does not exist.
    package var danglingLinks: [String]

    package init(paths: [String], danglingLinks: [String] = []) {
      self.paths = paths
      self.danglingLinks = danglingLinks
    }
  }

  /// Finds the matching files. The paths are relative to `folder`, unless the pattern is absolute. Unreadable folders
  /// are skipped. If the pattern is a single path, that path is returned, whether it exists or not.
  ///
  /// - Parameter limit: The maximum number of files. If there are more, `limit` + 1 of them are returned, in any order.
  package func find(in folder: String, limit: Int = .max) -> Found {
    if !isOpen { return Found(paths: [alternatives[0].path]) }
    var search = FileSearch(limit: limit, mayRepeat: alternatives.count > 1)
    for alternative in alternatives { search.add(alternative, in: folder) }
    return search.found
  }

  /// Returns only the paths that ``find(in:limit:)`` finds.
  package func files(in folder: String, limit: Int = .max) -> [String] { find(in: folder, limit: limit).paths }
}

/// One alternative of a file pattern, split into the parts between slashes.
struct PathPattern: Sendable, Hashable {
  let parts: [NamePattern]
  let isAbsolute: Bool

  init(_ text: String) {
    parts = FilePath.parts(of: text).filter { $0 != "." }.map { NamePattern(String($0)) }
    isAbsolute = FilePath.isAbsolute(text)
  }

  var isOpen: Bool { parts.contains { $0.name == nil } }

  /// The path, if the alternative matches only one path.
  var path: String { joined(parts) }

  /// The path without `..` after the name of a folder.
  var normalized: String { joined(tidy) }

  /// The parts without `..` after the name of a folder.
  var tidy: [NamePattern] {
    var kept: [NamePattern] = []
    for part in parts {
      if part.text == "..", let last = kept.last, last.text != "..", !last.isFolders {
        kept.removeLast()
      } else {
        kept.append(part)
      }
    }
    return kept
  }

  var folder: String {
    let fixed = parts.prefix { $0.name != nil }
    return joined(fixed.count == parts.count ? fixed.dropLast() : fixed)
  }

  private func joined(_ parts: some Collection<NamePattern>) -> String {
    (isAbsolute ? "/" : "") + parts.map { $0.name ?? $0.text }.joined(separator: "/")
  }

  func covers(_ path: String) -> Bool {
    guard FilePath.isAbsolute(path) == isAbsolute else { return false }
    return Self.covers(FilePath.parts(of: path).map { Array($0.utf8) }[...], tidy[...])
  }

  private static func covers(_ names: ArraySlice<[UInt8]>, _ parts: ArraySlice<NamePattern>) -> Bool {
    guard let part = parts.first else { return names.isEmpty }
    guard part.isFolders else {
      guard let name = names.first, name.withUnsafeBytes({ part.matches($0) }) else { return false }
      return covers(names.dropFirst(), parts.dropFirst())
    }
    var rest = names
    while true {
      if covers(rest, parts.dropFirst()) { return true }
      guard let name = rest.first, name.first != UInt8(ascii: ".") else { break }
      rest = rest.dropFirst()
    }
    return false
  }
}
