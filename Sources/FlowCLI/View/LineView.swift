import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowPluginKit
import Synchronization

/// Shows a run as plain lines, for pipes and logs. There is one line per finished step, and lines for log messages,
/// retries, events and the gate. With `--verbose`, there is also a line with the queue for each start.
///
/// If there are more than ``detailedSteps`` steps, or items of a step, lines about successes would not help. Only
/// failures, retries, log messages and the gate are then shown.
struct LineView: LineObserver {
  /// The maximum number of steps or items for which each has separate lines.
  static let detailedSteps = 1_000
  /// The number of bytes after which the text of several parts is written.
  private static let flushBytes = 1 << 18

  let style: TextStyle
  let subject: RunSubject
  /// True to show a line for each start as well.
  let isVerbose: Bool
  /// True if questions are asked on this terminal. Lines that announce them are then redundant.
  private let asksHere: Bool
  /// The clock for the time of day, or nil to show the time since the activation.
  private let clock: EventClock?
  private let lastLines = LastLines()
  /// The warnings that have been shown. If another view shows the lines of this one, that view counts the rows.
  let warnings = ShownWarnings()

  init(
    style: TextStyle, subject: RunSubject, isVerbose: Bool = false, asksHere: Bool = false, clock: EventClock? = nil
  ) {
    self.style = style
    self.subject = subject
    self.isVerbose = isVerbose
    self.asksHere = asksHere
    self.clock = clock
  }

  /// The state of the run according to the events so far.
  private final class LastLines: Sendable {
    /// The last line that each running step has printed.
    let lines = Mutex<[StepID: String]>([:])
    /// The start of each included file that has not ended, in nanoseconds, by the file's exit.
    let begins = Mutex<[StepID: Int]>([:])
    /// The time of the activation, in nanoseconds. Times at the beginning of lines are relative to it, like those in
    /// the summary.
    let activatedAt = Atomic(0)
  }

  var detail: RunDetail { subject.stepCount > Self.detailedSteps ? .brief : .full }

  func detail(ofItems count: Int) -> RunDetail { count > Self.detailedSteps ? .brief : detail }

  func receive(_ events: [RunEvent]) { StandardOutput.write(text(of: events)) }

  func receive(_ parts: [RunPart]) {
    var text = ""
    for part in parts {
      switch part {
      case .events(let events): text += self.text(of: events)
      case .lines(let lines): text += self.text(of: lines)
      }
      guard text.utf8.count >= Self.flushBytes else { continue }
      StandardOutput.write(text)
      text = ""
    }
    if !text.isEmpty { StandardOutput.write(text) }
  }

  /// Returns the lines for these events. Each ends with a line break.
  func text(of events: [RunEvent]) -> String {
    var text = ""
    for event in events {
      subject.items.note(event)
      if case .warning(let warning) = event.kind { warnings.note(warning) }
      let lines = timedLines(event)
      warnings.add(rows: lines.count)
      for line in lines { text += line + "\n" }
    }
    return text
  }

  /// Returns the lines that a command has printed. Each ends with a line break.
  func text(of lines: StepLines) -> String {
    if !isVerbose, let last = lines.lines.last { note(last, of: lines.step) }
    warnings.add(rows: lines.lines.count)
    return lines.shown(
      after: "\(style.dim(time(of: lines.atNanoseconds)))  \(subject.items.text(lines.step)): ",
      keepsColors: style.isColored)
  }

  /// Returns the lines for an event. The first one begins with the event's time.
  func timedLines(_ event: RunEvent) -> [String] {
    if case .runActivated = event.kind { lastLines.activatedAt.store(event.atNanoseconds, ordering: .relaxed) }
    let lines = lines(event)
    if lines.isEmpty { return [] }
    let time = time(of: event.atNanoseconds)
    return lines.enumerated().map { number, line in
      (number == 0 ? style.dim(time) : String(repeating: " ", count: time.utf8.count)) + "  " + line
    }
  }

  private func time(of nanoseconds: Int) -> String {
    if let clock { return clock.text(nanoseconds) }
    let nanoseconds = nanoseconds - lastLines.activatedAt.load(ordering: .relaxed)
    return Milliseconds.fixed(Double(nanoseconds) / 1_000_000, 1).leftPadded(to: 9)
  }

  /// Returns the lines for an event, or an empty array if the event is not shown.
  func lines(_ event: RunEvent) -> [String] {
    switch event.kind {
    // Questions and answers are not listed here, because they are also log messages.
    case .stepReady, .stepProgress, .stepAsked, .stepQuestionEnded, .stepUnfinishedLine, .stepItems, .runFinished: []
    case .stepLog(let step, _, _?, let line): commandLine(step, line)
    // The question itself follows, because it is asked on this terminal.
    case .stepLog(_, .info, nil, let message)
    where asksHere && message.hasPrefix("asks: ") && message.firstRange(of: "; flowrun answer ") != nil:
      []
    case .stepLog(let step, let level, nil, let message):
      LogText.lines(level, message, style, before: "\(subject.items.text(step)): ")
    case .pluginLog(let plugin, _, let line):
      ["plugin \(TerminalText.visible(plugin)): \(TerminalText.commandLine(line, keepsColors: style.isColored))"]
    case .stepRetrying(let step, let attempt, let delay, let failure):
      retrying(step, attempt, delay, failure, isQuoteShown: takesQuoteAsShown(of: step, failure))
    case .stepFinished(let step, let finished):
      lines(
        step, finished, at: event.atNanoseconds, isQuoteShown: takesQuoteAsShown(of: step, finished.failure))
    case .runActivated, .gateLate, .gateOpened: gateLine(event).map { [$0] } ?? []
    case .runStarted(let workflow, let id, _):
      [style.bold(TerminalText.visible(workflow)) + " started, run \(id)"]
    case .stepStarted(let step, _, _) where subject.includes.isEntry(step): begin(step, at: event.atNanoseconds)
    case .stepStarted where !isVerbose: []
    case .stepStarted(let step, let attempt, let queue):
      ["\(subject.label(step)) started on \(queue)" + (attempt > 1 ? ", attempt \(attempt)" : "")]
    // The event `activate` has no line, because the activation has one.
    case .eventPosted("activate", _): []
    case .eventPosted(let name, let number):
      ["event \(TerminalText.visible(name))" + (number.map { ", post \($0)" } ?? "")]
    case .warning(let message): LogText.paragraph("warning: \(message)").map(style.yellow)
    }
  }

