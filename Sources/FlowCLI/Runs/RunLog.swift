import FlowDiagnostics
import FlowEngine
import FlowModel

/// What the steps of a run printed.
struct RunLog {
  /// The lines as the record of the run has them, in order.
  let lines: [ValueObject]
  let style: TextStyle

  init(lines: [ValueObject], style: TextStyle) { (self.lines, self.style) = (lines, style) }

  init(chunks: [[UInt8]], style: TextStyle) {
    self.init(lines: RunRecollection.coloredLines(in: chunks), style: style)
  }

  /// What one step and its items printed; nil: all steps.
  func text(ofStep step: String?) -> String {
    Self.text(step == nil ? lines : lines.filter { Self.source($0) == step || Self.owner($0) == step }, style)
  }

  /// Each failed step with its cause, and what it printed.
  func text(ofFailed steps: [RunReport.Step]) -> String {
    let printed = Dictionary(grouping: lines) { Self.owner($0) ?? "" }
    return steps.map { step in
      let lines = printed[step.id.text] ?? []
      return cause(of: step, hasLines: !lines.isEmpty) + Self.text(lines, style)
    }.joined()
  }

  /// Why a step failed; with all that its failure says where it printed nothing.
  func cause(of step: RunReport.Step, hasLines: Bool) -> String {
    let failure = FailureText(step.failure)
    let time = step.startedAt.flatMap { start in step.endedAt.map { " in \(Milliseconds.text($0 - start))" } } ?? ""
    let word = step.outcome == .failure ? "failed" : "timed out"
    let head = style.red("✗ \(step.id) \(word)") + time + (failure.headline.isEmpty ? "" : ": " + failure.headline)
    let details = hasLines ? [] : failure.details.map { "  \(style.dim("│")) \($0)" }
    return ([head] + details).map { $0 + "\n" }.joined()
  }

  private static func text(_ lines: [ValueObject], _ style: TextStyle) -> String {
    var text = ""
    for line in lines {
      guard let message = line["message"]?.stringValue else { continue }
      text +=
        style.dim((source(line) ?? "flowrun") + ": ") + TerminalText.commandLine(message, keepsColors: style.isColored)
        + "\n"
    }
    return text
  }

  /// The step, the item or the plugin that a line is of.
  private static func source(_ line: ValueObject) -> String? {
    line["step"]?.stringValue ?? line["plugin"]?.stringValue
  }

  /// The step that a line is of, also where an item of it printed the line.
  private static func owner(_ line: ValueObject) -> String? {
    source(line).map { StepID(unchecked: $0).item?.step.text ?? $0 }
  }
}
