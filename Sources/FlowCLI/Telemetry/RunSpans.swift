import FlowEngine
import FlowModel

/// A run as spans. The run's span contains the spans of its steps, which contain the spans of their items and attempts.
/// The opening of the gate is an event in the run's span.
struct RunSpans: Sendable {
  private let account: RunAccount
  private let context: TraceContext

  /// Creates the spans of a run. For a resumed run, work of the earlier process is omitted, because that process has
  /// already sent it.
  init(_ account: RunAccount, _ context: TraceContext) {
    self.account = account
    self.context = context
  }

  /// The number of spans. Counting them costs less than creating them.
  var count: Int {
    var count = 1
    forEachPart { part in
      count += 1 + part.attempts.count
      return true
    }
    return count
  }

  /// Calls `body` with each span until it returns false. The run's span comes first.
  func forEach(_ body: (TraceSpan) -> Bool) {
    guard body(run) else { return }
    var parent = (path: "", attempt: Int?.none, id: context.runID)
    forEachPart { part in
      if (part.parent, part.parentAttempt) != (parent.path, parent.attempt) {
        parent = (part.parent, part.parentAttempt, context.spanID(part.parent, part.parentAttempt))
      }
      let own = span(of: part, in: parent.id)
      guard body(own) else { return false }
      for (index, attempt) in part.attempts.enumerated() {
        var facts = SpanFacts.attempt(attempt.number, of: part.path)
        // The report contains an error only for the last attempt.
        if index == part.attempts.count - 1 { facts.error = own.facts.error } else { facts.endWithFailure(nil) }
        let span = TraceSpan(
          id: context.spanID(part.path, attempt.number), parentID: own.id, facts,
          startNanoseconds: instant(attempt.start), endNanoseconds: instant(max(attempt.start, attempt.end)))
        guard body(span) else { return false }
      }
      return true
    }
  }

  /// Converts a time in the report, in milliseconds from the activation, to nanoseconds since 1970.
  private func instant(_ milliseconds: Double) -> Int {
    account.activatedAtNanoseconds + Int((milliseconds * 1_000_000).rounded())
  }

  private var run: TraceSpan {
    let report = account.report
    let start = max(-report.prewarmMilliseconds, account.resumedAt ?? -.infinity)
    var facts = SpanFacts.run(report.workflow, id: report.runID)
    facts.end(report.conclusion)
    if let failure = account.failure(isExplained: true) {
      facts.error = failure.message
      facts.attributes["error.type"] = .string(failure.code)
    }
    var span = TraceSpan(
      id: context.runID, parentID: context.parentID, facts, startNanoseconds: instant(start),
      endNanoseconds: instant(max(start, report.durationMilliseconds)))
    // Without a deadline in the workflow, the gate is omitted, because its author has not set one.
    if let opened = report.gate.openedAt, opened >= start, report.gate.max != nil || report.gate.min > 0 {
      span.events.append(TraceSpan.Event(facts: .gate(report.gate.outcome), atNanoseconds: instant(opened)))
    }
    return span
  }

  private func span(of part: Part, in parent: String) -> TraceSpan {
    TraceSpan(
      id: context.spanID(part.path, nil), parentID: parent, part.facts, startNanoseconds: instant(part.start),
      endNanoseconds: instant(part.end))
  }

  // MARK: Steps and items

  /// A step or item that ran. Times are in milliseconds from the activation, as in the report.
  private struct Part {
    var path: String
    /// The path and the attempt of the parent span. The path is empty if the parent is the run.
    var parent: String
    var parentAttempt: Int?
    var facts: SpanFacts
    var start: Double
    var end: Double
    var attempts: [(number: Int, start: Double, end: Double)]
  }

  private func forEachPart(_ body: (Part) -> Bool) {
    for step in account.steps where RunAccount.isOwn(step) {
      guard visit(step, path: step.id.text, in: ("", nil), body) else { return }
    }
  }

  private func visit(
    _ step: RunReport.Step, path: String, in parent: (path: String, attempt: Int?), _ body: (Part) -> Bool
  ) -> Bool {
    var facts = SpanFacts.task(path, queue: step.queue)
    facts.end(step.outcome, conclusion: step.conclusion, step.failure)
    guard var part = part(path, facts, step.startedAt, step.endedAt) else { return true }
    (part.parent, part.parentAttempt) = parent
    let items = step.items ?? []
    if items.isEmpty { part.attempts = attempts(step.attemptTimes, step.attempts, of: part) }
    guard body(part) else { return false }
    for item in items {
      let itemPath = "\(path)[\(item.index)]"
      var facts = SpanFacts.task(itemPath, queue: nil)
      facts.end(item.outcome, conclusion: item.outcome, item.failure)
      if let key = item.key { facts.attributes["flowrun.item.key"] = .string(key) }
      guard var part = self.part(itemPath, facts, item.startedAt, item.endedAt) else { continue }
      part.parent = path
      part.attempts = attempts(item.attemptTimes, item.attempts, of: part)
      guard body(part) else { return false }
      for inner in item.steps ?? [] where RunAccount.isOwn(inner) {
        guard visit(inner, path: "\(itemPath)/\(inner.id)", in: (itemPath, item.attempts), body) else { return false }
      }
    }
    return true
  }

  /// Returns a step or item without its attempts. Returns nil if it did not run in this process.
  private func part(_ path: String, _ facts: SpanFacts, _ start: Double?, _ end: Double?) -> Part? {
    let first = account.resumedAt ?? -.infinity
    let end = end ?? account.report.durationMilliseconds
    guard let start, end >= first else { return nil }
    return Part(
      path: path, parent: "", facts: facts, start: max(start, first), end: max(start, end), attempts: [])
  }

  /// Returns the attempts that ran in this process. The report contains their times only if they differ from those of
  /// the step.
  private func attempts(
    _ attemptTimes: [RunReport.Attempt], _ count: Int, of part: Part
  ) -> [(number: Int, start: Double, end: Double)] {
    guard !attemptTimes.isEmpty else { return [(max(count, 1), part.start, part.end)] }
    let first = account.resumedAt ?? -.infinity
    let number = max(count, attemptTimes.count) - attemptTimes.count + 1
    return attemptTimes.enumerated().compactMap { index, attempt in
      let (start, end) = (attempt.startedAt ?? part.start, attempt.endedAt ?? part.end)
      return end < first ? nil : (number + index, max(start, first), end)
    }
  }
}
