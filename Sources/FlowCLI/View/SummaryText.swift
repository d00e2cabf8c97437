import FlowDiagnostics
import FlowEngine
import FlowModel

/// The summary at the end of a run: the conclusion, the gate, the failed steps, the steps that were skipped because of
/// them, and the commands to use next. It has at most ``lineLimit`` lines plus the workflow's outputs and warnings.
struct SummaryText {
  let report: RunReport
  let subject: RunSubject
  let style: TextStyle
  /// The commands for this run, or nil if it is not recorded.
  var commands: RunCommands?
  /// True if the causes of failures are still visible on the terminal, so that the summary only names the steps.
  var hasShownFailures = false
  /// The warnings that are still visible and are not repeated.
  var shownWarnings: Set<String> = []
  /// True to show entries, the critical path and exceeded estimates as well.
  var isVerbose = false
  /// The width of the terminal, or nil if lines are not shortened.
  var columns: Int?

  /// The maximum number of lines, without outputs, warnings and the additions of `--verbose`.
  static let lineLimit = 8
  /// The maximum number of failures that are shown and of steps that a list names.
  private static let shownFailures = 3
  private static let shownSteps = 5
  private static let shownMisses = 20
  private static let shownEntries = 10

  var text: String {
    let troubled = report.troubledSteps
    let failed = Self.causes(among: troubled)
    // A command is never cut off, because the user copies it.
    let last = skipped(failed) + next(failed)
    var lines = [headline] + (subject.isGated ? [gate] : [])
    let room = Self.lineLimit - lines.count - last.count
    let notes = self.notes(troubled).prefix(isVerbose ? .max : max(0, room - min(2, failed.count)))
    lines += notes
    lines += (hasShownFailures ? names(of: failed) : failures(failed, atMost: max(1, room - notes.count))) + last
    for (name, value) in report.outputs {
      lines += LogText.paragraph("\(name): \(value.stringValue ?? JSONText.write(value))")
    }
    for warning in report.warnings where !shownWarnings.contains(warning) {
      lines += LogText.paragraph("warning: \(warning)").map(style.yellow)
    }
    return Self.list(lines, "\n") + "\n"
  }

  /// Returns lines about late and abandoned steps. With `--verbose`, there are also lines for entries, the critical
  /// path and estimates. If the workflow has budgets, there are always lines for exceeded estimates.
  private func notes(_ troubled: [RunReport.Step]) -> [String] {
    var lines: [String] = []
    if !report.gate.late.isEmpty { lines.append(named("late: ", report.gate.late.map(\.text))) }
    let abandoned = troubled.filter(\.isAbandoned).map(\.id.text)
    if !abandoned.isEmpty { lines.append(named("abandoned: ", abandoned)) }
    // If only selected steps ran, the times are not those of the whole workflow.
    guard report.selected.isEmpty else { return lines }
    return lines + (isVerbose ? details : subject.hasBudgets ? estimates(atMost: Self.shownFailures).map(fitted) : [])
  }

  // MARK: Conclusion

  private var headline: String {
    let counts = report.outcomeCounts.map { count in
      "\(count.count) \(count.outcome.participle)"
    }
    let reason = report.reason.map { " (\($0))" } ?? ""
    let words = "\(subject.workflow): \(report.conclusion.rawValue)\(reason)"
    let colored =
      switch report.conclusion {
      case .success: style.green(words)
      case .partial, .cancelled: style.yellow(words)
      case .failure: style.red(words)
      }
    return style.bold(colored)
      + " in \(Milliseconds.text(report.durationMilliseconds)) (\(Self.list(counts, ", ")))"
  }

  private var gate: String {
    let gate = report.gate
    guard let opened = gate.openedAt else { return "gate: never opened" }
    var text = "gate: opened at \(Milliseconds.text(opened)), \(gate.outcome.word)"
    if let ready = gate.readyAt {
      text += " (ready at \(Milliseconds.text(ready))"
      if gate.heldByMinMilliseconds > 0 {
        text += ", held \(Milliseconds.text(gate.heldByMinMilliseconds)) by the minimum"
      }
      text += ")"
    }
    return text
  }

  /// The lines that `--verbose` adds: entries, the critical path, and exceeded estimates.
  private var details: [String] {
    var lines: [String] = []
    if report.entries.count > 1 { lines.append("entries: " + Self.list(entries, ", ")) }
    if !report.criticalPath.isEmpty {
      let path = report.criticalPath.map { "\($0.step) \(Milliseconds.text($0.end - $0.start))" }
      let shown = path.count > 12 ? Array(path.prefix(5)) + ["… \(path.count - 10) more …"] + path.suffix(5) : path
      lines.append("critical path: " + Self.list(shown, " → "))
    }
    return lines + estimates(atMost: Self.shownMisses)
  }

  private var entries: [String] {
    let rest = report.entries.count > Self.shownEntries ? ["… \(report.entries.count - Self.shownEntries) more"] : []
    return report.entries.prefix(Self.shownEntries).map { entry in
      let opened = entry.openedAt.map { " (opened at \(Milliseconds.text($0)))" } ?? ""
      return "\(entry.kind.rawValue) at \(Milliseconds.text(entry.at))\(opened)"
    } + rest
  }

