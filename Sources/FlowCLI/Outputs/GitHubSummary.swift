import FlowEngine
import FlowModel

/// A run as Markdown for the page of a GitHub Actions job (`$GITHUB_STEP_SUMMARY`): its result, the causes of failures,
/// and a table of all steps.
enum GitHubSummary {
  /// The maximum total size, in bytes, of the summaries of a job's step. If they are larger, GitHub shows none.
  static let limitBytes = 1 << 20

  /// The number of bytes that are reserved for the line that states how many steps are omitted.
  private static let reserveBytes = 128

  /// Returns a summary of at most `room` bytes. If it would be larger, the last steps are omitted. Returns an empty
  /// string if not even the beginning fits.
  static func text(_ account: RunAccount, room: Int = limitBytes) -> String {
    let steps = account.steps.filter(RunAccount.isOwn)
    let failed = steps.filter { $0.outcome == .failure || $0.outcome == .timedOut }
    var text = head(account, steps)
    guard text.utf8.count + reserveBytes <= room else { return "" }
    func isFull(with more: String) -> Bool { text.utf8.count + more.utf8.count + reserveBytes > room }
    for (index, step) in failed.enumerated() {
      let section = failure(step)
      if isFull(with: section) {
        return text + omission(index, failed.count, "failed steps, and the table of all steps")
      }
      text += section
    }
    for (index, step) in steps.enumerated() {
      let row = (index == 0 ? tableHead : "") + row(step)
      if isFull(with: row) { return text + "\n" + omission(index, steps.count, "steps") }
      text += row
    }
    return text + "\n"
  }

  private static func omission(_ shown: Int, _ count: Int, _ what: String) -> String {
    "_Left out: \(count - shown) of \(count) \(what). GitHub shows at most 1 MiB._\n"
  }

  private static func head(_ account: RunAccount, _ steps: [RunReport.Step]) -> String {
    let report = account.report
    let counts: [String] = Outcome.allCases.compactMap { outcome in
      let count = steps.count { $0.outcome == outcome }
      return count == 0 ? nil : "\(count) \(outcome.word)"
    }
    let list: String = counts.isEmpty ? "none" : counts.joined(separator: ", ")
    var text = "### \(plain(report.workflow)): \(report.conclusion.rawValue)\n\n"
    text += "\(Milliseconds.text(report.durationMilliseconds)), steps: \(list)\n\n"
    if let opened = report.gate.openedAt, report.gate.max != nil {
      text += "Gate: \(report.gate.outcome.word) at \(Milliseconds.text(opened))\n\n"
    }
    // Warnings come only from flowrun itself, so there are few.
    for warning in report.warnings.prefix(10) { text += "- warning: \(plain(warning))\n" }
    return text + (report.warnings.isEmpty ? "" : "\n")
  }

  private static func failure(_ step: RunReport.Step) -> String {
    let word = step.outcome == .failure ? "failed" : "timed out"
    let note = step.conclusion == .success ? " (optional)" : ""
    guard let failure = step.failure else { return "**\(plain(step.id.text))** \(word)\(note)\n\n" }
    // The fence must be longer than any sequence of backticks in the message.
    let longest = failure.message.split { $0 != "`" }.map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: max(3, longest + 1))
    return "**\(plain(step.id.text))** \(word)\(note): \(plain(failure.code))\n\n"
      + "\(fence)text\n\(failure.message)\n\(fence)\n\n"
  }

  private static let tableHead = "| step | result | time | attempts |\n|---|---|---:|---:|\n"

  private static func row(_ step: RunReport.Step) -> String {
    let result = step.reason.map { "\(step.outcome.word): \($0.word)" } ?? step.outcome.word
    let time =
      if let start = step.startedAt, let end = step.endedAt { Milliseconds.text(end - start) } else { "" }
    let items = step.items.map { " (\($0.count) item\($0.count == 1 ? "" : "s"))" } ?? ""
    return "| \(plain(step.id.text))\(items) | \(result) | \(time) | \(step.attempts) |\n"
  }

  /// Returns the text as a single line, with Markdown and HTML escaped.
  static func plain(_ text: String) -> String {
    var result = ""
    for character in text {
      if character.isNewline {
        result += " "
      } else {
        if "\\`*_{}[]<>()#+!|~&$".contains(character) { result += "\\" }
        result.append(character)
      }
    }
    return result
  }
}
