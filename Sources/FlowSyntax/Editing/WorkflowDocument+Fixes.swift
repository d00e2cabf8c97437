import FlowDiagnostics
import FlowExpressions
import FlowModel

extension WorkflowDocument {
  /// A change to the text that an editor offers.
  package struct Fix: Sendable {
    package var title: String
    /// The diagnostic that the change fixes, or nil if it fixes none.
    package var diagnostic: Diagnostic?
    /// The replacements. Their ranges must neither overlap nor touch.
    package var edits: [(span: TextSpan, text: String)]
  }

  /// Returns the fixes for the diagnostics in a range, and a fix that defers the step at its start if that is possible.
  package func fixes(in range: TextSpan) -> [Fix] {
    var fixes: [Fix] = []
    for diagnostic in result.diagnostics
    where diagnostic.span.start <= range.end && range.start <= diagnostic.span.end {
      fixes += self.fixes(of: diagnostic)
    }
    if let fix = deferral(at: range.start) { fixes.append(fix) }
    return fixes
  }

  private func fixes(of diagnostic: Diagnostic) -> [Fix] {
    if let correction = diagnostic.correction {
      let edit = (wordSpan(diagnostic, correction), correction.word)
      return [Fix(title: "Write '\(correction.word)'", diagnostic: diagnostic, edits: [edit])]
    }
    switch diagnostic.code {
    case .missingInput: return missingInput(diagnostic)
    case .stepOutOfReach, .fileWithoutNeed: return missingDependency(diagnostic)
    case .textInCommand: return textInCommand(diagnostic).map { [$0] } ?? []
    default: return []
    }
  }

  /// Returns the range of the wrong word inside a diagnostic: its first occurrence for an unknown step, and otherwise
  /// its last one. If the word does not occur, returns the range of the diagnostic without its quotes.
  private func wordSpan(_ diagnostic: Diagnostic, _ correction: Correction) -> TextSpan {
    var span = diagnostic.span
    let quotes: [UInt8] = [0x22, 0x27]
    if span.end - span.start >= 2, quotes.contains(source.bytes[span.start]),
      source.bytes[span.start] == source.bytes[span.end - 1]
    {
      span = TextSpan(span.start + 1, span.end - 1)
    }
    let text = source.bytes[span.start..<span.end]
    let word = Array(correction.wrong.utf8)
    guard !word.isEmpty, text.count >= word.count else { return span }
    func isPartOfName(_ offset: Int) -> Bool {
      guard text.indices.contains(offset) else { return false }
      let letter = Character(Unicode.Scalar(text[offset]))
      return letter.isLetter || letter.isNumber || letter == "-" || letter == "_"
    }
    let starts = (text.startIndex...(text.endIndex - word.count)).filter {
      text[$0...].starts(with: word) && !isPartOfName($0 - 1) && !isPartOfName($0 + word.count)
    }
    guard let start = diagnostic.code == .unknownStep ? starts.first : starts.last else { return span }
    return TextSpan(start, start + word.count)
  }

  // MARK: Inputs

  private func missingInput(_ diagnostic: Diagnostic) -> [Fix] {
    guard let check, let step = step(at: diagnostic.span.start),
      let declaration = check.actions.declaration(ofStep: step),
      let field = declaration.inputs.first(where: { $0.name == diagnostic.missingName })
    else { return [] }
    let title = "Add the input '\(field.name)'"
    let entry = "\(field.name): \(field.type.stand)"
    if let with = check.node(.with, of: step), check.tree.kind(with) == .mapping {
      return insertion(of: entry, into: with).map { [Fix(title: title, diagnostic: diagnostic, edits: [$0])] } ?? []
    }
    if check.node(.with, of: step) != nil { return [] }
    return insertion(of: "with: { \(entry) }", into: check.locations.steps[step].value)
      .map { [Fix(title: title, diagnostic: diagnostic, edits: [$0])] } ?? []
  }

