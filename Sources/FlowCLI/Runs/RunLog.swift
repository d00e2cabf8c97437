import FlowDiagnostics
import FlowEngine
import FlowModel

/// The recorded output of the steps of a run.
struct RunLog {
  /// The recorded lines, in the order in which they were printed.
  let lines: [ValueObject]
  let style: TextStyle

  /// The names of the items that printed lines.
  let items: ItemNames

  init(lines: [ValueObject], style: TextStyle, items: ItemNames = ItemNames()) {
    self.lines = lines.filter { $0["message"] != nil }
    (self.style, self.items) = (style, items)
    for line in lines {
      guard let names = line["items"]?.arrayValue, let step = line["step"]?.stringValue else { continue }
      items.note(StepID(unchecked: step), names.compactMap(\.stringValue))
    }
  }

  init(chunks: [[UInt8]], style: TextStyle) {
    self.init(lines: RunRecollection.coloredLines(in: chunks), style: style)
  }

  /// Returns the output of a step and its items, or of all steps if `step` is nil.
  func text(ofStep step: String?) -> String {
    text(step == nil ? lines : lines.filter { Self.source($0) == step || Self.owner($0) == step })
  }

  /// Returns, for each failed step, the cause of the failure and the output of the step.
  func text(ofFailed steps: [RunReport.Step]) -> String {
    let printed = Dictionary(grouping: lines) { Self.owner($0) ?? "" }
    return steps.map { step in
      let lines = printed[step.id.text] ?? []
      return cause(of: step, hasLines: !lines.isEmpty) + text(lines)
    }.joined()
  }

  /// Returns the cause of the failure of a step or item. If the step printed nothing, the text includes all details.
  func cause(of step: RunReport.Step, hasLines: Bool) -> String {
    let failure = FailureText(step.failure)
    let time = step.startedAt.flatMap { start in step.endedAt.map { " in \(Milliseconds.text($0 - start))" } } ?? ""
    let word = step.outcome == .failure ? "failed" : "timed out"
    let head = style.red("✗ \(step.id) \(word)") + time + (failure.headline.isEmpty ? "" : ": " + failure.headline)
    let details = hasLines ? [] : failure.details.map { "  \(style.dim("│")) \($0)" }
    return ([head] + details).map { $0 + "\n" }.joined()
  }

  private func text(_ lines: [ValueObject]) -> String {
    var text = ""
    for line in lines {
      guard let message = line["message"]?.stringValue else { continue }
      let source = Self.source(line).map { items.text(StepID(unchecked: $0)) } ?? "flowrun"
      text +=
        style.dim(source + ": ") + TerminalText.commandLine(message, keepsColors: style.isColored) + "\n"
    }
    return text
  }

  private static func source(_ line: ValueObject) -> String? {
    line["step"]?.stringValue ?? line["plugin"]?.stringValue
  }

  /// Returns the step to which a line belongs. If an item printed the line, this is the step of the item.
  private static func owner(_ line: ValueObject) -> String? {
    source(line).map { StepID(unchecked: $0).item?.step.text ?? $0 }
  }
}
