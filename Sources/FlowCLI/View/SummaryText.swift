import FlowDiagnostics
import FlowEngine
import FlowModel

/// What a person reads when a run is over: the conclusion, the gate and what its floor held, the critical path, what
/// went wrong.
enum SummaryText {
  /// The summary; `tellsFailures` where the view has not told in full why steps failed.
  static func text(_ report: RunReport, subject: RunSubject, tellsFailures: Bool, style: TextStyle) -> String {
    var lines = ["", headline(report, style)]
    if subject.isGated { lines.append(gate(report.gate)) }
    if report.entries.count > 1 { lines.append("entries: " + list(entries(report.entries), ", ")) }
    if !report.gate.late.isEmpty {
      lines.append("late: " + report.gate.late.map(\.text).joined(separator: ", "))
    }
    if !report.criticalPath.isEmpty {
      let path = report.criticalPath.map { "\($0.step) \(Milliseconds.text($0.end - $0.start))" }
      let shown = path.count > 12 ? Array(path.prefix(5)) + ["… \(path.count - 10) more …"] + path.suffix(5) : path
      lines.append("critical path: " + list(shown, " → "))
    }
    let misses = report.estimateMisses
    if !misses.isEmpty {
      let shown = misses.prefix(shownMisses).map { miss in
        let (low, high) = (DurationText.format(miss.estimate.low), DurationText.format(miss.estimate.high))
        return "\(miss.step) \(Milliseconds.text(miss.milliseconds)) (\(low == high ? low : "\(low) to \(high)"))"
      }
      let rest = misses.count > shownMisses ? ["… \(misses.count - shownMisses) more"] : []
      lines.append("outside their estimates: " + list(shown + rest, ", "))
    }
    let troubled = report.troubledSteps
    let failed = troubled.filter { $0.outcome == .failure || $0.outcome == .timedOut }
    if tellsFailures {
      for step in failed { lines += failure(step, subject, style) }
    } else if !failed.isEmpty {
      lines.append(style.red("failed: " + list(failed.map { subject.label($0.id) }, ", ")))
    }
    let abandoned = troubled.filter(\.isAbandoned).map(\.id.text)
    if !abandoned.isEmpty { lines.append("abandoned: " + abandoned.joined(separator: ", ")) }
    for (name, value) in report.outputs {
      lines += LogText.paragraph("\(name): \(value.stringValue ?? JSONText.write(value))")
    }
    for warning in report.warnings { lines += LogText.paragraph("warning: \(warning)").map(style.yellow) }
    return list(lines, "\n") + "\n"
  }

  /// How many steps outside their estimates are named.
  private static let shownMisses = 20

  /// How many ways in are named.
  private static let shownEntries = 10

  private static func entries(_ entries: [RunReport.Entry]) -> [String] {
    let rest = entries.count > shownEntries ? ["… \(entries.count - shownEntries) more"] : []
    return entries.prefix(shownEntries).map { entry in
      let opened = entry.openedAt.map { " (opened at \(Milliseconds.text($0)))" } ?? ""
      return "\(entry.kind.rawValue) at \(Milliseconds.text(entry.at))\(opened)"
    } + rest
  }

  /// The texts with `separator` between. The standard library's way asks the runtime once for what an array is, which
  /// takes longer than the whole summary of a small run.
  private static func list(_ texts: [String], _ separator: String) -> String {
    var result = ""
    for (index, text) in texts.enumerated() { result += index == 0 ? text : separator + text }
    return result
  }

  private static func failure(_ step: RunReport.Step, _ subject: RunSubject, _ style: TextStyle) -> [String] {
    let note = step.conclusion == .success ? " (optional)" : ""
    let word = step.outcome == .failure ? "failed" : "timed out"
    var lines = LogText.cause(step.failure)
    lines[0] = style.red("\(subject.label(step.id)) \(word)\(note)") + lines[0]
    return lines
  }

  private static func headline(_ report: RunReport, _ style: TextStyle) -> String {
    let counts = report.outcomeCounts.map { "\($0.count) \($0.outcome == .success ? "done" : $0.outcome.word)" }
    let words = "\(TerminalText.visible(report.workflow)): \(report.conclusion.rawValue)"
    let colored =
      switch report.conclusion {
      case .success: style.green(words)
      case .partial, .cancelled: style.yellow(words)
      case .failure: style.red(words)
      }
    return style.bold(colored)
      + " in \(Milliseconds.text(report.durationMilliseconds)) (\(list(counts, ", ")))"
  }

  private static func gate(_ gate: RunReport.Gate) -> String {
    guard let opened = gate.openedAt else { return "gate: never opened" }
    var text = "gate: opened at \(Milliseconds.text(opened)), \(gate.outcome.word)"
    if let ready = gate.readyAt {
      text += "; everything was ready at \(Milliseconds.text(ready))"
      if gate.heldByMinMilliseconds > 0 {
        text += ", the floor held it \(Milliseconds.text(gate.heldByMinMilliseconds))"
      }
    }
    return text
  }
}
