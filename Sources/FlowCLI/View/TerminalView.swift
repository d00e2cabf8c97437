import FlowEngine
import FlowModel
import FlowPluginKit
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A run as a table that is redrawn in place: a row a step with state, queue and time, the gate's countdown, what is
/// late, what waits for what. Log lines scroll above it.
final class TerminalView: RunObserver {
  private struct State {
    var progress: RunProgress
    var drawnLines = 0
    var logLines: [String] = []
    var isFinished = false
  }

  private let style: TextStyle
  private let state: Mutex<State>

  init(_ graph: WorkflowGraph, style: TextStyle) {
    self.style = style
    state = Mutex(State(progress: RunProgress(graph)))
  }

  func receive(_ events: [RunEvent]) {
    state.withLock { state in
      for event in events {
        state.progress.apply(event)
        switch event.kind {
        case .stepLog, .pluginLog, .warning, .stepRetrying:
          if let line = LineView(style: style).line(event) { state.logLines.append(line) }
        case .runFinished: state.isFinished = true
        default: break
        }
      }
    }
  }

  /// Draws the table anew.
  func draw(_ run: WorkflowRun) {
    let now = run.nowNanoseconds
    let deadline = run.gateDeadline
    let text = state.withLock { state -> String in
      var text = ""
      if state.drawnLines > 0 { text += "\u{1B}[\(state.drawnLines)A\r\u{1B}[J" }
      for line in state.logLines { text += line + "\n" }
      state.logLines = []
      let lines = table(state.progress, now, deadline)
      state.drawnLines = lines.count
      return text + lines.joined(separator: "\n") + "\n"
    }
    StandardOutput.write(text)
  }

  private typealias Deadline = (min: Duration, max: Duration?)

  private func table(_ progress: RunProgress, _ now: Int, _ deadline: Deadline?) -> [String] {
    let (height, width) = size()
    let idWidth = min(32, progress.rows.map(\.id.text.count).max() ?? 8)
    var rows = progress.rows
    var hidden = 0
    if rows.count > height - 3 {
      // What goes on is worth more than what is over.
      let order = rows.indices.sorted { importance(rows[$0]) < importance(rows[$1]) }
      let kept = Set(order.prefix(max(1, height - 4)))
      hidden = rows.count - kept.count
      rows = rows.indices.filter { kept.contains($0) }.map { rows[$0] }
    }
    var lines = [gateLine(progress, now, deadline)]
    for row in rows { lines.append(line(row, progress, now, idWidth, width)) }
    if hidden > 0 { lines.append(style.dim("  … and \(hidden) more")) }
    return lines
  }

  private func importance(_ row: RunProgress.Row) -> Int {
    switch row.state {
    case .running, .retrying: 0
    case .done(let finished): finished.outcome == .failure || finished.outcome == .timedOut ? 1 : 4
    case .ready: 2
    case .waiting: 3
    }
  }

  private func gateLine(_ progress: RunProgress, _ now: Int, _ deadline: Deadline?) -> String {
    guard let activated = progress.activatedAtNanoseconds else { return style.bold("prewarmed") + ", not activated" }
    if let (outcome, time) = progress.gate {
      let text = "gate opened at \(Milliseconds.text(Double(time - activated) / 1_000_000)), \(outcome.word)"
      return outcome == .ready ? style.green(text) : style.yellow(text)
    }
    let elapsed = Double(now - activated) / 1_000_000
    let open = progress.rows.count { row in
      if case .done = row.state { return false }
      return row.isBlocking
    }
    var text = style.bold("gate") + " \(Milliseconds.text(elapsed)): "
    text += open == 0 ? "everything is ready" : "\(open) blocking \(open == 1 ? "step" : "steps") to go"
    if let min = deadline?.min.milliseconds, elapsed < min {
      text += ", opens in \(Milliseconds.text(min - elapsed)) at the earliest"
    } else if let max = deadline?.max?.milliseconds {
      text += ", opens in \(Milliseconds.text(Swift.max(0, max - elapsed))) at the latest"
    }
    return text
  }

  private func line(
    _ row: RunProgress.Row, _ progress: RunProgress, _ now: Int, _ idWidth: Int, _ width: Int
  ) -> String {
    let id = row.id.text.padded(to: idWidth)
    var state: String
    var rest = ""
    switch row.state {
    case .waiting:
      state = style.dim("·  waiting ")
      let reason = progress.waits(for: row)
      if !reason.isEmpty { rest = "for \(reason)" }
    case .ready: state = style.cyan("○  ready   ")
    case .running:
      state = style.cyan("▶  running ")
      rest = row.message
    case .retrying: state = style.yellow("↻  retrying")
    case .done(let finished):
      switch finished.outcome {
      case .success: state = style.green("✓  done    ")
      case .skipped:
        state = style.dim("–  skipped ")
        rest = finished.reason?.word ?? ""
      case .cancelled: state = style.yellow("✗  stopped ")
      case .failure: state = style.red("✗  failed  ")
      case .timedOut: state = style.red("✗  too late")
      }
      if let failure = finished.failure { rest = failure.message }
    }
    if row.isLate { rest = "late " + rest }
    var time = ""
    if let started = row.startedAtNanoseconds {
      if case .done(let finished) = row.state {
        time = finished.durationMilliseconds.map(Milliseconds.text) ?? ""
      } else {
        time = Milliseconds.text(Double(now - started) / 1_000_000)
      }
    }
    let used = 2 + 11 + 1 + idWidth + 1 + 17 + 1 + 9 + 2
    let tail = String(rest.prefix(max(0, width - used - 1)))
    return "  \(state) \(id) \(style.dim(row.queue.padded(to: 17))) \(time.leftPadded(to: 9))  \(style.dim(tail))"
  }

  private func size() -> (height: Int, width: Int) {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 4, size.ws_col > 40 else { return (24, 80) }
    return (Int(size.ws_row), Int(size.ws_col))
  }
}

extension Duration {
  /// The duration in milliseconds.
  var milliseconds: Double { Double(nanoseconds) / 1_000_000 }
}
