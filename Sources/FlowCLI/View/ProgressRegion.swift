import FlowDiagnostics
import FlowEngine
import FlowModel

/// The region at the bottom of the terminal during a run. It has a bar with the gate, a line for each running step, and
/// a line with counts. If all running steps fit on the line with the counts, they are shown there.
struct ProgressRegion {
  typealias Deadline = (min: Duration, max: Duration?)

  struct Line {
    var text: String
    var columns: Int
  }

  let progress: RunProgress
  let subject: RunSubject
  let style: TextStyle
  let nowNanoseconds: Int
  let deadline: Deadline?
  let size: TerminalSize
  /// True to show the queue of each running step.
  var showsQueues = false

  /// The maximum number of running steps that have a separate line.
  static let runningLines = 8
  private static let barColumns = 16
  private static let widestName = 32
  /// The column at which the counts end on a wide terminal.
  private static let countsColumns = 100

  /// The number of usable columns in a line. The last column is not used, because terminals wrap after it.
  private var columns: Int { max(1, size.columns - 1) }

  /// All lines of the region. They leave at least one row of the terminal for the cursor.
  var lines: [Line] {
    let texts = [headline] + (sharedLine.map { [$0] } ?? runningTexts + ["  " + counts])
    return texts.prefix(max(2, size.rows - 1)).map { text in
      let fitted = TerminalText.fitted(text, columns: columns)
      return Line(text: fitted, columns: TerminalText.columns(of: fitted))
    }
  }

  // MARK: The run and its gate

  private var headline: String {
    let name = style.bold(TerminalText.fitted(subject.workflow, columns: max(8, columns / 3)))
    guard let activated = progress.activatedAtNanoseconds else {
      return "\(name)  " + (subject.isPrewarmed ? "prewarmed, not activated" : "starting")
    }
    let elapsed = Double(nowNanoseconds - activated) / 1_000_000
    let begin = "\(name)  \(Milliseconds.countdown(elapsed))"
    if progress.isCancelled { return "\(begin)  \(style.yellow("cancelling"))" }
    if progress.isKeeping { return "\(begin)  services are ready; press Ctrl-C to stop them" }
    let (request, text, detail) = subject.isGated ? gate(elapsed, activated) : steps
    let bar = "  " + self.bar(request)
    // On a narrow terminal, less important parts are omitted.
    let candidates = ["\(begin)\(bar)  \(text)\(detail)", "\(begin)\(bar)  \(text)", "\(begin)  \(text)"]
    return candidates.first { TerminalText.columns(of: $0) <= columns } ?? candidates[2]
  }

  private func bar(_ request: Double) -> String {
    let filled = Int((min(1, max(0, request)) * Double(Self.barColumns)).rounded())
    return style.cyan(String(repeating: "━", count: filled))
      + style.dim(String(repeating: "─", count: Self.barColumns - filled))
  }

  private var steps: (request: Double, text: String, detail: String) {
    let (finished, all) = (progress.counts.finished, progress.stepCount)
    let share = (Double(finished) + progress.runningShare) / Double(max(1, all))
    return (share, "\(finished) of \(all) step\(all == 1 ? "" : "s")", "")
  }

  private func gate(_ elapsed: Double, _ activated: Int) -> (request: Double, text: String, detail: String) {
    if let (outcome, time) = progress.gate {
      let text = "gate opened at \(Milliseconds.coarse(Double(time - activated) / 1_000_000)), \(outcome.word)"
      return (1, outcome == .ready ? style.green(text) : style.yellow(text), "")
    }
    let (min, max) = (deadline?.min.milliseconds ?? 0, deadline?.max?.milliseconds)
    let limits = [min > 0 ? "min \(Milliseconds.limit(min))" : nil, max.map { "max \(Milliseconds.limit($0))" }]
    let list = limits.compactMap { $0 }
    let detail = list.isEmpty ? "" : style.dim(" (\(list.joined(separator: ", ")))")
    let failure = progress.isGateFailed ? style.red("a blocking step failed, ") : ""
    if elapsed < min {
      return (elapsed / min, "\(failure)gate opens in \(Milliseconds.countdown(min - elapsed))", detail)
    }
    let count = progress.openBlockingCount
    var text = failure + "gate waits for \(count == 1 ? "1 step" : "\(count) steps")"
    guard let max else {
      let blocking = progress.rows.count { $0.isBlocking }
      return (1 - Double(count) / Double(Swift.max(1, blocking)), text, detail)
    }
    text += ", \(Milliseconds.countdown(Swift.max(0, max - elapsed))) left"
    return (elapsed / max, text, detail)
  }

  // MARK: Running steps

