import FlowDiagnostics
import FlowEngine
import FlowModel

/// A run at an instant as lines that fit a terminal: how the run stands, and a row a step.
///
/// Where there are more steps than rows, those that have ended well fold away first, then those that wait; failed and
/// running ones stay, with the last lines of what they print.
struct ProgressTable {
  typealias Deadline = (min: Duration, max: Duration?)

  /// A line and how many columns it takes.
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
  /// Whether this is the last drawing, behind which the summary says how the run and its gate came out.
  let isEnded: Bool

  /// The lines that a running step shows of what it prints.
  static let tailLines = 3
  private static let stateColumns = 12
  private static let queueColumns = 17
  private static let timeColumns = 9
  private static let widestName = 32

  /// All lines: never more than the terminal has rows, less the one for the cursor.
  var lines: [Line] {
    let budget = max(3, size.rows - 1)
    var lines: [Line] = []
    if !isEnded { lines.append(line(headline)) }
    let choice = choice(budget - lines.count)
    for index in choice.rows {
      lines.append(line(row(progress.rows[index])))
      for text in progress.rows[index].printed.suffix(choice.tailLines[index] ?? 0) {
        let shown = style.isColored ? text : TerminalText.commandLine(text, keepsColors: false)
        lines.append(line("       " + style.dim("│ ") + shown.replacing("\t", with: " ")))
      }
    }
    if let folded = choice.folded { lines.append(line(style.dim("  … \(folded)"))) }
    return lines
  }

  /// A line cut so that the terminal does not wrap it.
  private func line(_ text: String) -> Line {
    let fitted = TerminalText.fitted(text, columns: max(1, size.columns - 1))
    return Line(text: fitted, columns: TerminalText.columns(of: fitted))
  }

  // MARK: Which rows

  private struct Choice {
    /// The rows to show, in the order of the file.
    var rows: [Int]
    /// How many lines of what it prints each shows.
    var tailLines: [Int: Int] = [:]
    /// What is not shown, in words.
    var folded: String?
  }

  private func choice(_ budget: Int) -> Choice {
    let rows = progress.rows
    let tails = rows.indices.filter { rows[$0].isRunning && !rows[$0].printed.isEmpty }
    func tailLines(_ most: Int) -> [Int: Int] {
      Dictionary(uniqueKeysWithValues: tails.map { ($0, min(most, rows[$0].printed.count)) })
    }
    let all = tailLines(Self.tailLines)
    if rows.count + all.values.reduce(0, +) <= budget {
      return Choice(rows: Array(rows.indices), tailLines: isEnded ? [:] : all)
    }
    // One line says what is not shown.
    var rest = budget - 1
    var kept: [Int] = []
    func keep(_ importance: Int) {
      for index in rows.indices where rest > 0 && self.importance(rows[index]) == importance {
        kept.append(index)
        rest -= 1
      }
    }
    keep(0)
    keep(1)
    var shownTails: [Int: Int] = [:]
    for most in stride(from: Self.tailLines, to: 0, by: -1) where shownTails.isEmpty && !isEnded {
      let lines = tailLines(most).filter { kept.contains($0.key) }
      let count = lines.values.reduce(0, +)
      if count > 0, count <= rest {
        shownTails = lines
        rest -= count
      }
    }
    for importance in 2...4 { keep(importance) }
    let shown = Set(kept)
    return Choice(rows: kept.sorted(), tailLines: shownTails, folded: folded { !shown.contains($0) })
  }

  private func importance(_ row: RunProgress.Row) -> Int {
    switch row.state {
    case .done(let finished) where finished.outcome == .failure || finished.outcome == .timedOut: 0
    case .running, .retrying: 1
    case .ready: 2
    case .waiting: 3
    case .done: 4
    }
  }

  /// `12 done, 40 waiting`: the rows that are not shown.
  private func folded(_ isFolded: (Int) -> Bool) -> String? {
    var counts: [String: Int] = [:]
    for index in progress.rows.indices where isFolded(index) { counts[word(progress.rows[index]), default: 0] += 1 }
    let order = ["failed", "timed out", "running", "retrying", "ready", "waiting", "done", "skipped", "stopped"]
    let texts = order.compactMap { word in counts[word].map { "\($0) \(word)" } }
    return texts.isEmpty ? nil : "and " + texts.joined(separator: ", ")
  }

  // MARK: How the run stands

