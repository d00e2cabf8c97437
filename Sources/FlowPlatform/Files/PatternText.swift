/// The syntax of file patterns in workflows: `*`, `?` and `[…]` match characters of a name, `**` matches folders,
/// `{…,…}` contains alternatives, and a leading `!` excludes the matching files.
///
/// A `\` quotes the next character, and so does a NUL, which no name contains. ``quoted(_:)`` uses a NUL for the
/// results of expressions.
package enum PatternText {
  /// The maximum nesting depth of alternatives in braces.
  package static let mostLevels = 4
  /// The maximum number of patterns to which alternatives may expand.
  package static let mostPatterns = 1_000

  /// Returns a pattern that matches only `path`.
  package static func quoted(_ path: String) -> String {
    var path = path
    let needsQuotes = path.withUTF8 { bytes in bytes.first == UInt8(ascii: "!") || bytes.contains(where: isSpecial) }
    guard needsQuotes else { return path }
    var bytes: [UInt8] = []
    for byte in path.utf8 {
      if isSpecial(byte) || bytes.isEmpty && byte == UInt8(ascii: "!") { bytes.append(0) }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the text as users see it, without the characters that ``quoted(_:)`` adds.
  package static func shown(_ text: String) -> String {
    text.utf8.contains(0) ? String(decoding: text.utf8.filter { $0 != 0 }, as: UTF8.self) : text
  }

  /// True if a path that an expression inserted contains a NUL. In the pattern, this is a NUL that another one quotes.
  package static func containsNull(_ text: String) -> Bool {
    var isQuoted = false
    for byte in text.utf8 {
      if byte == 0, isQuoted { return true }
      isQuoted = byte == 0
    }
    return false
  }

  /// True if the pattern excludes the files that it matches.
  package static func isExclusion(_ text: String) -> Bool { text.utf8.first == UInt8(ascii: "!") }

  /// Returns the pattern without a leading `!`.
  package static func withoutMark(_ text: String) -> String { isExclusion(text) ? String(text.dropFirst()) : text }

  /// True if a byte can have a special meaning in a pattern.
  package static func isSpecial(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"),
      UInt8(ascii: "}"), UInt8(ascii: ","), UInt8(ascii: "\\"), 0:
      true
    default: false
    }
  }

  /// Returns the distinct patterns to which a pattern expands. They contain no alternatives and no leading `!`, and NUL
  /// is their only quoting character.
  package static func expanded(_ text: String) throws(PatternProblem) -> [String] {
    var expansion = PatternExpansion(Array(withoutMark(text).utf8))
    var seen: Set<[UInt8]> = []
    return try expansion.all().filter { seen.insert($0).inserted }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the problem with a pattern in which each expression was replaced by `-`, or nil if the pattern is valid.
  package static func problem(of text: String) -> PatternProblem? {
    let text = withoutMark(text)
    if text.isEmpty { return .nothingExcluded }
    if text == "~" || text.hasPrefix("~/") { return .home }
    if let variable = variable(in: Array(text.utf8)) { return .variable(variable) }
    do throws(PatternProblem) {
      for pattern in try expanded(text) {
        for part in pattern.utf8.split(separator: UInt8(ascii: "/")) {
          let part = String(decoding: part, as: UTF8.self)
          try checkFolders(part)
          _ = try NamePattern(checking: part)
        }
      }
      return nil
    } catch {
      return error
    }
  }

  /// Returns the first `$NAME` or `${NAME}` that is not quoted with `\`, or nil if there is none.
  private static func variable(in bytes: [UInt8]) -> String? {
    func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte == UInt8(ascii: "_") }
    func isOfName(_ byte: UInt8) -> Bool { isLetter(byte) || byte >= 0x30 && byte <= 0x39 }
    var position = 0
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "\\") || bytes[position] == 0 {
        position += 2
        continue
      }
      let isBraced = position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "{")
      let start = position + (isBraced ? 2 : 1)
      if bytes[position] == UInt8(ascii: "$"), start < bytes.count, isLetter(bytes[start]) {
        let end = bytes[start...].firstIndex { !isOfName($0) } ?? bytes.count
        if !isBraced || end < bytes.count && bytes[end] == UInt8(ascii: "}") {
          return String(decoding: bytes[position..<(isBraced ? end + 1 : end)], as: UTF8.self)
        }
      }
      position += 1
    }
    return nil
  }

  /// Throws an error if `**` is combined with other characters, where it would mean the same as `*`.
  private static func checkFolders(_ part: String) throws(PatternProblem) {
    guard part != "**" else { return }
    var stars = 0
    var text: [UInt8] = []
    var isJoined = false
    var isQuoted = false
    for byte in part.utf8 {
      stars = byte == UInt8(ascii: "*") && !isQuoted ? stars + 1 : 0
      isQuoted = byte == 0 && !isQuoted
      if stars > 1 { isJoined = true } else { text.append(byte) }
    }
    if isJoined { throw .joinedFolders(shown(part), instead: "**/" + shown(String(decoding: text, as: UTF8.self))) }
  }
}

