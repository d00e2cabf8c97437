import FlowDiagnostics
import FlowModel

/// Finds the syntax errors behind the first one: the step or the key that cannot be read is left out, and the rest is
/// read again.
struct YAMLRecovery {
  /// How often a file is read again, and how many bytes in all.
  private static let readings = 20
  private static let bytes = Limits.fileBytes

  private let source: SourceText
  private let lines: LineTable
  private var text: [UInt8]

  /// Every syntax error that can be told, in the order of the file, `first` among them.
  static func diagnostics(of source: SourceText, first: YAMLFailure) -> [Diagnostic] {
    var recovery = YAMLRecovery(source)
    return recovery.failures(first)
  }

  private init(_ source: SourceText) {
    self.source = source
    lines = LineTable(source)
    text = source.bytes
  }

  private mutating func failures(_ first: YAMLFailure) -> [Diagnostic] {
    var diagnostics = [first.diagnostic]
    var failure = first
    var rest = min(Self.readings, Self.bytes / max(1, text.count))
    while rest > 0, failure.isLocal, leaveOut(failure.diagnostic) {
      rest -= 1
      let result = text.withUnsafeBufferPointer { bytes in
        YAMLParser.parseWithLibYAML(SourceText(text, file: source.file), bytes)
      }
      guard case .failure(let next) = result, next.isLocal else { break }
      diagnostics.append(next.diagnostic)
      failure = next
    }
    return diagnostics.sortedByPlace()
  }

  /// Blanks the step, or the key of the workflow, in which the error lies; false when there is none left.
  private mutating func leaveOut(_ diagnostic: Diagnostic) -> Bool {
    guard let part = part(at: line(of: diagnostic)) else { return false }
    let start = lines.span(ofLine: part.lowerBound).start
    let end = part.upperBound <= lines.count ? lines.span(ofLine: part.upperBound).start : text.count
    var isBlank = true
    for offset in start..<end where text[offset] != 0x0A && text[offset] != 0x0D {
      if text[offset] != UInt8(ascii: " ") { isBlank = false }
      text[offset] = UInt8(ascii: " ")
    }
    return !isBlank
  }

  /// Where what is broken begins: an unclosed quote or bracket is found far behind it.
  private func line(of diagnostic: Diagnostic) -> Int {
    let context = diagnostic.related.first { !$0.label.hasPrefix("while parsing a block") }
    return lines.line(of: min((context?.span ?? diagnostic.span).start, max(0, text.count - 1)))
  }

  /// The lines, from the first to behind the last, of the step or key that holds `line`.
  private func part(at line: Int) -> Range<Int>? {
    let steps = stepLines()
    let width = steps.map { $0.lines.contains(line) ? $0.indentation : 0 } ?? 0
    var start = line
    while start > 1, indentation(ofLine: start).map({ $0 > width }) ?? true { start -= 1 }
    guard !isStepsKey(start) else { return nil }
    var end = line + 1
    while end <= lines.count, indentation(ofLine: end).map({ $0 > width }) ?? true { end += 1 }
    return start..<end
  }

  /// The lines below `steps:` with how far the ids are indented; nil where the steps are not written that way.
  private func stepLines() -> (lines: Range<Int>, indentation: Int)? {
    guard let key = (1...lines.count).first(where: isStepsKey) else { return nil }
    var indentation: Int?
    var line = key + 1
    while line <= lines.count {
      if let width = self.indentation(ofLine: line) {
        if width == 0 { break }
        if indentation == nil { indentation = width }
      }
      line += 1
    }
    return indentation.map { (key + 1..<line, $0) }
  }

  private func isStepsKey(_ line: Int) -> Bool {
    let span = lines.span(ofLine: line)
    return text[span.start..<span.end].starts(with: "steps:".utf8)
  }

  /// How many spaces a line begins with; nil for one that is blank or a comment.
  private func indentation(ofLine line: Int) -> Int? {
    let span = lines.span(ofLine: line)
    guard let first = text[span.start..<span.end].firstIndex(where: { $0 != UInt8(ascii: " ") }) else { return nil }
    return text[first] == UInt8(ascii: "#") ? nil : first - span.start
  }
}
