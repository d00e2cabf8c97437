/// Finds shell syntax that `bash` supports but `sh` does not.
///
/// Parses a command as a shell does, but skips everything inside quotes.
struct ShellForms {
  struct Form: Equatable {
    /// The name of the syntax in messages, such as `[[`.
    var name: String
    var offset: Int
    var length: Int
  }

  private let bytes: [UInt8]
  private var position = 0
  /// True if the next word is the name of a command.
  private var isAtCommand = true
  /// True if the previous word is `for`.
  private var isAfterFor = false
  /// True if a word begins at the current position.
  private var isAtWord = true
  /// The number of parentheses that are currently open.
  private var depth = 0
  /// The here-documents that begin on the next line, each with the word that ends it.
  private var documents: [(end: [UInt8], hasTabs: Bool)] = []
  private var found: Form?
  /// The number of enclosing `$(…)`. At a level above 0, a closing parenthesis without an opening one ends the command.
  private let level: Int
  /// The number of open `case` commands, whose patterns end with a parenthesis.
  private var cases = 0

  /// Commands that `bash` has and `sh` does not.
  private static let words: Set<String> = [
    "[[", "function", "source", "declare", "typeset", "shopt", "mapfile", "readarray", "pushd", "popd", "let",
    "select", "coproc",
  ]
  /// Words after which another command begins.
  private static let keywords: Set<String> = ["if", "then", "else", "elif", "while", "until", "do", "!", "{", "time"]

  /// The maximum nesting of `$(…)`. If it is exceeded, the rest of the text is skipped.
  private static let mostLevels = 50

  private init(_ bytes: [UInt8], from position: Int = 0, level: Int = 0) {
    self.bytes = bytes
    self.position = position
    self.level = level
  }

  /// Returns the first syntax in the command that `sh` does not support, or nil.
  static func first(in text: [UInt8]) -> Form? {
    var reader = ShellForms(text)
    reader.read()
    return reader.found
  }

