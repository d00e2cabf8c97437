/// What libyaml finds wrong. It tells by text alone; this is the one location that reads its texts.
enum LibYAMLProblem: Equatable {
  case colonInText
  case keyWithoutColon
  case unexpectedIndentation
  case unquotedStart
  case other(String)

  private static let prefixes: [(String, LibYAMLProblem)] = [
    ("mapping values are not allowed", .colonInText),
    ("could not find expected ':'", .keyWithoutColon),
    ("did not find expected key", .unexpectedIndentation),
    ("did not find expected '-' indicator", .unexpectedIndentation),
    ("found character that cannot start any token", .unquotedStart),
  ]

  /// What libyaml's text says.
  static func kind(of text: String) -> LibYAMLProblem {
    prefixes.first { text.hasPrefix($0.0) }?.1 ?? .other(text)
  }

  /// A remedy, or nil.
  var help: String? {
    switch self {
    case .colonInText: "quote a text with ': ' in it; otherwise check the indentation of this line"
    case .keyWithoutColon: "a key is followed by ':' and a space"
    case .unexpectedIndentation: "check the indentation of this line"
    case .unquotedStart: "quote a text that begins with @, ` or %"
    case .other: nil
    }
  }

  /// Whether what libyaml was reading is a block, which begins long before what is wrong in it.
  static func isBlock(context text: String) -> Bool { text.hasPrefix("while parsing a block") }
}
