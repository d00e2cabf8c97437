/// A path in which `*` and `?` stand for characters of a name and `**` for folders, any number of them.
///
/// What begins with a dot is meant only where the pattern says the dot. A `*` or `?` after a NUL character, which no name has,
/// stands for itself.
package struct FilePattern: Sendable {
  private let parts: [String]
  private let isAbsolute: Bool

  /// How deep folders are looked into.
  private static let depth = 64

  /// A path in which each `*` and `?` stands for itself.
  package static func quoted(_ path: String) -> String {
    guard isOpen(path) else { return path }
    var text = ""
    for character in path.unicodeScalars {
      if character == "*" || character == "?" { text.unicodeScalars.append("\0") }
      text.unicodeScalars.append(character)
    }
    return text
  }

  /// The path that a text states which has neither a `*` nor a `?` and needs no tidying; nil: it may have. Most are like that.
  package static func plainPath(_ text: String) -> String? {
    var (before, isPlain) = (UInt8(ascii: "/"), !text.isEmpty)
    var copy = text
    copy.withUTF8 { bytes in
      for (index, byte) in bytes.enumerated() {
        switch byte {
        case UInt8(ascii: "*"), UInt8(ascii: "?"), 0: isPlain = false
        case UInt8(ascii: "."): if before == UInt8(ascii: "/") { isPlain = false }
        case UInt8(ascii: "/"): if index > 0, before == UInt8(ascii: "/") { isPlain = false }
        default: break
        }
        before = byte
      }
    }
    return isPlain && before != UInt8(ascii: "/") ? text : nil
  }

  /// The pattern without `.`, and without `..` after the name of a folder: two that mean the same file are equal.
  package var normalized: String {
    var kept: [String] = []
    for part in parts {
      if part == "..", let last = kept.last, last != "..", last != "**" { kept.removeLast() } else { kept.append(part) }
    }
    return (isAbsolute ? "/" : "") + kept.joined(separator: "/")
  }

  /// The pattern that a text states.
  package init(_ text: String) {
    parts = text.split(separator: "/").map(String.init).filter { $0 != "." }
    isAbsolute = text.hasPrefix("/")
  }

  /// The files that fit, as paths below `folder` (absolute ones as they are), sorted; what cannot be read has none. Without a
  /// `*` or `?` the path itself, whether it is there or not.
  ///
  /// - Parameter limit: where there are more, this many and one are named, whichever come first.
  package func files(in folder: String, limit: Int = .max) -> [String] {
    guard isOpen else {
      return [(isAbsolute ? "/" : "") + parts.map(Self.unquoted).joined(separator: "/")]
    }
    var found = Found(limit: limit, seen: parts.count { $0 == "**" } > 1 ? [] : nil)
    look(parts[...], isAbsolute ? "" : nil, in: isAbsolute ? "" : folder, 0, &found)
    return found.paths.sorted()
  }

  /// The folder below which everything is that the pattern means; empty: that from which it is named.
  package var folder: String {
    let fixed = parts.prefix { !Self.isOpen($0) }
    return (isAbsolute ? "/" : "")
      + (fixed.count == parts.count ? fixed.dropLast() : fixed).map(Self.unquoted).joined(separator: "/")
  }

  /// Whether a path, without `.` and `..`, is one that the pattern means.
  package func covers(_ path: String) -> Bool {
    guard path.hasPrefix("/") == isAbsolute else { return false }
    return Self.covers(path.split(separator: "/").map { Array($0.utf8) }[...], parts[...])
  }

  private static func covers(_ names: ArraySlice<[UInt8]>, _ parts: ArraySlice<String>) -> Bool {
    guard let part = parts.first else { return names.isEmpty }
    guard part == "**" else {
      guard let name = names.first, name.withUnsafeBytes({ fits($0, part) }) else { return false }
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

  private struct Found {
    private(set) var paths: [String] = []
    let limit: Int
    /// The paths again, where a pattern may come upon one twice.
    var seen: Set<String>?
    var isFull: Bool { paths.count > limit }

    init(limit: Int, seen: Set<String>?) {
      self.limit = limit
      self.seen = seen
    }

    mutating func add(_ path: String) {
      if seen?.insert(path).inserted != false { paths.append(path) }
    }
  }

  /// Whether it has a `*` or `?` that stands for others.
  package var isOpen: Bool { parts.contains(where: Self.isOpen) }

  private static func isOpen(_ part: String) -> Bool {
    var before: UInt8 = 1
    for byte in part.utf8 {
      if byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?"), before != 0 { return true }
      before = byte
    }
    return false
  }

  private static func unquoted(_ part: String) -> String {
    part.utf8.contains(0) ? String(String.UnicodeScalarView(part.unicodeScalars.filter { $0.value != 0 })) : part
  }

  /// `path` is the way so far, nil at the beginning.
  private func look(
    _ rest: ArraySlice<String>, _ path: String?, in folder: String, _ depth: Int, _ found: inout Found
  ) {
    guard let part = rest.first, depth <= Self.depth, !found.isFull else { return }
    func joined(_ name: String) -> String { path.map { "\($0)/\(name)" } ?? name }
    if part == "**" { look(rest.dropFirst(), path, in: folder, depth, &found) }
    guard Self.isOpen(part) else {
      let part = Self.unquoted(part)
      let place = "\(folder)/\(part)"
      if rest.count > 1 {
        if part == ".." || FilePath.isFolder(place) {
          look(rest.dropFirst(), joined(part), in: place, depth + 1, &found)
        }
      } else if FilePath.isFile(place) {
        found.add(joined(part))
      }
      return
    }
    for entry in Self.entries(of: folder, fitting: part) where !found.isFull {
      let place = "\(folder)/\(entry.name)"
      if entry.isFolder ?? FilePath.isFolder(place) {
        if rest.count > 1 || part == "**" {
          look(part == "**" ? rest : rest.dropFirst(), joined(entry.name), in: place, depth + 1, &found)
        }
      } else if rest.count == 1 {
        found.add(joined(entry.name))
      }
    }
  }

  private struct FolderItem {
    var name: String
    /// Nil where the system does not say.
    var isFolder: Bool?
  }

  /// What is in a folder and fits a part of a pattern: after `**` all but what begins with a dot.
  private static func entries(of folder: String, fitting part: String) -> [FolderItem] {
    guard let stream = opendir(folder.isEmpty ? "/" : folder) else { return [] }
    defer { closedir(stream) }
    let part = part == "**" ? "*" : part
    var entries: [FolderItem] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes -> String? in
        let name = UnsafeRawBufferPointer(rebasing: bytes.prefix { $0 != 0 })
        return fits(name, part) ? String(decoding: name, as: UTF8.self) : nil
      }
      guard let name, name != ".", name != ".." else { continue }
      let type = Int(entry.pointee.d_type)
      entries.append(FolderItem(name: name, isFolder: type == Int(DT_DIR) ? true : type == Int(DT_REG) ? false : nil))
    }
    return entries
  }

  private static func fits(_ name: UnsafeRawBufferPointer, _ pattern: String) -> Bool {
    var pattern = pattern
    return pattern.withUTF8 { pattern in
      let dot = UInt8(ascii: ".")
      return (name.first != dot || pattern.first == dot) && matches(name[...], UnsafeRawBufferPointer(pattern)[...])
    }
  }

  /// Goes back to the last `*` where what follows it does not fit: never more than name times pattern.
  private static func matches(
    _ name: Slice<UnsafeRawBufferPointer>, _ pattern: Slice<UnsafeRawBufferPointer>
  ) -> Bool {
    var (name, pattern) = (name, pattern)
    var retry: (name: Slice<UnsafeRawBufferPointer>, pattern: Slice<UnsafeRawBufferPointer>)?
    while let byte = name.first {
      if pattern.first == UInt8(ascii: "*") {
        pattern = pattern.dropFirst()
        retry = (name, pattern)
      } else if pattern.first == 0, pattern.dropFirst().first == byte {
        name = name.dropFirst()
        pattern = pattern.dropFirst(2)
      } else if pattern.first == byte || pattern.first == UInt8(ascii: "?") {
        name = name.dropFirst()
        pattern = pattern.dropFirst()
      } else if let last = retry {
        retry = (last.name.dropFirst(), last.pattern)
        (name, pattern) = (last.name.dropFirst(), last.pattern)
      } else {
        return false
      }
    }
    return pattern.allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