  /// Returns the program named in the first line, such as `bash` in `#!/usr/bin/env bash`, or nil.
  static func interpreter(in text: [UInt8]) -> String? {
    guard text.starts(with: "#!".utf8) else { return nil }
    let line = String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }.dropFirst(2), as: UTF8.self)
    var words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }[...]
    func name(_ word: Substring) -> String { word.split(separator: "/").last.map(String.init) ?? String(word) }
    if let first = words.first, name(first) == "env" {
      words = words.dropFirst().drop { $0.hasPrefix("-") || $0.utf8.contains(UInt8(ascii: "=")) }
    }
    return words.first.map(name)
  }

  private func byte(_ distance: Int = 0) -> UInt8 {
    position + distance < bytes.count ? bytes[position + distance] : 0
  }

  private func isNext(_ text: StaticString) -> Bool {
    guard position + text.utf8CodeUnitCount <= bytes.count else { return false }
    for index in 0..<text.utf8CodeUnitCount where bytes[position + index] != text.utf8Start[index] { return false }
    return true
  }

  private mutating func record(_ name: String, _ offset: Int, _ length: Int) {
    if found == nil { found = Form(name: name, offset: offset, length: length) }
  }

  private mutating func read() {
    while position < bytes.count, found == nil {
      switch byte() {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
        position += 1
        isAtWord = true
      case UInt8(ascii: "\n"):
        position += 1
        skipDocuments()
        beginCommand()
      case UInt8(ascii: "#") where isAtWord:
        while position < bytes.count, byte() != UInt8(ascii: "\n") { position += 1 }
      case UInt8(ascii: ";"), UInt8(ascii: "|"):
        if isNext("|&") { record("|&", position, 2) }
        position += 1
        beginCommand()
      case UInt8(ascii: "&"):
        if byte(1) == UInt8(ascii: ">") { record("&>", position, 2) }
        position += 1
        beginCommand()
      case UInt8(ascii: "("): readParenthesis()
      case UInt8(ascii: ")"):
        if level > 0, depth == 0, cases == 0 { return }
        position += 1
        // A closing parenthesis without an opening one ends a pattern of `case`.
        isAtCommand = depth == 0
        isAtWord = depth == 0
        depth = max(0, depth - 1)
      case UInt8(ascii: "<"), UInt8(ascii: ">"): readRedirection()
      default: readWord()
      }
    }
  }

  private mutating func beginCommand() { (isAtCommand, isAtWord) = (true, true) }

  private mutating func readParenthesis() {
    if isAtCommand, isAtWord, byte(1) == UInt8(ascii: "(") { return record(isAfterFor ? "for ((" : "((", position, 2) }
    position += 1
    depth += 1
    beginCommand()
  }

  private mutating func readRedirection() {
    if byte(1) == UInt8(ascii: "(") { return record(byte() == UInt8(ascii: "<") ? "<(" : ">(", position, 2) }
    if isNext("<<<") { return record("<<<", position, 3) }
    if isNext("<<") {
      position += 2
      let hasTabs = byte() == UInt8(ascii: "-")
      if hasTabs { position += 1 }
      while byte() == UInt8(ascii: " ") || byte() == UInt8(ascii: "\t") { position += 1 }
      let start = position
      skipWord()
      let end = bytes[start..<position].filter { !"'\"\\".utf8.contains($0) }
      documents.append((Array(end), hasTabs))
      isAtWord = true
      return
    }
    position += 1
    if byte() == UInt8(ascii: "&") || byte() == UInt8(ascii: ">") || byte() == UInt8(ascii: "|") { position += 1 }
    while byte() == UInt8(ascii: " ") || byte() == UInt8(ascii: "\t") { position += 1 }
    // The word after a redirection is a file. A command name may follow it.
    skipWord()
    isAtWord = true
  }

  private mutating func readWord() {
    let start = position
    skipWord()
    defer { isAtWord = false }
    guard isAtCommand, isAtWord else { return }
    let word = bytes[start..<position]
    if let name = Self.assignedName(word) {
      if name.isElement { return record("\(name.text)[…]=", start, word.count) }
      if byte() == UInt8(ascii: "("), name.isEmpty { return record("\(name.text)=(…)", start, word.count + 1) }
      if name.isAddition { return record("\(name.text)+=", start, name.text.utf8.count + 2) }
      return
    }
    let text = String(decoding: word, as: UTF8.self)
    if Self.words.contains(text) { return record(text, start, word.count) }
    if text == "set", restOfCommand().contains("pipefail") { return record("set -o pipefail", start, word.count) }
    if text == "case" { cases += 1 }
    if text == "esac" { cases = max(0, cases - 1) }
    if text == "[" || text == "test", let comparison = doubleEqual() {
      return record(text == "[" ? "[ … == … ]" : "test … == …", comparison, 2)
    }
    isAfterFor = text == "for"
    isAtCommand = Self.keywords.contains(text) || isAfterFor && restOfCommand().first?.hasPrefix("((") == true
  }

  /// Returns the offset of a `==` among the words of `[` or `test`, or nil if there is none. Some shells support only
  /// `=`; for them, `==` is an error that makes the condition false. A `==` in quotes or parentheses does not count.
  private func doubleEqual() -> Int? {
    var quote: UInt8?
    var depth = 0
    var at = position
    func isBlank(_ at: Int) -> Bool { at >= bytes.count || " \t".utf8.contains(bytes[at]) }
    while at < bytes.count {
      let byte = bytes[at]
      if quote != UInt8(ascii: "'"), byte == UInt8(ascii: "(") { depth += 1 }
      if quote != UInt8(ascii: "'"), byte == UInt8(ascii: ")") { depth -= 1 }
      if byte == UInt8(ascii: "\\"), quote != UInt8(ascii: "'") {
        at += 1
      } else if quote != nil {
        if byte == quote { quote = nil }
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        quote = byte
      } else if depth == 0 {
        if "\n;&|".utf8.contains(byte) || byte == UInt8(ascii: "]") && isBlank(at - 1) { return nil }
        if bytes[at...].starts(with: "==".utf8), isBlank(at - 1), isBlank(at + 2) { return at }
      }
      at += 1
    }
    return nil
  }

  private func restOfCommand() -> [Substring] {
    let rest = bytes[position...].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: ";") }
    return String(decoding: rest, as: UTF8.self).split(separator: " ")
  }

  /// Returns the variable that a word such as `a=1` or `a[0]=1` assigns to, or nil if the word is not an assignment.
  private static func assignedName(_ word: ArraySlice<UInt8>) -> (
    text: String, isElement: Bool, isEmpty: Bool, isAddition: Bool
  )? {
    let name = word.prefix {
      $0 == UInt8(ascii: "_") || $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z")
        || $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")
    }
    guard let first = name.first, first > UInt8(ascii: "9") else { return nil }
    var rest = word.dropFirst(name.count)
    let isElement = rest.first == UInt8(ascii: "[")
    if isElement {
      guard let close = rest.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      rest = rest[(close + 1)...]
    }
    let isAddition = rest.first == UInt8(ascii: "+")
    if isAddition { rest = rest.dropFirst() }
    guard rest.first == UInt8(ascii: "=") else { return nil }
    return (String(decoding: name, as: UTF8.self), isElement, rest.count == 1, isAddition)
  }

  /// Skips a word including its quoted parts. An unclosed quote or a backslash at the end extends to the end of the
  /// text.
  private mutating func skipWord() {
    defer { position = min(position, bytes.count) }
    while position < bytes.count {
      switch byte() {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: ";"),
        UInt8(ascii: "|"), UInt8(ascii: "&"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "<"),
        UInt8(ascii: ">"):
        return
      case UInt8(ascii: "\\"): position += 2
      case UInt8(ascii: "'"): skip(to: UInt8(ascii: "'"))
      case UInt8(ascii: "\""): skipQuoted()
      case UInt8(ascii: "`"): skip(to: UInt8(ascii: "`"))
      case UInt8(ascii: "$"): skipExpansion()
      default: position += 1
      }
    }
  }

  private mutating func skip(to end: UInt8) {
    position += 1
    while position < bytes.count, byte() != end { position += 1 }
    position += 1
  }

  private mutating func skipQuoted() {
    position += 1
    while position < bytes.count, byte() != UInt8(ascii: "\"") {
      switch byte() {
      case UInt8(ascii: "\\"): position += 2
      case UInt8(ascii: "$"): skipExpansion()
      default: position += 1
      }
    }
    position += 1
  }

  /// Skips `$(…)`, `$((…))` or `${…}`, or only the `$` before the name of a variable. Records the first unsupported
  /// syntax in `$(…)`.
  private mutating func skipExpansion() {
    position += 1
    let open = byte()
    if isNext("("), byte(1) != UInt8(ascii: "(") {
      guard level < Self.mostLevels else {
        position = bytes.count
        return
      }
      var inner = ShellForms(bytes, from: position + 1, level: level + 1)
      inner.read()
      if let form = inner.found { record(form.name, form.offset, form.length) }
      position = inner.position + 1
      return
    }
    guard open == UInt8(ascii: "(") || open == UInt8(ascii: "{") else { return }
    let close = open == UInt8(ascii: "(") ? UInt8(ascii: ")") : UInt8(ascii: "}")
    var depth = 0
    while position < bytes.count {
      switch byte() {
      case open:
        depth += 1
        position += 1
      case close:
        depth -= 1
        position += 1
        if depth == 0 { return }
      case UInt8(ascii: "\\"): position += 2
      case UInt8(ascii: "'") where open == UInt8(ascii: "("): skip(to: UInt8(ascii: "'"))
      case UInt8(ascii: "\""): skipQuoted()
      default: position += 1
      }
    }
  }

  private mutating func skipDocuments() {
    for document in documents {
      while position < bytes.count {
        let line = bytes[position...].prefix { $0 != UInt8(ascii: "\n") }
        position += line.count + 1
        let text = document.hasTabs ? line.drop { $0 == UInt8(ascii: "\t") } : line
        if text.elementsEqual(document.end) { break }
      }
    }
    documents = []
  }
}
