import CLibYAML
import FlowDiagnostics

/// The reason why a file is not a YAML document. The file can be read only up to its location.
struct YAMLFailure: Error {
  let diagnostic: Diagnostic
  /// True if the rest of the file may be valid and can be read without the invalid part.
  let isLocal: Bool
  /// The start of the invalid part if libyaml reports it, or nil. For example, an unclosed quote is detected long after
  /// its start.
  var beginning: Int?
  /// Other places where the invalid part may begin: the enclosing mapping or list, and the last multiline scalar.
  var suspects: [Int] = []

  init(
    _ code: DiagnosticCode, _ message: String, at span: TextSpan, related: [Diagnostic.RelatedLocation] = [],
    help: String? = nil, correction: Correction? = nil, isLocal: Bool = false
  ) {
    self.isLocal = isLocal
    diagnostic = Diagnostic(code, message, at: span, related: related, help: help, correction: correction)
  }

  static func invalidUTF8(at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> YAMLFailure {
    let byte = String(bytes[offset], radix: 16, uppercase: true)
    let isUTF16 = offset == 0 && bytes.count > 1 && [[0xFF, 0xFE], [0xFE, 0xFF]].contains([bytes[0], bytes[1]])
    return YAMLFailure(
      .invalidUTF8, "the byte 0x\(byte.count < 2 ? "0" : "")\(byte) is not valid UTF-8",
      at: TextSpan(offset, offset + 1),
      help: isUTF16 ? "the file seems to be UTF-16; save it as UTF-8" : "save the file as UTF-8")
  }

  /// Creates a failure from a libyaml error. Its message is written for authors of workflows.
  static func syntax(
    _ parser: yaml_parser_t, in bytes: UnsafeBufferPointer<UInt8>, _ map: inout OffsetMap, lastText: Int?
  ) -> YAMLFailure {
    let problem = parser.problem.map { String(cString: $0) } ?? "this is not YAML"
    if parser.error == YAML_READER_ERROR {
      let offset = min(parser.problem_offset + map.base, max(0, bytes.count - 1))
      return YAMLFailure(
        .yamlSyntax, "the character U+\(hex(parser.problem_value)) is not allowed in a YAML file",
        at: TextSpan(offset, offset + 1), help: "remove it, or write it as an escape such as \"\\0\" in double quotes",
        isLocal: true)
    }
    var offset = map.offset(of: parser.problem_mark.index, in: bytes)
    if let tab = indentationTab(before: offset, in: bytes) {
      return YAMLFailure(
        .tabIndentation, "the indentation contains a tab; YAML is indented with spaces", at: tab,
        help: "replace each tab with spaces", isLocal: true)
    }
    if let negation = BareNegation(at: offset, in: bytes) {
      return YAMLFailure(
        .yamlSyntax, "not YAML: a text cannot begin with '!' here", at: negation.span, help: negation.help,
        isLocal: true)
    }
    var related: [Diagnostic.RelatedLocation] = []
    var suspects: [Int] = []
    var beginning: Int?
    if let context = parser.context, parser.context_mark.index < parser.problem_mark.index {
      let location = map.offset(of: parser.context_mark.index, in: bytes)
      let text = String(cString: context)
      related.append(.init(TextSpan(location, min(location + 1, bytes.count)), text))
      suspects.append(location)
      if !LibYAMLProblem.isBlock(context: text) { beginning = location }
    }
    let isPastEnd = offset >= bytes.count
    if isPastEnd { offset = bytes.count }
    var failure = YAMLFailure(
      .yamlSyntax, "not YAML: " + problem, at: TextSpan(offset, isPastEnd ? offset : offset + 1), related: related,
      help: isInCommand(offset, in: bytes)
        ? "quote the command, which contains braces, brackets or commas: run: 'echo {a,b}'"
        : patternHelp(offset, in: bytes) ?? LibYAMLProblem.kind(of: problem).help,
      isLocal: true)
    failure.beginning = beginning
    failure.suspects = suspects + (lastText.map { [$0] } ?? [])
    return failure
  }

  /// Returns a suggestion if the line has an unquoted file pattern that contains braces or begins with `!`. Returns nil
  /// otherwise.
  private static func patternHelp(_ offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> String? {
    let start = bytes[..<min(offset, bytes.count)].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let line = bytes[start...].prefix(1_000).prefix { $0 != 0x0A }
    let text = String(decoding: line, as: UTF8.self)
    let keys = ["inputs-from:", "produces:", "files:"]
    let isElement = text.drop { $0 == " " }.hasPrefix("- ")
    let key = keys.compactMap { text.firstRange(of: $0)?.upperBound }.first
    guard let start = key ?? (isElement ? text.startIndex : nil) else { return nil }
    let pattern = text[start...].split(whereSeparator: { " []".contains($0) }).first { word in
      word.hasPrefix("!") || word.contains("{") && !word.contains("${{") && !word.contains("'") && !word.contains("\"")
    }
    guard let pattern, isElement ? pattern.hasPrefix("!") || pattern.contains(",") : true else { return nil }
    return "quote a pattern that contains braces or begins with '!' or '[', as in 'src/{a,b}.c' and '!src/gen.c'"
  }

  /// True if `offset` is inside an unquoted command of a flow mapping such as `{ run: … }`. False if a comma and a
  /// space precede it in the command, because another member may have begun there.
  private static func isInCommand(_ offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let line = bytes[..<min(offset, bytes.count)].suffix(1_000).split(separator: 0x0A, omittingEmptySubsequences: false)
      .last
    guard let line else { return false }
    let parts = String(decoding: line, as: UTF8.self).split(separator: "run: ")
    guard parts.count > 1, let command = parts.last, parts[parts.count - 2].contains("{") else { return false }
    return !command.contains("'") && !command.contains("\"") && !command.contains(", ")
  }

  /// Returns the tabs in the indentation of the line at `offset`, or nil if there are none before `offset`.
  private static func indentationTab(before offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> TextSpan? {
    var lineStart = min(offset, bytes.count)
    while lineStart > 0, bytes[lineStart - 1] != 0x0A, bytes[lineStart - 1] != 0x0D { lineStart -= 1 }
    var position = lineStart
    while position < bytes.count, bytes[position] == 0x20 { position += 1 }
    guard position < bytes.count, bytes[position] == 0x09, position <= offset else { return nil }
    var end = position
    while end < bytes.count, bytes[end] == 0x09 { end += 1 }
    return TextSpan(position, end)
  }

  private static func hex(_ value: Int32) -> String {
    let digits = String(UInt32(bitPattern: value), radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
