import FlowEngine
import FlowModel

/// An item of a step, as described by the report of a run.
package struct ReportedItem: Sendable {
  /// Its index, from 0.
  package let index: Int
  /// Its key, or nil if the items do not come from an object or the key is not known.
  package var key: String?
  /// Its value, or nil if it is not known.
  package var value: Value?
  /// Its outcome, or nil if it has not ended.
  package let outcome: Outcome?
  package let attempts: Int
  /// Its start, in nanoseconds from activation, or nil if it has not started.
  package let startedAt: Int?
  /// Its end, in nanoseconds from activation, or nil if it has not ended.
  package let endedAt: Int?
  /// The reason why it failed or did not run; otherwise empty.
  package let reason: String
  /// The times of its attempts; empty if there was one.
  package let attemptTimes: [Range<Int>]

  /// Reads an item of a report. Returns nil if the value is not an item.
  init?(_ value: Value) {
    guard let item = value.objectValue, let index = item["index"]?.integerValue else { return nil }
    self.index = index
    key = item["key"]?.stringValue
    if key == nil, let name = item["name"]?.stringValue { self.value = .string(name) }
    startedAt = ReportedRun.nanoseconds(item["startedAt"])
    endedAt = ReportedRun.nanoseconds(item["endedAt"])
    let word = item["outcome"]?.stringValue
    // An item of a run in progress that has not ended is reported as cancelled without an end.
    outcome = endedAt == nil && item["reason"]?.stringValue == nil ? nil : Outcome.allCases.first { $0.word == word }
    attempts = item["attempts"]?.integerValue ?? 0
    reason = item["error"]?.objectValue?["message"]?.stringValue ?? item["reason"]?.stringValue ?? ""
    attemptTimes = ReportedRun.attemptTimes(item["attemptTimes"]?.arrayValue ?? [], from: startedAt, to: endedAt)
  }

  /// Its outcome or state in a word.
  package var word: String { outcome?.word ?? (startedAt == nil ? "waiting" : "running") }

  /// The maximum number of characters of a value in a table.
  private static let shownCharacters = 200

  /// Returns the value of an item on one line.
  package static func text(_ value: Value) -> String {
    let text = value.stringValue ?? JSONText.write(value)
    return text.count <= shownCharacters ? text : text.prefix(shownCharacters) + "…"
  }

  /// Returns the numbers of items by outcome: `296 of 300, 4 failed`.
  package static func counts(_ items: [ReportedItem]) -> String {
    func count(_ outcomes: Outcome...) -> Int { items.count { $0.outcome.map(outcomes.contains) ?? false } }
    let others = [
      (count(.failure, .timedOut), "failed"), (count(.cancelled), "cancelled"), (count(.skipped), "skipped"),
    ]
    return "\(count(.success)) of \(items.count)" + others.filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
  }
}

extension InsightPage {
  /// Returns a table of the items of a step, failed ones first. `itemPage` is the prefix of links to items.
  package static func items(_ items: [ReportedItem], of step: String, itemPage: String?) -> String {
    func rank(_ item: ReportedItem) -> Int {
      switch item.outcome {
      case .failure, .timedOut: 0
      case .cancelled: 1
      case nil: 2
      case .skipped: 3
      case .success: 4
      }
    }
    let (hasKeys, hasValues) = (items.contains { $0.key != nil }, items.contains { $0.value != nil })
    let rows = items.sorted { (rank($0), $0.index) < (rank($1), $1.index) }.map { item -> [PageTable.Cell] in
      let name = "\(step)[\(item.index)]"
      var first = PageTable.Cell(name)
      first.link = itemPage.map { $0 + PageText.inAddress(name) }
      let took = item.startedAt.flatMap { start in item.endedAt.map { max(0, $0 - start) } }
      var cells = [first]
      if hasKeys { cells.append(PageTable.Cell(item.key ?? "")) }
      if hasValues { cells.append(PageTable.Cell(item.value.map(ReportedItem.text) ?? "")) }
      let reason = item.reason.split(whereSeparator: \.isNewline).first.map(String.init)
      cells += [
        PageTable.Cell(item.word), PageTable.Cell(nanoseconds: took),
        PageTable.Cell("\(item.attempts)", Double(item.attempts)), PageTable.Cell(reason ?? ""),
      ]
      return cells
    }
    let columns =
      ["item"] + (hasKeys ? ["key"] : []) + (hasValues ? ["value"] : []) + ["outcome", "took", "attempts", "why"]
    return PageTable(caption: ReportedItem.counts(items), columns: columns, rows: rows).html
  }
}
