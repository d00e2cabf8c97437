/// The kind of a libyaml error. libyaml describes errors only as text. No other code interprets that text.
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

  static func kind(of text: String) -> LibYAMLProblem {
    prefixes.first { text.hasPrefix($0.0) }?.1 ?? .other(text)
  }

  /// A suggestion for the author of the file, or nil.
  var help: String? {
    switch self {
    case .colonInText: "quote a text with ': ' in it; otherwise check the indentation of this line"
    case .keyWithoutColon: "a key is followed by ':' and a space"
    case .unexpectedIndentation: "check the indentation of this line"
    case .unquotedStart: "quote a text that begins with @, ` or %"
    case .other: nil
    }
  }

  /// True if libyaml failed while reading a block, whose beginning may be far from the error.
  static func isBlock(context text: String) -> Bool { text.hasPrefix("while parsing a block") }
}
