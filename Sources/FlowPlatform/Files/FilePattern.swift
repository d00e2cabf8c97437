/// A pattern of files: `*`, `?` and `[…]` match characters of a name, `**` any number of folders, `{…,…}` alternatives.
/// ``PatternText`` describes the syntax.
///
/// Only a part that begins with a dot matches names that begin with one.
package struct FilePattern: Sendable {
  /// True if it excludes files of earlier patterns.
  package let isExclusion: Bool
  let alternatives: [PathPattern]

  /// Creates the pattern of a text. An invalid pattern is used as a path.
  package init(_ text: String) {
    isExclusion = PatternText.isExclusion(text)
    let texts = (try? PatternText.expanded(text)) ?? [PatternText.quoted(PatternText.withoutMark(text))]
    alternatives = texts.map { PathPattern($0) }
  }

  /// The text itself if it is a path that needs no parsing or normalization, or nil if it may contain special
  /// characters, `.`, `..` or redundant slashes. Most patterns are plain paths.
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

  /// True if the pattern may match several paths, and false if it is a single path.
  package var isOpen: Bool { alternatives.count > 1 || alternatives.contains(where: \.isOpen) }

  /// The alternatives without `.`, and without `..` after a folder's name. Patterns for the same file have the same
  /// result.
  package var normalized: [String] { alternatives.map(\.normalized) }

  /// The folders that contain all matching files. An empty path is the folder in which the search starts.
  package var folders: [String] { alternatives.map(\.folder) }

  /// True if the pattern matches a path without `.` and `..`.
  package func covers(_ path: String) -> Bool { alternatives.contains { $0.covers(path) } }

  /// Files that match a pattern.
  package struct Found: Sendable {
    /// Their paths, sorted.
    package var paths: [String]
    /// Links that match but have no target.
    package var danglingLinks: [String]

    package init(paths: [String], danglingLinks: [String] = []) {
      self.paths = paths
      self.danglingLinks = danglingLinks
    }
  }

  /// Finds the matching files. The paths are relative to `folder`, unless the pattern is absolute. Unreadable folders
  /// are skipped. If the pattern is a single path, that path is returned, whether it exists or not.
  ///
  /// - Parameter limit: the maximum number of files. If there are more, `limit` + 1 of them are returned, in any order.
  package func find(in folder: String, limit: Int = .max) -> Found {
    if !isOpen { return Found(paths: [alternatives[0].path]) }
    var search = FileSearch(limit: limit, mayRepeat: alternatives.count > 1)
    for alternative in alternatives { search.add(alternative, in: folder) }
    return search.found
  }

  /// The paths found by ``find(in:limit:)``.
  package func files(in folder: String, limit: Int = .max) -> [String] { find(in: folder, limit: limit).paths }
}

/// One alternative of a pattern of files.
struct PathPattern: Sendable, Hashable {
  let parts: [NamePattern]
  let isAbsolute: Bool

  init(_ text: String) {
    parts = FilePath.parts(of: text).filter { $0 != "." }.map { NamePattern(String($0)) }
    isAbsolute = FilePath.isAbsolute(text)
  }

  var isOpen: Bool { parts.contains { $0.name == nil } }

  /// The path, unless the pattern is open.
  var path: String { joined(parts) }

  /// The path without `..` after a folder's name.
  var normalized: String { joined(tidy) }

  /// The parts without `..` after a folder's name.
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