  private func estimates(atMost limit: Int) -> [String] {
    let misses = report.estimateMisses.filter { $0.milliseconds > $0.estimate.high.milliseconds }
    guard !misses.isEmpty else { return [] }
    let shown = misses.prefix(limit).map { miss in
      let (low, high) = (DurationText.format(miss.estimate.low), DurationText.format(miss.estimate.high))
      return "\(miss.step) \(Milliseconds.text(miss.milliseconds)) (\(low == high ? low : "\(low) to \(high)"))"
    }
    let rest = misses.count > limit ? ["… \(misses.count - limit) more"] : []
    return ["longer than estimated: " + Self.list(shown + rest, ", ")]
  }

  // MARK: Failures

  /// Returns the failed steps that caused the run to fail. A step that includes a workflow is omitted if a step of that
  /// workflow has failed.
  private static func causes(among troubled: [RunReport.Step]) -> [RunReport.Step] {
    let failed = troubled.filter(\.isFailed)
    let owners = owners(of: failed.map(\.id.text))
    return owners.isEmpty ? failed : failed.filter { !owners.contains($0.id.text) }
  }

  /// Returns the ids of the steps whose included workflows contain these steps, such as `build` for `build/test`.
  static func owners(of steps: [String]) -> Set<String> {
    var owners: Set<String> = []
    for step in steps {
      for index in step.indices where step[index] == "/" { owners.insert(String(step[..<index])) }
    }
    return owners
  }

  private func names(of failed: [RunReport.Step]) -> [String] {
    guard !failed.isEmpty else { return [] }
    let names = failed.prefix(Self.shownFailures).map { step in
      subject.label(step.id) + (step.conclusion == .success ? " (optional)" : "")
    }
    let rest = failed.count - names.count
    let more = rest > 0 ? " and \(rest) more" + (commands.map { ": \($0.logsOfFailed)" } ?? "") : ""
    return [fitted(style.red("failed: " + Self.list(names, ", "))) + style.red(more)]
  }

  /// Returns the first failures with their causes. If there is room, each is followed by the last lines of its error
  /// message or, if items have failed, by the first of these.
  private func failures(_ failed: [RunReport.Step], atMost room: Int) -> [String] {
    guard !failed.isEmpty else { return [] }
    let isCut = failed.count > min(Self.shownFailures, room)
    let shown = failed.prefix(max(1, min(Self.shownFailures, room - (isCut ? 1 : 0))))
    let more = failed.count - shown.count
    let detailCount = max(0, room - shown.count - (more > 0 ? 1 : 0)) / shown.count
    var lines: [String] = []
    for step in shown {
      let word = step.outcome == .failure ? "failed" : "timed out"
      let note = step.conclusion == .success ? " (optional)" : ""
      let cause = FailureText(step.failure)
      let place = subject.place(step.id).map { " (\($0))" } ?? ""
      let label = "\(subject.label(step.id)) \(word)\(note)\(place)" + (cause.headline.isEmpty ? "" : ": ")
      lines.append(style.red(label) + shortened(cause.headline, by: TerminalText.columns(of: label)))
      let details = cause.failedItems == nil ? cause.details.suffix(detailCount) : cause.details.prefix(detailCount)
      lines += details.map {
        "  \(style.dim("│")) \(cause.failedItems == nil ? $0 : subject.named($0, itemOf: step.id))"
      }
    }
    lines = lines.map(fitted)
    if more > 0 { lines.append("and \(more) more" + (commands.map { ": \($0.logsOfFailed)" } ?? "")) }
    return lines
  }

  private func skipped(_ failed: [RunReport.Step]) -> [String] {
    // A long list of names does not help, and computing all steps of the report takes a long time.
    guard !failed.isEmpty, report.stepCount <= LineView.detailedSteps else { return [] }
    let names = report.steps.filter { $0.reason == .upstreamFailed }.map(\.id.text)
    return names.isEmpty ? [] : [named("skipped because of \(failed.count == 1 ? "it" : "them"): ", names)]
  }

  /// Returns the commands that the user may want to use next.
  private func next(_ failed: [RunReport.Step]) -> [String] {
    guard let commands else { return [] }
    var lines: [String] = []
    if failed.count == 1 { lines.append("logs: " + commands.logs(ofStep: failed[0].id.text)) }
    if 2...Self.shownFailures ~= failed.count { lines.append("logs: " + commands.logsOfFailed) }
    if report.conclusion == .failure || report.conclusion == .cancelled { lines.append("resume: " + commands.resume) }
    return lines
  }

  // MARK: Lists

  private func named(_ label: String, _ names: [String]) -> String {
    let rest = names.count > Self.shownSteps ? " and \(names.count - Self.shownSteps) more" : ""
    return fitted(label + Self.list(Array(names.prefix(Self.shownSteps)), ", ") + rest)
  }

  private func fitted(_ line: String) -> String {
    columns.map { TerminalText.fitted(line, columns: max(1, $0 - 1)) } ?? line
  }

  /// Returns the text, shortened if it does not fit on the line. The middle is omitted, because the end of a failed
  /// command is its most important part.
  private func shortened(_ text: String, by used: Int) -> String {
    guard let columns, TerminalText.columns(of: text) > columns - 1 - used else { return text }
    let room = max(0, columns - 1 - used)
    var end = Substring(text)
    while TerminalText.columns(of: String(end)) > room * 2 / 3 { end = end.dropFirst() }
    return TerminalText.fitted(text, columns: room - TerminalText.columns(of: String(end))) + end
  }

  /// Joins texts. The standard library's function looks up array types when it is first called, which takes longer than
  /// the whole summary of a small run.
  private static func list(_ texts: [String], _ separator: String) -> String {
    var result = ""
    for (index, text) in texts.enumerated() { result += index == 0 ? text : separator + text }
    return result
  }
}