  /// Returns the line about the activation or the gate, or nil if no such line is shown for the event.
  private func gateLine(_ event: RunEvent) -> String? {
    switch event.kind {
    case .runActivated(let reason, _) where subject.isGated: "activated, launch reason \(reason.rawValue)"
    case .runActivated: subject.isPrewarmed ? "activated" : nil
    case .gateLate(let step): style.yellow("\(subject.label(step)) is late")
    case .gateOpened(let outcome) where subject.isGated:
      outcome == .ready
        ? style.green("gate opened, \(outcome.word)") : style.yellow("gate opened, \(outcome.word)")
    default: nil
    }
  }

  private func retrying(
    _ step: StepID, _ attempt: Int, _ delay: Double, _ failure: StepFailure?, isQuoteShown: Bool
  ) -> [String] {
    let cause = failure.map { ": " + LogText.headline($0.message) } ?? ""
    let quote = isQuoteShown ? [] : failure.map { LogText.paragraph($0.message).dropFirst() } ?? []
    return ["\(subject.label(step)) failed in attempt \(attempt)\(cause); again in \(Milliseconds.text(delay))"] + quote
  }

  private func commandLine(_ step: StepID, _ line: String) -> [String] {
    if !isVerbose { note(line, of: step) }
    return [LogText.commandLine(subject.items.text(step), line, style)]
  }

  /// Records the last line that a step has printed. The number of steps is limited; for the others, the view may repeat
  /// a line that an error message quotes.
  func note(_ line: String, of step: StepID) {
    lastLines.lines.withLock { if $0.count < 10 * Self.detailedSteps { $0[step] = line } }
  }

  /// Returns true if the failure quotes no line, or if its last quoted line is the last one that the step has printed.
  /// Returns false if no printed line is recorded. Removes the recorded line.
  func takesQuoteAsShown(of step: StepID, _ failure: StepFailure?) -> Bool {
    guard let last = lastLines.lines.withLock({ $0.removeValue(forKey: step) }) else { return false }
    let quotes = failure?.message.split(separator: "\n").dropFirst().last?.drop { $0 == " " }
    return quotes == nil || quotes == last.drop { $0 == " " }
  }

  /// Records the start of an included file. No line is shown for it.
  private func begin(_ entry: StepID, at nanoseconds: Int) -> [String] {
    lastLines.begins.withLock { $0[subject.includes.exit(of: entry)] = nanoseconds }
    return []
  }

  /// Returns the lines for a finished step. Lines that its failure quotes are omitted if they have already been shown.
  private func lines(
    _ step: StepID, _ finished: RunEvent.FinishedStep, at now: Int, isQuoteShown: Bool
  ) -> [String] {
    var duration = finished.durationMilliseconds
    var count = ""
    if let steps = subject.includes.stepCount(endingIn: step) {
      if let begin = lastLines.begins.withLock({ $0.removeValue(forKey: step) }) {
        duration = Double(now - begin) / 1_000_000
      }
      count = ", \(steps) step\(steps == 1 ? "" : "s")"
    } else if let items = subject.items.count(of: step) {
      count = ", \(items) item\(items == 1 ? "" : "s")"
    }
    let time = duration.map { " in \(Milliseconds.text($0))" } ?? ""
    let label = subject.label(step)
    switch finished.outcome {
    // An included file has a line only when it ends.
    case .success where subject.includes.isEntry(step): return []
    case .success where subject.readiness(of: step) != nil:
      return [style.green("\(label) \(subject.readiness(of: step) ?? "")") + time]
    case .success: return [style.green("\(label) succeeded") + time + count]
    case .skipped where finished.reason == .notSelected: return []
    // A log line of the step states how many items are up to date, so they have no lines of their own.
    case .skipped where finished.reason == .upToDate && step.item != nil && !isVerbose: return []
    case .skipped: return [style.dim("\(label) skipped: \(finished.reason?.word ?? "condition")")]
    case .cancelled: return [style.yellow("\(label) cancelled") + time]
    case .failure, .timedOut:
      let word = finished.outcome == .failure ? "failed" : "timed out"
      let note = finished.conclusion == .success ? " (optional)" : ""
      let failure = FailureText(finished.failure)
      // The failed items already have a line each.
      let isShort = (isQuoteShown || failure.failedItems != nil) && !failure.headline.isEmpty
      let place = step.item == nil ? subject.place(step).map { " (\($0))" } ?? "" : ""
      var lines = isShort ? [": " + failure.headline] : LogText.cause(finished.failure)
      lines[0] = style.red("\(label) \(word)\(note)") + time + place + lines[0]
      return lines
    }
  }
}
