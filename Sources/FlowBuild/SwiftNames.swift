/// Names of a workflow as names in Swift: `map.first-use` is `mapFirstUse`.
enum SwiftNames {
  /// A name for each of `names`, in their order and without repetition. Where several would have one name, each keeps its
  /// separators as underscores, and then gets a number. A name that is taken ends with an underscore.
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

  /// A type for each of `names`: `warm-cache` is `WarmCache`.
  static func types(_ names: [String], besides taken: Set<String> = []) -> [String] {
    members(names, isType: true, besides: taken)
  }

  /// The beginning of types, such as `WarmCache` of `WarmCacheInput`, for each of `names`.
  static func typePrefixes(_ names: [String]) -> [String] { members(names, isType: true, isPart: true) }

  /// The name of a member, without regard to others.
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

  /// A name may not be empty, nor begin with a digit.
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

  /// The words that mean something else as a member even in backquotes.
  private static let unusable: Set<String> = ["Any", "Protocol", "Self", "Type", "init", "self"]

  /// The members of every enumeration with words.
  static let enumerationMembers: Set<String> = [
    "absent", "acceptsNull", "allCases", "hashValue", "placeholder", "rawValue", "value", "valueType",
  ]

  /// The words that cannot be a name without backquotes.
  private static let keywords: Set<String> = [
    "as", "associatedtype", "await", "break", "case", "catch", "class", "continue",
    "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
    "func",
    "guard", "if", "import", "in", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup",
    "private", "protocol", "public", "repeat", "rethrows", "return", "static", "struct", "subscript", "super",
    "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]
}

/// Text of Swift.
enum SwiftText {
  /// A string literal.
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

  /// A documentation comment, a line for each of the text's.
  static func comment(_ text: String, indent: String) -> String {
    text.split(whereSeparator: \.isNewline).map { "\(indent)/// \($0)\n" }.joined()
  }

  /// The lines of a text moved to the right.
  static func indented(_ text: String, by indent: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : indent + $0 }
      .joined(separator: "\n")
  }

  /// Bytes as an array literal, 24 to a line.
  static func bytes(_ bytes: [UInt8], indent: String) -> String {
    var text = "[\n"
    for start in stride(from: 0, to: bytes.count, by: 24) {
      text +=
        indent + "  " + bytes[start..<min(start + 24, bytes.count)].map(String.init).joined(separator: ", ") + ",\n"
    }
    return text + indent + "]"
  }
}