  private var headline: String {
    guard let activated = progress.activatedAtNanoseconds else { return style.bold("prewarmed") + ", not activated" }
    let elapsed = Double(nowNanoseconds - activated) / 1_000_000
    if progress.isCancelled { return style.yellow("cancelled") + ", \(Milliseconds.text(elapsed))" }
    guard subject.isGated else {
      let ended = progress.rows.count { $0.isEnded }
      let running = progress.rows.count { $0.isRunning }
      return style.bold("\(ended) of \(progress.rows.count)") + " done, \(running) running, "
        + Milliseconds.text(elapsed)
    }
    if let (outcome, time) = progress.gate {
      let text = "gate opened at \(Milliseconds.text(Double(time - activated) / 1_000_000)), \(outcome.word)"
      return outcome == .ready ? style.green(text) : style.yellow(text)
    }
    return gateLine(elapsed)
  }

  private func gateLine(_ elapsed: Double) -> String {
    let open = progress.rows.count { $0.isBlocking && !$0.isEnded }
    let isFailed = progress.rows.contains { $0.isBlocking && $0.isUnsatisfied }
    var text = style.bold("gate") + " \(Milliseconds.text(elapsed)): "
    if isFailed {
      text += "a step that it waits for has failed"
    } else {
      text += open == 0 ? "everything is ready" : "\(open) blocking \(open == 1 ? "step" : "steps") to go"
    }
    if let min = deadline?.min.milliseconds, elapsed < min {
      text += ", opens in \(Milliseconds.text(min - elapsed)) at the earliest"
    } else if let max = deadline?.max?.milliseconds {
      text += ", opens in \(Milliseconds.text(Swift.max(0, max - elapsed))) at the latest"
    }
    return text
  }

  // MARK: A row

  private func row(_ row: RunProgress.Row) -> String {
    // Narrow terminals do without the queue, so that the name has room.
    let hasQueue = size.columns >= 80
    let fixed = 2 + Self.stateColumns + 1 + 1 + Self.timeColumns + 2 + (hasQueue ? Self.queueColumns + 1 : 0)
    let nameColumns = min(progress.widestName, Self.widestName, max(8, size.columns - 1 - fixed))
    let name = TerminalText.fitted(row.name, columns: nameColumns).padded(to: nameColumns)
    let queue = hasQueue ? style.dim(row.queue.padded(to: Self.queueColumns)) + " " : ""
    let rest = TerminalText.fitted(remark(row), columns: max(0, size.columns - 1 - fixed - nameColumns))
    return "  \(state(row)) \(name) \(queue)\(time(row).leftPadded(to: Self.timeColumns))  \(style.dim(rest))"
  }

  private func word(_ row: RunProgress.Row) -> String {
    switch row.state {
    case .waiting: "waiting"
    case .ready: "ready"
    case .running: "running"
    case .retrying: "retrying"
    case .done(let finished):
      switch finished.outcome {
      case .success: "done"
      case .skipped: "skipped"
      case .cancelled: "stopped"
      case .failure: "failed"
      case .timedOut: "timed out"
      }
    }
  }

  private func state(_ row: RunProgress.Row) -> String {
    func cell(_ symbol: String) -> String { "\(symbol)  \(word(row))".padded(to: Self.stateColumns) }
    switch row.state {
    case .waiting: return style.dim(cell("·"))
    case .ready: return style.cyan(cell("○"))
    case .running: return style.cyan(cell("▶"))
    case .retrying: return style.yellow(cell("↻"))
    case .done(let finished):
      switch finished.outcome {
      case .success: return style.green(cell("✓"))
      case .skipped: return style.dim(cell("–"))
      case .cancelled: return style.yellow(cell("✗"))
      case .failure, .timedOut: return style.red(cell("✗"))
      }
    }
  }

  private func remark(_ row: RunProgress.Row) -> String {
    var text = ""
    switch row.state {
    case .waiting:
      let reason = progress.waits(for: row, isGated: subject.isGated)
      if !reason.isEmpty { text = "for \(reason)" }
    case .running: text = row.message
    case .ready, .retrying: break
    case .done(let finished):
      if let failure = finished.failure {
        // The summary tells it in full.
        if !isEnded { text = LogText.headline(failure.message) }
      } else {
        text = finished.reason?.word ?? ""
      }
    }
    return row.isLate ? (text.isEmpty ? "late" : "late, \(text)") : text
  }

  private func time(_ row: RunProgress.Row) -> String {
    guard let started = row.startedAtNanoseconds else { return "" }
    if case .done(let finished) = row.state { return finished.durationMilliseconds.map(Milliseconds.text) ?? "" }
    return Milliseconds.text(Double(nowNanoseconds - started) / 1_000_000)
  }
}

extension Duration {
  /// The duration in milliseconds.
  var milliseconds: Double { Double(nanoseconds) / 1_000_000 }
}
