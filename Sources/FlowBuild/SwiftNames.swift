/// Converts the names in a workflow to Swift names, such as `map.first-use` to `mapFirstUse`.
enum SwiftNames {
  /// Returns a unique Swift name for each of `names`, in order. Names that would become equal keep their separators as
  /// underscores. If they are still equal, numbers are appended. An underscore is appended to a name in `taken` and,
  /// unless `isPart` is true, to a name that Swift does not allow. Keywords are in backquotes.
  static func members(
    _ names: [String], isType: Bool = false, isPart: Bool = false, besides taken: Set<String> = []
  ) -> [String] {
    let unusable = isPart ? taken : unusable.union(taken)
    let short = names.map { name in
      let short = camelCase(name, isType: isType)
      return unusable.contains(short) ? short + "_" : short
    }
    var counts: [String: Int] = [:]
    for name in short { counts[name, default: 0] += 1 }
    var taken: Set<String> = []
    return zip(names, short).map { name, short in
      let plain = counts[short] == 1 ? short : underscored(name, isType: isType)
      var unique = plain
      var number = 2
      while !taken.insert(unique).inserted {
        unique = "\(plain)_\(number)"
        number += 1
      }
      return keywords.contains(unique) ? "`\(unique)`" : unique
    }
  }

  /// Returns a unique type name for each of `names`, such as `WarmCache` for `warm-cache`.
  static func types(_ names: [String], besides taken: Set<String> = []) -> [String] {
    members(names, isType: true, besides: taken)
  }

  /// Returns a unique prefix of type names for each of `names`, such as the `WarmCache` of `WarmCacheInput`.
  static func typePrefixes(_ names: [String]) -> [String] { members(names, isType: true, isPart: true) }

  /// Returns the name of a single member, without regard to other names.
  static func member(_ name: String) -> String { members([name])[0] }

  private static func camelCase(_ name: String, isType: Bool) -> String {
    var result = ""
    var raisesNext = isType
    for scalar in name.unicodeScalars {
      guard isWordPart(scalar) else {
        raisesNext = isType || !result.isEmpty
        continue
      }
      result += raisesNext ? String(scalar).uppercased() : String(scalar)
      raisesNext = false
    }
    return started(result)
  }

  private static func underscored(_ name: String, isType: Bool) -> String {
    let name = String(String.UnicodeScalarView(name.unicodeScalars.map { isWordPart($0) ? $0 : "_" }))
    return started(isType ? name.prefix(1).uppercased() + name.dropFirst() : name)
  }

  /// Returns a name that is not empty and does not start with a digit.
  private static func started(_ name: String) -> String {
    guard let first = name.unicodeScalars.first else { return "empty" }
    if name.allSatisfy({ $0 == "_" }) { return "underscore\(name.count)" }
    return ("0"..."9").contains(first) ? "_" + name : name
  }

  private static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_": true
    default: false
    }
  }

  /// The words that cannot be used as the name of a member, even in backquotes.
  private static let unusable: Set<String> = ["Any", "Protocol", "Self", "Type", "init", "self"]

  /// The members that every generated enumeration already has.
  static let enumerationMembers: Set<String> = [
    "absent", "acceptsNull", "allCases", "hashValue", "placeholder", "rawValue", "value", "valueType",
  ]

  /// The Swift keywords, which must be written in backquotes.
  private static let keywords: Set<String> = [
    "as", "associatedtype", "await", "break", "case", "catch", "class", "continue",
    "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
    "func",
    "guard", "if", "import", "in", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup",
    "private", "protocol", "public", "repeat", "rethrows", "return", "static", "struct", "subscript", "super",
    "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]
}

/// Formats Swift code: literals, comments and indentation.
enum SwiftText {
  /// Returns a Swift string literal for the text.
  static func literal(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\" + String(scalar)
      case "\n": result += "\\n"
      case let scalar where scalar.value < 0x20 || scalar.value == 0x7F:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Returns a documentation comment that contains the lines of `text`.
  static func comment(_ text: String, indent: String) -> String {
    text.split(whereSeparator: \.isNewline).map { "\(indent)/// \($0)\n" }.joined()
  }

  /// Returns the text with each line indented. Empty lines stay empty.
  static func indented(_ text: String, by indent: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : indent + $0 }
      .joined(separator: "\n")
  }

  /// Returns an array literal with 24 bytes per line.
  static func bytes(_ bytes: [UInt8], indent: String) -> String {
    var text = "[\n"
    for start in stride(from: 0, to: bytes.count, by: 24) {
      text +=
        indent + "  " + bytes[start..<min(start + 24, bytes.count)].map(String.init).joined(separator: ", ") + ",\n"
    }
    return text + indent + "]"
  }
}
