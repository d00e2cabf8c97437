/// A pattern of files: `*`, `?` and `[…]` stand for characters of a name, `**` for any number of folders, `{…,…}` for alternatives.
/// ``PatternText`` has the rules of its text.
///
/// A name that begins with a dot matches only a part that does.
package struct FilePattern: Sendable {
  /// Whether it excludes files of the patterns before it.
  package let isExclusion: Bool
  let alternatives: [PathPattern]

  /// The pattern that a text contains. A text that is not a pattern is a path.
  package init(_ text: String) {
    isExclusion = PatternText.isExclusion(text)
    let texts = (try? PatternText.expanded(text)) ?? [PatternText.quoted(PatternText.withoutMark(text))]
    alternatives = texts.map { PathPattern($0) }
  }

  /// The path that a text contains if none of its characters has a meaning and it needs no tidying; nil if it may have. Most are
  /// like that.
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

  /// Whether it may match several paths. Otherwise it is a path.
  package var isOpen: Bool { alternatives.count > 1 || alternatives.contains(where: \.isOpen) }

  /// The alternatives without `.`, and without `..` after the name of a folder: two that mean the same file are equal.
  package var normalized: [String] { alternatives.map(\.normalized) }

  /// The folders below which all files are that the pattern means; an empty one is that from which it is named.
  package var folders: [String] { alternatives.map(\.folder) }

  /// Whether a path, without `.` and `..`, is one that the pattern means.
  package func covers(_ path: String) -> Bool { alternatives.contains { $0.covers(path) } }

  /// Files that match a pattern.
  package struct Found: Sendable {
    /// Their paths, sorted.
    package var paths: [String]
    /// Links that match, but lead to nothing.
    package var danglingLinks: [String]

    /// Files and links.
    package init(paths: [String], danglingLinks: [String] = []) {
      self.paths = paths
      self.danglingLinks = danglingLinks
    }
  }

  /// The files that match, as paths below `folder` (absolute ones unchanged); what cannot be read has none. A pattern that is a
  /// path gives that path, whether it is there or not.
  ///
  /// - Parameter limit: if there are more, this many and one are found, whichever come first.
  package func find(in folder: String, limit: Int = .max) -> Found {
    if !isOpen { return Found(paths: [alternatives[0].path]) }
    var search = FileSearch(limit: limit, mayRepeat: alternatives.count > 1)
    for alternative in alternatives { search.add(alternative, in: folder) }
    return search.found
  }

  /// The paths that ``find(in:limit:)`` gives.
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

  /// The path that it is, unless it is open.
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