  /// A line with the running steps and the counts, or nil if they do not fit or a step has more to show.
  private var sharedLine: String? {
    guard progress.running.count <= Self.runningLines, !showsQueues, progress.serving.isEmpty else { return nil }
    let rows = progress.running.map { progress.rows[$0] }
    guard
      rows.allSatisfy({
        $0.remark.isEmpty && $0.items == (0, 0, 0) && !$0.isLate && $0.state == .running
      })
    else { return nil }
    let left = rows.map { "  \(mark($0)) \($0.name)  \(time($0))" }.joined(separator: "  ")
    let (used, right) = (TerminalText.columns(of: left), TerminalText.columns(of: counts))
    let gap = min(columns, Self.countsColumns) - used - right
    if rows.isEmpty { return "  " + counts }
    return gap < 4 ? nil : left + String(repeating: " ", count: gap) + counts
  }

  private var runningTexts: [String] {
    let serving = progress.serving.map { progress.rows[$0] }
    let running = progress.running.map { progress.rows[$0] } + serving
    // One row each is needed for the headline, the counts, the cursor and the line about hidden steps.
    let areAllShown = running.count <= min(Self.runningLines, size.rows - 3)
    let shown = running.prefix(max(0, min(Self.runningLines, size.rows - (areAllShown ? 3 : 4))))
    let width = min(Self.widestName, max(8, columns / 2), shown.map { TerminalText.columns(of: $0.name) }.max() ?? 0)
    var texts = shown.map { row in text(row, width) }
    if shown.count < running.count { texts.append(style.dim("    and \(running.count - shown.count) more running")) }
    return texts
  }

  private func text(_ row: RunProgress.Row, _ width: Int) -> String {
    let isServing = row.state == .finished
    var text =
      "  \(isServing ? style.green("●") : mark(row)) " + TerminalText.fitted(row.name, columns: width).padded(to: width)
      + "  "
    text += time(row).leftPadded(to: 7)
    if isServing { return text + "  " + (subject.readiness(of: row.id) ?? "ready") }
    if showsQueues { text += "  " + style.dim(row.queue) }
    if row.isLate { text += "  " + style.yellow("late") }
    if row.state == .retrying {
      text += "  " + style.yellow(row.retry.isEmpty ? "waits for its next attempt" : row.retry)
    }
    let items = items(of: row)
    if !items.isEmpty { text += "  " + items }
    let remark = style.isColored ? row.remark : TerminalText.commandLine(row.remark, keepsColors: false)
    if !remark.isEmpty { text += "  " + remark.replacing("\t", with: " ") }
    return text
  }

  /// Returns the numbers of finished, running and failed items and, from five finished items on, an estimate of the
  /// remaining time.
  private func items(of row: RunProgress.Row) -> String {
    let (finished, running, failed) = row.items
    guard finished + running > 0 else { return "" }
    let failures = failed > 0 ? ", \(failed) failed" : ""
    guard let total = row.itemTotal else { return "\(finished) finished, \(running) running" + failures }
    var text = "\(finished) of \(total), \(running) running" + failures
    if let started = row.startedAtNanoseconds, finished >= 5, finished < total {
      let left = Double(nowNanoseconds - started) / Double(finished) * Double(total - finished) / 1_000_000
      text += ", about \(Milliseconds.limit(max(1000, (left / 1000).rounded() * 1000))) left"
    }
    return text
  }

  private func mark(_ row: RunProgress.Row) -> String {
    row.state == .retrying ? style.yellow("↻") : style.cyan("▶")
  }

  private func time(_ row: RunProgress.Row) -> String {
    row.startedAtNanoseconds.map { Milliseconds.coarse(Double(nowNanoseconds - $0) / 1_000_000) } ?? ""
  }

  // MARK: Counts

  private var counts: String {
    let counts = progress.counts
    let waiting = progress.stepCount - counts.finished - progress.runningStepCount
    var parts: [String] = []
    if counts.succeeded > 0 { parts.append(style.green("✓ \(counts.succeeded) succeeded")) }
    if counts.failed > 0 { parts.append(style.red("✗ \(counts.failed) failed")) }
    if counts.cancelled > 0 { parts.append(style.yellow("■ \(counts.cancelled) cancelled")) }
    if waiting > 0 { parts.append("○ \(waiting) waiting") }
    if counts.skipped > 0 { parts.append(style.dim("– \(counts.skipped) skipped")) }
    if parts.isEmpty { parts.append("▶ \(progress.runningStepCount) running") }
    return parts.joined(separator: "   ")
  }
}

extension Duration {
  var milliseconds: Double { Double(nanoseconds) / 1_000_000 }
}
