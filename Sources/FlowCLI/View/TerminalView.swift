import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowPluginKit
import Synchronization

/// Shows a run on a terminal. Finished steps and log messages are printed above a ``ProgressRegion``, which is redrawn
/// in place. Standard error is also shown above the region.
final class TerminalView: LineObserver {
  private struct State {
    var progress: RunProgress
    /// The number of columns of each line of the region that is on the screen.
    var drawnColumns: [Int] = []
    var drawnAtNanoseconds = 0
    var linesAbove: [String] = []
    /// The step whose output was written last, below a line with the step's id. Nil if something else was written last.
    var plainStep: StepID?
    /// The steps that were skipped since the view was last drawn. Steps skipped for the same reason share a line.
    var skipped: [(reason: SkipReason?, steps: [StepID])] = []
    /// The failed items of steps that are still running.
    var failedItems: [StepID: FailedItems] = [:]
    /// The number of rows that have been written above the region since the first failure, or nil if nothing has
    /// failed.
    var rowsSinceFailure: Int?
    var isEnded = false
    /// True while a question or an interactive command uses the terminal in place of the region.
    var isPaused = false
    /// The number of lines that were dropped during a pause because there were too many.
    var droppedLines = 0

    /// Drops the oldest lines if there are too many for anyone to read.
    mutating func dropFirstLines() {
      guard linesAbove.count > 2 * TerminalView.pausedLines else { return }
      droppedLines += linesAbove.count - TerminalView.pausedLines
      linesAbove.removeFirst(linesAbove.count - TerminalView.pausedLines)
    }
  }

  /// The number of lines that are kept during a pause.
  fileprivate static let pausedLines = 10_000

  private let style: TextStyle
  private let subject: RunSubject
  /// Formats log messages and, with `--verbose`, all events.
  private let lines: LineView
  /// The commands that show more of the run, or nil if the run is not recorded.
  private let commands: RunCommands?
  private let size: @Sendable () -> TerminalSize
  private let output: @Sendable (String) -> Void
  private let state: Mutex<State>

  /// Clears the rest of the line and moves the cursor to the next one.
  private static let nextLine = "\u{1B}[K\n"
  /// The time between two drawings after which this process is assumed to have been suspended. Other programs may then
  /// have written to the screen.
  private static let pauseNanoseconds = 3_000_000_000

  /// Creates a view of a run. If it is a resumed run, `finished` are the steps that had already finished. Tests can
  /// replace `size` and `output`.
  init(
    _ graph: WorkflowGraph, _ subject: RunSubject, finished: Set<StepIndex> = [], isVerbose: Bool = false,
    asksHere: Bool = false, clock: EventClock? = nil, commands: RunCommands? = nil, style: TextStyle,
    size: @escaping @Sendable () -> TerminalSize = { .current },
    output: @escaping @Sendable (String) -> Void = { StandardOutput.draw($0) }
  ) {
    self.style = style
    self.subject = subject
    self.commands = commands
    lines = LineView(style: style, subject: subject, isVerbose: isVerbose, asksHere: asksHere, clock: clock)
    self.size = size
    self.output = output
    state = Mutex(State(progress: RunProgress(graph, finished: finished)))
  }

  func receive(_ events: [RunEvent]) {
    let size = size()
    state.withLock { state in
      for event in events {
        state.progress.apply(event)
        subject.items.note(event)
        if case .warning(let warning) = event.kind { lines.warnings.note(warning) }
        note(event, size, &state)
      }
      if state.isPaused { state.dropFirstLines() }
    }
  }

  /// Prepares the lines that the next drawing shows above the region because of an event.
  private func note(_ event: RunEvent, _ size: TerminalSize, _ state: inout State) {
    switch event.kind {
    case .stepFinished(let step, let finished):
      let isItem = step.item.map { state.progress.has($0.step) } ?? false
      if finished.isFailed, !isItem || lines.isVerbose, state.rowsSinceFailure == nil { state.rowsSinceFailure = 0 }
      if lines.isVerbose {
        state.linesAbove += lines.timedLines(event)
      } else {
        noteEnd(of: step, finished, at: event.atNanoseconds, size, &state)
      }
    case _ where lines.isVerbose: state.linesAbove += lines.timedLines(event)
    // The unfinished line is shown after the running step.
    case .stepUnfinishedLine: return
    case .stepLog(let step, _, _?, let line): return note(line, of: step, &state)
    // Until the next attempt starts, the failure is shown after the step.
    case .stepRetrying(let step, _, _, let failure) where state.progress.has(step):
      _ = lines.takesQuoteAsShown(of: step, failure)
      return
    case .stepLog, .pluginLog, .warning, .stepRetrying: state.linesAbove += lines.lines(event)
    default: return
    }
    state.plainStep = nil
  }

