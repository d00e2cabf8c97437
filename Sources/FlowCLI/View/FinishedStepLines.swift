import FlowDiagnostics
import FlowEngine
import FlowModel

/// The lines that the live view prints for a finished step: a single line, followed by the last output if the step has
/// failed.
struct FinishedStepLines {
  let style: TextStyle
  let subject: RunSubject
  let size: TerminalSize
  /// The number of columns of the workflow's longest step name.
  let widestName: Int

  /// The maximum number of output lines that are shown for a failure.
  static let failureLines = 10
  private static let widestShownName = 32
  private static let timeColumns = 9
  private static let (otherColumns, failureColumns) = (16, 36)

  /// Returns the lines for a finished step or item. If `isQuoteShown` is true, the output that its error message quotes
  /// is omitted.
  func lines(
    _ step: StepID, _ finished: RunEvent.FinishedStep, isQuoteShown: Bool = false, note: String? = nil
  ) -> [String] {
    let width = min(widestName, Self.widestShownName, max(8, size.columns / 2))
    // A long name must leave room for the time, and for the exit status or the number of items of a failure.
    let others = finished.isFailed ? Self.failureColumns : Self.otherColumns
    let name = TerminalText.fitted(subject.name(step), columns: max(width, size.columns - others)).padded(to: width)
    let time = (finished.durationMilliseconds.map(Milliseconds.text) ?? "").leftPadded(to: Self.timeColumns)
    switch finished.outcome {
    case .success where subject.readiness(of: step) != nil:
      return [fitted("\(style.green("●")) \(name)  \(time)  \(subject.readiness(of: step) ?? "")")]
    case .success:
      return [fitted("\(style.green("✓")) \(name)  \(time)" + (note.map { "  " + style.dim($0) } ?? ""))]
    case .skipped: return [fitted(style.dim("– \(name)  skipped: \(finished.reason?.word ?? "condition")"))]
    case .cancelled: return [fitted("\(style.yellow("■")) \(name)  \(time)  \(style.yellow("cancelled"))")]
    case .failure, .timedOut: return failure(of: step, finished, "\(name)  \(time)", isQuoteShown)
    }
  }

  /// Returns the lines for a failure: the exit status or cause, the location in the file, and the last output.
  private func failure(
    of step: StepID, _ finished: RunEvent.FinishedStep, _ name: String, _ isQuoteShown: Bool
  ) -> [String] {
    let word = finished.outcome == .failure ? "failed" : "timed out"
    let note = finished.conclusion == .success ? " (optional)" : ""
    let cause = FailureText(finished.failure)
    var head = "\(style.red("✗")) \(name)  "
    var lines: [String] = []
    if let items = cause.failedItems {
      head += style.red(items + note)
    } else {
      head += style.red(word + note)
      if let status = cause.exitStatus {
        head += ", exit \(status)"
      } else if !cause.headline.isEmpty {
        // A cause that does not fit in the line has a separate one. The terminal can wrap that line, so the cause is
        // shown completely.
        let fits = TerminalText.columns(of: "\(head): \(cause.headline)") < size.columns
        if fits { head += ": \(cause.headline)" } else { lines.append("    \(cause.headline)") }
      }
    }
    if let place = subject.place(step) {
      let fits = TerminalText.columns(of: "\(head)  \(place)") < size.columns
      if fits { head += "  " + style.dim(place) } else { lines.append("    " + style.dim(place)) }
    }
    let quoted = cause.details.isEmpty ? [cause.lastLine].compactMap { $0 } : cause.details
    return [fitted(head)] + lines + (isQuoteShown ? [] : quoted.suffix(Self.failureLines).map(bar))
  }

  /// Returns the lines for the failed items of a step, one per item.
  func lines(_ items: FailedItems, more command: String?) -> [String] {
    let lines = items.lines(style, more: command)
    // A command is never cut off, because the user copies it.
    guard items.count > items.rows.count else { return lines.map(fitted) }
    return lines.dropLast().map(fitted) + lines.suffix(1)
  }

  /// Returns a line that names skipped steps, such as `– 3 skipped (condition): a, b, c`.
  func line(skipped steps: [StepID], _ reason: SkipReason?) -> String {
    let names = steps.prefix(20).map(subject.name).joined(separator: ", ")
    return fitted(style.dim("– \(steps.count) skipped (\(reason?.word ?? "condition")): \(names)"))
  }

  private func bar(_ line: String) -> String {
    let shown = style.isColored ? line : TerminalText.commandLine(line, keepsColors: false)
    return fitted("    " + style.dim("│ ") + shown.replacing("\t", with: " "))
  }

  private func fitted(_ text: String) -> String { TerminalText.fitted(text, columns: max(1, size.columns - 1)) }
}

extension RunReport.Step {
  /// True if the step failed or timed out, even if it is `optional`.
  var isFailed: Bool { outcome == .failure || outcome == .timedOut }
}

/// The parts of an error message: a headline, and the last lines that the failed command printed.
struct FailureText {
  /// The first line, such as `exited with status 2: 'make' [command-failed]`. Empty if the cause is unknown.
  let headline: String
  /// The lines of the error message after the first one.
  let details: [String]
  /// The exit status of the command. Nil if the failure is not an exit status, or if advice follows the command.
  private(set) var exitStatus: Int?
  /// The last line that the failed command printed. Nil if it printed none, or if the failure is not an exit status.
  private(set) var lastLine: String?
  /// A count such as `4 of 19 items failed` if items caused the failure, or nil.
  private(set) var failedItems: String?

  /// The cause in a few words, such as `exit 7` for a command. For other failures, this is the headline.
  var cause: String { exitStatus.map { "exit \($0)" } ?? headline }

  /// Splits an error message into its parts. `failure` is nil if the cause is unknown.
  init(_ failure: StepFailure?) {
    guard let failure else {
      (headline, details) = ("", [])
      return
    }
    let first = LogText.headline(failure.message)
    // If advice follows the command, the whole message is shown.
    if failure.code == "command-failed", let end = first.wholeMatch(of: /exited with status (\d+): (.*)/) {
      let command = end.2.hasSuffix("')") ? end.2.ranges(of: " ('").last : nil
      lastLine = command.map { String(end.2[..<$0.lowerBound]) }
      if command != nil || end.2.first == "'" && end.2.last == "'" { exitStatus = Int(end.1) }
    }
    if failure.code == "items-failed" { failedItems = first }
    headline = first + " [\(TerminalText.visible(failure.code))]"
    details = failure.message.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().map { line in
      TerminalText.commandLine(String(line.hasPrefix("  ") ? line.dropFirst(2) : line))
    }
  }
}