/// The reason why the text of a file pattern is invalid.
package enum PatternProblem: Error, Hashable {
  case unmatched(String)
  case oneAlternative(String)
  case tooDeep, tooMany
  case wrongRange(String)
  case joinedFolders(String, instead: String)
  case nothingQuoted, nothingExcluded
  case home
  case variable(String)

  /// The message without its subject, which is the pattern.
  package var message: String {
    switch self {
    case .unmatched(let bracket): "has a '\(bracket)' without the bracket that belongs to it"
    case .oneAlternative(let text): "has '\(text)', which is one alternative"
    case .tooDeep: "has braces in braces, more than \(PatternText.mostLevels) levels deep"
    case .tooMany: "stands for more than \(PatternText.mostPatterns) patterns"
    case .wrongRange(let range): "has the range '\(range)', which is empty"
    case .joinedFolders(let part, _): "joins '**' with other characters in '\(part)'"
    case .nothingQuoted: "ends with a '\\' that quotes nothing"
    case .nothingExcluded: "excludes nothing"
    case .home: "begins with '~', which is not replaced by the home folder"
    case .variable(let text): "has '\(text)', and variables of the shell are not replaced here"
    }
  }

  package var help: String {
    switch self {
    case .unmatched(let bracket): "write '\\\(bracket)' for the character itself"
    case .oneAlternative(let text):
      text.firstRange(of: "..") != nil
        ? "list the alternatives, as in '{1,2,3}'" : "write '{a,b}', or '\\{' for the character itself"
    case .tooDeep, .tooMany: "write several patterns"
    case .wrongRange: "write the smaller character first, as in '[a-z]'"
    case .joinedFolders(_, let instead): "'**' stands for folders and is a part of its own: write '\(instead)'"
    case .nothingQuoted: "write '\\\\' for the character itself"
    case .nothingExcluded: "write the files to exclude, as in '!gen/**'"
    case .home: "write the whole path, or read it from an input: '${{ inputs.home }}/…'"
    case .variable(let text):
      "read it from an input, as in '${{ inputs.\(text.lowercased().filter { $0.isLetter || $0 == "_" }) }}', "
        + "or write '\\$' for the character itself"
    }
  }
}

/// Expands a pattern with alternatives to one pattern per combination.
private struct PatternExpansion {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func all() throws(PatternProblem) -> [[UInt8]] { try sequence(level: 0) }

  /// Expands the text up to its end or, inside braces, up to the next comma or the closing brace.
  private mutating func sequence(level: Int) throws(PatternProblem) -> [[UInt8]] {
    var results: [[UInt8]] = [[]]
    func add(_ text: some Collection<UInt8>) { for index in results.indices { results[index] += text } }
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case 0:
        add(bytes[position..<min(position + 2, bytes.count)])
        position += 2
      case UInt8(ascii: "\\"):
        guard position + 1 < bytes.count else { throw .nothingQuoted }
        position += 1
        guard bytes[position] != 0 else { continue }
        add(bytes[position] == UInt8(ascii: "/") ? [bytes[position]] : [0, bytes[position]])
        position += 1
      case UInt8(ascii: "["): add(try characterClass())
      case UInt8(ascii: "]"): throw .unmatched("]")
      case UInt8(ascii: "{"):
        let inner = try alternatives(level: level + 1)
        guard results.count * inner.count <= PatternText.mostPatterns else { throw .tooMany }
        results = results.flatMap { start in inner.map { start + $0 } }
      case UInt8(ascii: "}"):
        guard level > 0 else { throw .unmatched("}") }
        return results
      case UInt8(ascii: ",") where level > 0: return results
      default:
        add([byte])
        position += 1
      }
    }
    if level > 0 { throw .unmatched("{") }
    return results
  }

  private mutating func alternatives(level: Int) throws(PatternProblem) -> [[UInt8]] {
    guard level <= PatternText.mostLevels else { throw .tooDeep }
    let start = position
    var all: [[UInt8]] = []
    var count = 0
    repeat {
      position += 1
      all += try sequence(level: level)
      count += 1
      guard all.count <= PatternText.mostPatterns else { throw .tooMany }
    } while bytes[position] == UInt8(ascii: ",")
    position += 1
    guard count > 1 else {
      throw .oneAlternative(PatternText.shown(String(decoding: bytes[start..<position], as: UTF8.self)))
    }
    return all
  }

  /// Reads a `[…]` and replaces `\` by NUL. A `]` directly after the opening bracket is literal.
  private mutating func characterClass() throws(PatternProblem) -> [UInt8] {
    var text = [bytes[position]]
    position += 1
    if position < bytes.count, NamePattern.isNegation(bytes[position]) {
      text.append(bytes[position])
      position += 1
    }
    var isFirst = true
    while position < bytes.count, bytes[position] != UInt8(ascii: "/") {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\\") || byte == 0 {
        guard position < bytes.count, bytes[position] != UInt8(ascii: "/") else { break }
        if bytes[position] != 0 {
          text += [0, bytes[position]]
          position += 1
        }
      } else {
        text.append(byte)
        if byte == UInt8(ascii: "]"), !isFirst { return text }
      }
      isFirst = false
    }
    throw .unmatched("[")
  }
}