  /// Returns the edit that adds an entry to a mapping in the mapping's style, or nil if `map` is not a mapping or is
  /// empty without braces.
  func insertion(of entry: String, into map: NodeID) -> (span: TextSpan, text: String)? {
    guard let tree, tree.nodes[map].kind == .mapping else { return nil }
    let span = tree.span(map)
    let isEmpty = tree.next(map) == map + 1
    if source.bytes[span.start] == UInt8(ascii: "{") {
      guard !isEmpty else { return (TextSpan(at: span.start + 1), " \(entry) ") }
      // If the last value is a list in brackets, the content ends before the closing bracket.
      var end = tree.contentEnd(map)
      if source.bytes[span.end - 1] == UInt8(ascii: "}") {
        end = span.end - 1
        while source.bytes[end - 1] == UInt8(ascii: " ") { end -= 1 }
      }
      return (TextSpan(at: end), source.bytes[end - 1] == UInt8(ascii: ",") ? " \(entry)" : ", \(entry)")
    }
    guard !isEmpty else { return nil }
    // Insert before the first key, because a comment or block scalar may follow the last value.
    let first = tree.span(map + 1).start
    let lines = LineTable(source)
    let column = first - lines.span(ofLine: lines.line(of: first)).start
    return (TextSpan(at: first), "\(entry)\n\(String(repeating: " ", count: column))")
  }

  // MARK: Dependencies

  private func missingDependency(_ diagnostic: Diagnostic) -> [Fix] {
    guard let check, let reader = step(at: diagnostic.span.start),
      let related = diagnostic.related.first(where: { $0.source == nil }),
      let target = step(at: related.span.start), target != reader,
      !stepsAfter(reader).contains(target)
    else { return [] }
    let id = check.name(target)
    let title = "Add '\(id)' to the dependencies of '\(check.name(reader))'"
    guard let needs = check.node(.needs, of: reader) else {
      return insertion(of: "needs: \(id)", into: check.locations.steps[reader].value)
        .map { [Fix(title: title, diagnostic: diagnostic, edits: [$0])] } ?? []
    }
    let span = check.tree.span(needs)
    let node = check.tree.nodes[needs]
    if node.kind == .scalar {
      return [
        Fix(
          title: title, diagnostic: diagnostic,
          edits: [(TextSpan(at: span.start), "["), (TextSpan(at: span.end), ", \(id)]")])
      ]
    }
    guard node.kind == .sequence, let last = check.tree.elements(needs).last else { return [] }
    let end = check.tree.span(last).end
    if source.bytes[span.start] == UInt8(ascii: "[") {
      return [Fix(title: title, diagnostic: diagnostic, edits: [(TextSpan(at: end), ", \(id)")])]
    }
    let lines = LineTable(source)
    let line = lines.span(ofLine: lines.line(of: check.tree.span(last).start))
    let indentation = source.bytes[line.start..<line.end].prefix { $0 == 0x20 }.count
    return [
      Fix(
        title: title, diagnostic: diagnostic,
        edits: [(TextSpan(at: line.end), "\n\(String(repeating: " ", count: indentation))- \(id)")])
    ]
  }

  // MARK: Deferral

  /// Returns a fix that defers the step at `offset`. Returns nil if the step is disabled, if it is not certainly
  /// blocking, if it states `defer` or `blocking`, if there is no gate, if the workflow is invalid, if the change would
  /// cause further diagnostics, or if the file is too large to be checked again.
  private func deferral(at offset: Int) -> Fix? {
    guard let check, isWhole, source.bytes.count <= 1 << 20, let step = step(at: offset), result.graph != nil,
      check.roles?.isBlocking(StepIndex(step)) == true, check.roles?.deferral(of: StepIndex(step)) == .never,
      check.node(.deferral, of: step) == nil, check.node(.blocking, of: step) == nil,
      !check.isDisabled(step), let gate = workflow.gate, gate.max != nil || gate.min != nil,
      let edit = insertion(of: "defer: true", into: check.locations.steps[step].value)
    else { return nil }
    let changed = WorkflowDocument(bytes: Self.text(source.bytes, with: [edit]), file: source.file, catalog: catalog)
    guard !changed.result.diagnostics.containsError,
      changed.result.diagnostics.count <= result.diagnostics.count
    else { return nil }
    return Fix(title: "Start '\(check.name(step))' after the gate has opened", diagnostic: nil, edits: [edit])
  }

  /// Returns the content of the file after applying the edits, which must not overlap.
  package static func text(_ bytes: [UInt8], with edits: [(span: TextSpan, text: String)]) -> [UInt8] {
    var bytes = bytes
    for edit in edits.sorted(by: { $0.span > $1.span }) {
      bytes.replaceSubrange(edit.span.start..<edit.span.end, with: edit.text.utf8)
    }
    return bytes
  }
}
