import FlowEngine
import FlowModel
import FlowPluginKit
import Synchronization

/// A run as a table that is redrawn in place: a row a step with state, queue and time, the gate's countdown, what is
/// late, what waits for what. Log lines scroll above it, and so does what goes to standard error.
final class TerminalView: RunObserver {
  private struct State {
    var progress: RunProgress
    /// How many columns each line of the table took that stands on the screen.
    var drawnColumns: [Int] = []
    var drawnAtNanoseconds = 0
    var linesAbove: [String] = []
    var isEnded = false
    /// Whether somebody is being asked something below the table.
    var isPaused = false
  }

  private let style: TextStyle
  private let subject: RunSubject
  private let size: @Sendable () -> TerminalSize
  private let output: @Sendable (String) -> Void
  private let state: Mutex<State>

  /// Clears what is left of a line and goes on to the next.
  private static let nextLine = "\u{1B}[K\n"
  /// Longer than this nothing is drawn only while the process is stopped; what stands on the screen then is not ours.
  private static let pauseNanoseconds = 3_000_000_000

  /// A view of a run that begins; a test gives a terminal of its own.
  init(
    _ graph: WorkflowGraph, _ subject: RunSubject, style: TextStyle,
    size: @escaping @Sendable () -> TerminalSize = { .current },
    output: @escaping @Sendable (String) -> Void = { StandardOutput.draw($0) }
  ) {
    self.style = style
    self.subject = subject
    self.size = size
    self.output = output
    state = Mutex(State(progress: RunProgress(graph)))
  }

  func receive(_ events: [RunEvent]) {
    let lines = LineView(style: style, subject: subject)
    state.withLock { state in
      for event in events {
        state.progress.apply(event)
        switch event.kind {
        // What a command writes stands below its step while it runs.
        case .stepLog(_, _, _?, _), .stepUnfinishedLine: break
        case .stepLog, .pluginLog, .warning, .stepRetrying: state.linesAbove += lines.lines(event)
        default: break
        }
      }
    }
  }

  /// Draws the table for the first time; from now on standard error goes above it.
  func begin(_ run: WorkflowRun) {
    draw(run)
    guard StandardOutput.isErrorOnTerminal else { return }
    StandardOutput.routeErrors { [self, run] text in say(text, run) }
  }

  /// Draws the table anew.
  func draw(_ run: WorkflowRun) { draw(at: run.nowNanoseconds, deadline: run.gateDeadline) }

  /// Draws the table, and then no more until ``resume()``: what is written meanwhile stands below it.
  func pause(_ run: WorkflowRun) {
    draw(run)
    state.withLock { state in
      state.isPaused = true
      state.drawnColumns = []
    }
  }

  /// Draws the table again, below what was written.
  func resume() { state.withLock { $0.isPaused = false } }

  /// Draws the table for the last time: what the summary says is left to it.
  func end(_ run: WorkflowRun) {
    StandardOutput.routeErrors(to: nil)
    end(at: run.nowNanoseconds, deadline: run.gateDeadline)
  }

  /// Shows a text of several lines above the table, at once.
  private func say(_ text: String, _ run: WorkflowRun) {
    say(text)
    draw(run)
  }

  /// Notes lines that the next drawing shows above the table.
  func say(_ text: String) {
    let lines = text.split(separator: "\n").map(String.init)
    state.withLock { $0.linesAbove += lines }
  }

  /// Draws the table as it stands at an instant.
  func draw(at now: Int, deadline: ProgressTable.Deadline?) {
    state.withLock { state in
      guard !state.isEnded, !state.isPaused else { return }
      output(drawing(&state, now, deadline))
    }
  }

  /// Draws the table as it stands at the end.
  func end(at now: Int, deadline: ProgressTable.Deadline?) {
    state.withLock { state in
      guard !state.isEnded else { return }
      state.isEnded = true
      output(drawing(&state, now, deadline))
    }
  }

  private func drawing(_ state: inout State, _ now: Int, _ deadline: ProgressTable.Deadline?) -> String {
    let size = size()
    var text = ""
    if now - state.drawnAtNanoseconds < Self.pauseNanoseconds {
      // A terminal that has become narrower has wrapped the lines.
      let rows = state.drawnColumns.reduce(0) { $0 + max(1, ($1 + size.columns - 1) / size.columns) }
      text += rows > 0 ? "\u{1B}[\(rows)A\r" : "\r"
    } else {
      text += "\r"
    }
    // Line by line: to clear the whole screen at once makes some terminals keep it, in what has scrolled away.
    for line in state.linesAbove { text += line + Self.nextLine }
    state.linesAbove = []
    let table = ProgressTable(
      progress: state.progress, subject: subject, style: style, nowNanoseconds: now, deadline: deadline, size: size,
      isEnded: state.isEnded)
    let lines = table.lines
    for line in lines { text += line.text + Self.nextLine }
    text += "\u{1B}[J"
    state.drawnColumns = lines.map(\.columns)
    state.drawnAtNanoseconds = now
    return text
  }
}