  /// Adds a line that a command has printed. If several steps are running, or if an item printed the line, the line
  /// begins with the id. Otherwise, consecutive lines of a step follow a separate line with its id.
  private func note(_ line: String, of step: StepID, _ state: inout State) {
    lines.note(line, of: step)
    let shown = TerminalText.commandLine(line, keepsColors: style.isColored)
    guard step.item == nil, state.progress.running.count <= 1 else {
      state.plainStep = nil
      state.linesAbove.append((style.dim("\(subject.items.text(step)) │") + " " + shown).withoutTabs)
      return
    }
    if state.plainStep != step { state.linesAbove.append("\(style.cyan("▶")) \(step)") }
    state.plainStep = step
    state.linesAbove.append(shown.withoutTabs)
  }

  private func noteEnd(
    of step: StepID, _ finished: RunEvent.FinishedStep, at now: Int, _ size: TerminalSize, _ state: inout State
  ) {
    let isQuoteShown = lines.takesQuoteAsShown(of: step, finished.failure)
    // Failed items are listed in a table below the step.
    if let item = step.item, state.progress.has(item.step) {
      guard finished.isFailed else { return }
      let row = FailedItems.Row(
        index: item.index, name: subject.items.name(of: item.index, of: item.step) ?? "", outcome: finished.outcome,
        failure: finished.failure, isQuoteShown: isQuoteShown)
      return state.failedItems[item.step, default: FailedItems()].add(row)
    }
    // If the workflow has very many steps, only failed ones have a line.
    let isListed = state.progress.has(step) && subject.stepCount <= LineView.detailedSteps
    guard isListed || finished.isFailed, finished.reason != .notSelected else { return }
    // An included file has a line only when it ends.
    if subject.includes.isEntry(step), !finished.isFailed { return }
    guard finished.outcome != .skipped else {
      if let index = state.skipped.firstIndex(where: { $0.reason == finished.reason }) {
        state.skipped[index].steps.append(step)
      } else {
        state.skipped.append((finished.reason, [step]))
      }
      return
    }
    var shown = finished
    var note = state.progress.itemCount(of: step).map { "\($0) item\($0 == 1 ? "" : "s")" }
    if let file = state.progress.included(endingIn: step) {
      note = "\(file.stepCount) step\(file.stepCount == 1 ? "" : "s")"
      if let start = file.startedAtNanoseconds { shown.durationMilliseconds = Double(now - start) / 1_000_000 }
    }
    let failedItems = state.failedItems.removeValue(forKey: step)
    let stepLines = stepLines(state, size)
    state.linesAbove += stepLines.lines(step, shown, isQuoteShown: isQuoteShown || failedItems != nil, note: note)
    if let failedItems { state.linesAbove += stepLines.lines(failedItems, more: commands?.logsOfFailed) }
  }

  private func stepLines(_ state: State, _ size: TerminalSize) -> FinishedStepLines {
    FinishedStepLines(style: style, subject: subject, size: size, widestName: state.progress.widestName)
  }

  /// Draws the region for the first time. From then on, standard error is shown above it.
  func begin(_ run: WorkflowRun) {
    draw(run)
    guard StandardOutput.isErrorOnTerminal else { return }
    StandardOutput.routeErrors { [self, run] text in say(text, run) }
  }

  func draw(_ run: WorkflowRun) {
    if state.withLock({ $0.progress.awaitsItemTotals }) {
      let totals = run.itemTotals
      state.withLock { $0.progress.note(itemTotals: totals) }
    }
    if subject.hasServices {
      let (serving, isKeeping) = (run.servingSteps, run.isKeepingServices)
      state.withLock { $0.progress.note(serving: serving, isKeeping: isKeeping) }
    }
    draw(at: run.nowNanoseconds, deadline: run.gateDeadline)
  }

  /// Removes the region from the screen until ``resume()`` is called, so that a question or a command can use the
  /// terminal.
  func pause(_ run: WorkflowRun) {
    state.withLock { state in
      guard !state.isEnded else { return }
      output(drawing(&state, run.nowNanoseconds, run.gateDeadline, hasRegion: false))
      state.isPaused = true
    }
  }

  /// Allows drawing the region again, below the text that has been written in the meantime.
  func resume() { state.withLock { $0.isPaused = false } }

  /// Removes the region permanently. The summary follows.
  func end(_ run: WorkflowRun) {
    StandardOutput.routeErrors(to: nil)
    end(at: run.nowNanoseconds, deadline: run.gateDeadline)
  }

