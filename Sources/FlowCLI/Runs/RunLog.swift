import FlowDiagnostics
import FlowEngine
import FlowModel

/// The recorded output of a run's steps.
struct RunLog {
  /// The recorded lines, in the order in which steps printed them.
  let lines: [ValueObject]
  let style: TextStyle

  /// The names of the items that have printed lines.
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

  /// Returns the output of a step and its items. If `step` is nil, returns the output of all steps.
  func text(ofStep step: String?) -> String {
    text(step == nil ? lines : lines.filter { Self.source($0) == step || Self.owner($0) == step })
  }

  /// Returns the cause of the failure and the output of each failed step.
  func text(ofFailed steps: [RunReport.Step]) -> String {
    let printed = Dictionary(grouping: lines) { Self.owner($0) ?? "" }
    return steps.map { step in
      let lines = printed[step.id.text] ?? []
      return cause(of: step, hasLines: !lines.isEmpty) + text(lines)
    }.joined()
  }

  /// Returns the cause of a step's or item's failure. If the step has printed nothing, the text includes all details.
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

  /// Returns the step to which a line belongs. For a line of an item, this is the step of the item. For a line of a
  /// plugin, the plugin's name is returned. Returns nil for flowrun's own lines.
  private static func owner(_ line: ValueObject) -> String? {
    source(line).map { StepID(unchecked: $0).item?.step.text ?? $0 }
  }
}
