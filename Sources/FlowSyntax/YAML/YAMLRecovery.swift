import FlowDiagnostics
import FlowModel

/// Finds syntax errors after the first one. The step or key with an error is replaced by blanks, or a line that is
/// indented too far is moved to the left, and the text is read again.
struct YAMLRecovery {
  /// The maximum number of times that the text is read again, and the maximum number of bytes that are read in total.
  private static let readings = 80
  private static let bytes = Limits.fileBytes

  private let source: SourceText
  private let lines: LineTable
  private var text: [UInt8]
  /// The locations of the errors that have been reported.
  private var told: Set<Int> = []
  /// The tree without the invalid parts, or nil if the text could not be read.
  private var tree: NodeTree?

  /// Returns all syntax errors in file order. `first` is the error that was found first.
  static func diagnostics(of source: SourceText, first: YAMLFailure) -> [Diagnostic] {
    var recovery = YAMLRecovery(source)
    return recovery.failures(first)
  }

  /// Returns the tree without the invalid parts. The other nodes have their original locations. Returns nil if the text
  /// cannot be read even then.
  static func tree(of source: SourceText, first: YAMLFailure) -> NodeTree? {
    var recovery = YAMLRecovery(source)
    _ = recovery.failures(first)
    return recovery.tree
  }

  private init(_ source: SourceText) {
    self.source = source
    lines = LineTable(source)
    text = source.bytes
  }

  private mutating func failures(_ first: YAMLFailure) -> [Diagnostic] {
    var diagnostics = [first.diagnostic]
    told = [first.diagnostic.span.start]
    var failure = first
    var rest = min(Self.readings, Self.bytes / max(1, text.count))
    while failure.isLocal, let result = leaveOut(failure, &rest) {
      guard case .failure(let next) = result else {
        tree = try? result.get()
        break
      }
      guard next.isLocal else { break }
      diagnostics.append(next.diagnostic)
      failure = next
    }
    return diagnostics.sortedByLocation()
  }

  /// Blanks the part with an error or moves a line to the left, and reads the text again. Prefers the first change that
  /// makes the whole text readable, and otherwise the first blanked part that makes more of it readable. Returns nil if
  /// there is no such change.
  private mutating func leaveOut(_ failure: YAMLFailure, _ rest: inout Int) -> Result<NodeTree, YAMLFailure>? {
    var best: (text: [UInt8], result: Result<NodeTree, YAMLFailure>)?
    for part in parts(of: failure) {
      guard rest > 0, let blanked = blanked(part) else { continue }
      rest -= 1
      let result = blanked.withUnsafeBufferPointer { bytes in
        YAMLParser.parseWithLibYAML(SourceText(blanked, file: source.file), bytes)
      }
      guard case .failure(let next) = result else { return result }
      // If the next error is the same one, blanking the part did not help.
      if best == nil, !told.contains(next.diagnostic.span.start) { best = (blanked, result) }
    }
    // A line that is indented too far begins another block, so moving it left may fix the error.
    let shown = lines.line(of: min(failure.diagnostic.span.start, max(0, text.count - 1)))
    if rest > 0, let moved = moved(firstDeeper(before: shown), to: shown) {
      rest -= 1
      let result = moved.withUnsafeBufferPointer { bytes in
        YAMLParser.parseWithLibYAML(SourceText(moved, file: source.file), bytes)
      }
      if case .success = result { return result }
    }
    guard let best else { return nil }
    if case .failure(let next) = best.result { told.insert(next.diagnostic.span.start) }
    text = best.text
    return best.result
  }

  /// Returns the ranges of lines that may contain the error, the most likely one first.
  private func parts(of failure: YAMLFailure) -> [Range<Int>] {
    let shown = lines.line(of: min(failure.diagnostic.span.start, max(0, text.count - 1)))
    if failure.diagnostic.code == .tabIndentation {
      return [tabbedLines(around: shown)] + [part(at: shown)].compactMap { $0 }
    }
    var parts = [part(at: failure.beginning.map { lines.line(of: $0) } ?? shown)]
    let suspects = failure.suspects.map { lines.line(of: $0) }
    parts += suspects.map { part(at: $0) }
    let before = (1..<shown).last { indentation(ofLine: $0) != nil }
    parts.append(before.flatMap { part(at: $0) })
    for line in [before, shown] + suspects.map(Optional.some) { parts.append(line.map { $0..<$0 + 1 }) }
    var seen: Set<Range<Int>> = []
    return parts.compactMap { $0 }.filter { seen.insert($0).inserted }
  }

  /// Returns the text with these lines replaced by blanks, or nil if they are already blank.
  private func blanked(_ part: Range<Int>) -> [UInt8]? {
    let start = lines.span(ofLine: part.lowerBound).start
    let end = part.upperBound <= lines.count ? lines.span(ofLine: part.upperBound).start : text.count
    var blanked = text
    var isBlank = true
    for offset in start..<end where text[offset] != 0x0A && text[offset] != 0x0D {
      if text[offset] != UInt8(ascii: " ") { isBlank = false }
      blanked[offset] = UInt8(ascii: " ")
    }
    return isBlank ? nil : blanked
  }

  /// Returns the first of the consecutive lines before `line` that are indented more than it, or `line` itself if there
  /// are none.
  private func firstDeeper(before line: Int) -> Int {
    guard let width = indentation(ofLine: line) else { return line }
    var first = line
    var candidate = line - 1
    while candidate >= 1, indentation(ofLine: candidate).map({ $0 > width }) ?? true {
      if indentation(ofLine: candidate) != nil { first = candidate }
      candidate -= 1
    }
    return first
  }

  /// Returns the text with `line` moved left to the indentation of `other`. The length of the text stays the same.
  /// Returns nil if `line` is not indented more.
  private func moved(_ line: Int, to other: Int) -> [UInt8]? {
    guard line < other, let old = indentation(ofLine: line), let new = indentation(ofLine: other), new < old else {
      return nil
    }
    let span = lines.span(ofLine: line)
    var moved = text
    let content = Array(text[span.start + old..<span.end]) + [UInt8](repeating: UInt8(ascii: " "), count: old - new)
    moved.replaceSubrange(span.start + new..<span.end, with: content)
    return moved
  }

  /// Returns the consecutive lines around `line` whose indentation contains tabs, including blank lines and comments
  /// between them.
  private func tabbedLines(around line: Int) -> Range<Int> {
    var start = line
    while start > 1, isTabbed(start - 1) { start -= 1 }
    var end = line + 1
    while end <= lines.count, isTabbed(end) { end += 1 }
    return start..<end
  }

  private func isTabbed(_ line: Int) -> Bool {
    let span = lines.span(ofLine: line)
    let content = text[span.start..<span.end]
    let indentation = content.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return indentation.count == content.count || indentation.contains(UInt8(ascii: "\t"))
      || content[indentation.endIndex] == UInt8(ascii: "#")
  }

  /// Returns the lines of the step or key that contains `line`, or nil if that key is `steps`.
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

  /// Returns the lines below `steps:` and the indentation of the steps' ids, or nil if the file is structured
  /// differently.
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

  /// Returns the number of spaces at the beginning of a line, or nil if the line is blank or a comment.
  private func indentation(ofLine line: Int) -> Int? {
    let span = lines.span(ofLine: line)
    guard let first = text[span.start..<span.end].firstIndex(where: { $0 != UInt8(ascii: " ") }) else { return nil }
    return text[first] == UInt8(ascii: "#") ? nil : first - span.start
  }
}