  /// True if the first failure will still be visible above a summary with this many lines, so that it need not be
  /// repeated.
  func showsFailures(besideLines summaryLines: Int) -> Bool {
    let rows = size().rows
    return state.withLock { state in state.rowsSinceFailure.map { $0 + summaryLines < rows } ?? false }
  }

  /// Returns the warnings that will still be visible above a summary with this many lines.
  func warningsInView(besideLines summaryLines: Int) -> Set<String> {
    lines.warnings.inView(ofRows: size().rows - summaryLines)
  }

  /// Shows text above the region immediately. It can have several lines.
  private func say(_ text: String, _ run: WorkflowRun) {
    say(text)
    draw(run)
  }

  /// Adds lines that the next drawing shows above the region.
  func say(_ text: String) {
    let lines = text.split(separator: "\n").map(String.init)
    state.withLock { $0.linesAbove += lines }
  }

  func draw(at now: Int, deadline: ProgressRegion.Deadline?) {
    state.withLock { state in
      guard !state.isEnded, !state.isPaused else { return }
      output(drawing(&state, now, deadline, hasRegion: true))
    }
  }

  /// Draws all pending lines and removes the region.
  func end(at now: Int, deadline: ProgressRegion.Deadline?) {
    state.withLock { state in
      guard !state.isEnded else { return }
      state.isEnded = true
      output(drawing(&state, now, deadline, hasRegion: false))
    }
  }

  private func drawing(
    _ state: inout State, _ now: Int, _ deadline: ProgressRegion.Deadline?, hasRegion: Bool
  ) -> String {
    let size = size()
    var text = "\r"
    var begin = ""
    if now - state.drawnAtNanoseconds < Self.pauseNanoseconds {
      // If the terminal has become narrower, it has wrapped the lines.
      let rows = state.drawnColumns.reduce(0) { $0 + Self.rows($1, size) }
      if rows > 0 { text = "\u{1B}[\(rows)A\r" }
      // A terminal treats the rows of a wrapped line as one line until they are cleared from the first column on.
      if rows > state.drawnColumns.count { begin = "\u{1B}[K" }
    }
    // Each line is cleared separately, because some terminals add a screen to the scrollback when it is cleared.
    for line in takeLinesAbove(&state, size) { text += begin + line + Self.nextLine }
    var shown: [ProgressRegion.Line] = []
    if hasRegion {
      let region = ProgressRegion(
        progress: state.progress, subject: subject, style: style, nowNanoseconds: now, deadline: deadline, size: size,
        showsQueues: lines.isVerbose)
      shown = region.lines
    }
    for line in shown { text += begin + line.text + Self.nextLine }
    text += "\u{1B}[J"
    state.drawnColumns = shown.map(\.columns)
    state.drawnAtNanoseconds = now
    return text
  }

  private func takeLinesAbove(_ state: inout State, _ size: TerminalSize) -> [String] {
    let stepLines = stepLines(state, size)
    var lines = state.linesAbove
    if state.droppedLines > 0 {
      lines.insert(style.dim("… \(state.droppedLines) lines more; see flowrun logs last"), at: 0)
      state.droppedLines = 0
    }
    for (reason, steps) in state.skipped {
      let skipped = RunEvent.FinishedStep(outcome: .skipped, conclusion: .skipped, reason: reason, attempts: 0)
      lines +=
        steps.count == 1 ? stepLines.lines(steps[0], skipped) : [stepLines.line(skipped: steps, reason)]
    }
    state.linesAbove = []
    state.skipped = []
    if state.rowsSinceFailure != nil || !self.lines.warnings.isEmpty {
      let rows = lines.reduce(0) { $0 + Self.rows(TerminalText.columns(of: $1), size) }
      state.rowsSinceFailure = state.rowsSinceFailure.map { $0 + rows }
      self.lines.warnings.add(rows: rows)
    }
    return lines
  }

  /// Returns the number of rows that a line of `columns` columns occupies, but at least 1.
  private static func rows(_ columns: Int, _ size: TerminalSize) -> Int {
    max(1, (columns + size.columns - 1) / size.columns)
  }
}

extension String {
  /// The line with spaces in place of tabs. A tab does not clear the columns that it skips.
  fileprivate var withoutTabs: String {
    guard utf8.contains(0x09) else { return self }
    var result = ""
    for (index, part) in split(separator: "\t", omittingEmptySubsequences: false).enumerated() {
      if index > 0 { result += String(repeating: " ", count: 8 - TerminalText.columns(of: result) % 8) }
      result += part
    }
    return result
  }
}
