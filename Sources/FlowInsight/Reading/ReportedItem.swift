import FlowEngine
import FlowModel

/// An item of a step in the report of a run.
package struct ReportedItem: Sendable {
  /// The index of the item, from 0.
  package let index: Int
  /// The key of the item, or nil if the items do not come from a mapping or the key is unknown.
  package var key: String?
  /// The value of the item, or nil if it is unknown.
  package var value: Value?
  /// The outcome of the item, or nil if it has not ended.
  package let outcome: Outcome?
  package let attempts: Int
  /// The start in nanoseconds after activation, or nil if the item has not started.
  package let startedAt: Int?
  /// The end in nanoseconds after activation, or nil if the item has not ended.
  package let endedAt: Int?
  /// The reason why the item failed or did not run, or an empty string.
  package let reason: String
  /// The times of the attempts. Empty if there was only one and the step's minimum did not delay its end.
  package let attemptTimes: [Range<Int>]

  init(_ item: RunReport.Item) {
    index = item.index
    key = item.key
    if key == nil { value = item.name.map { .string($0) } }
    startedAt = ReportedRun.nanoseconds(item.startedAt)
    endedAt = ReportedRun.nanoseconds(item.endedAt)
    // In the report of an unfinished run, an item that has not ended is listed as cancelled, but the time of its end is
    // missing.
    outcome = endedAt == nil && item.reason == nil ? nil : item.outcome
    attempts = item.attempts
    reason = item.failure?.message ?? item.reason?.word ?? ""
    attemptTimes = ReportedRun.attemptTimes(item.attemptTimes, from: startedAt, to: endedAt)
  }

  /// The outcome or, before the end, the state as one word.
  package var word: String { outcome?.word ?? (startedAt == nil ? "waiting" : "running") }

  /// The maximum number of characters of a value that tables show.
  private static let shownCharacters = 200

  /// Returns the value of an item on one line, shortened if it is long.
  package static func text(_ value: Value) -> String {
    let text = value.stringValue ?? JSONText.write(value)
    return text.count <= shownCharacters ? text : text.prefix(shownCharacters) + "…"
  }

  /// Returns a summary of items by outcome, such as `296 of 300, 4 failed`.
  package static func counts(_ items: [ReportedItem]) -> String {
    func count(_ outcomes: Outcome...) -> Int { items.count { $0.outcome.map(outcomes.contains) ?? false } }
    let others = [
      (count(.failure, .timedOut), "failed"), (count(.cancelled), "cancelled"), (count(.skipped), "skipped"),
    ]
    return "\(count(.success)) of \(items.count)" + others.filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
  }
}

extension InsightPage {
  /// Returns a table of the items of a step, failed items first. `itemPage` is the prefix of links to pages of items,
  /// or nil if there are none.
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
      cells += [
        PageTable.Cell(item.word), PageTable.Cell(nanoseconds: took),
        PageTable.Cell("\(item.attempts)", Double(item.attempts)),
        PageTable.Cell(ReportedFailure.headline(of: item.reason)),
      ]
      return cells
    }
    let columns =
      ["item"] + (hasKeys ? ["key"] : []) + (hasValues ? ["value"] : []) + ["outcome", "took", "attempts", "why"]
    return PageTable(caption: ReportedItem.counts(items), columns: columns, rows: rows).html
  }
}
