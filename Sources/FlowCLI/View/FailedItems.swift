import FlowDiagnostics
import FlowEngine
import FlowModel

/// The failed items of a step. A table below the step shows them.
struct FailedItems {
  struct Row {
    var index: Int
    /// The key or value of the item. Empty if it is unknown.
    var name: String
    var outcome: Outcome
    var failure: StepFailure?
    /// True if the output that the error message quotes has been shown before.
    var isQuoteShown: Bool
  }

  static let shownRows = 10
  private static let widestName = 32

  private(set) var rows: [Row] = []
  private(set) var count = 0

  mutating func add(_ row: Row) {
    count += 1
    if rows.count < Self.shownRows { rows.append(row) }
  }

  /// Returns one line per item with its index, its name and the cause of its failure. If the item exited with a status
  /// or timed out, the line ends with the last line that the item printed. If only one item failed, its last lines of
  /// output follow, unless they have already been shown.
  ///
  /// - Parameter more: The command that shows the items that are omitted here.
  func lines(_ style: TextStyle, more command: String?) -> [String] {
    let rows = rows.sorted { $0.index < $1.index }
    let cells = rows.map { row -> [String] in
      let failure = FailureText(row.failure)
      let isShort = failure.exitStatus != nil || row.outcome == .timedOut
      let end = row.outcome == .timedOut ? "timed out" : failure.cause
      return ["[\(row.index)]", TerminalText.fitted(row.name, columns: Self.widestName)]
        + (isShort ? [end, failure.lastLine ?? ""] : [end])
    }
    var widths = [0, 0, 0]
    for cell in cells {
      for column in 0..<2 { widths[column] = max(widths[column], TerminalText.columns(of: cell[column])) }
      if cell.count == 4 { widths[2] = max(widths[2], TerminalText.columns(of: cell[2])) }
    }
    var lines = cells.map { cell in
      "    "
        + cell.enumerated().filter { $0.offset != 1 || widths[1] > 0 }.map { column, text in
          column < widths.count && column < cell.count - 1 ? text.padded(to: widths[column]) : text
        }.joined(separator: "  ").trimmingSpaces
    }
    if rows.count == 1, count == 1, !rows[0].isQuoteShown {
      lines += FailureText(rows[0].failure).details.suffix(FinishedStepLines.failureLines).map {
        "    " + style.dim("│ ") + $0
      }
    }
    if count > rows.count { lines.append("    and \(count - rows.count) more" + (command.map { ": \($0)" } ?? "")) }
    return lines
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
