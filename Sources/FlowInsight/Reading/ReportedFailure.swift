import FlowEngine
import FlowModel

/// A step, or an item of one, that failed or timed out, with what is known of the cause.
package struct ReportedFailure: Sendable {
  /// The step's id, or the item's.
  package let name: String
  /// The step, as an index.
  package let step: Int
  /// The index of the item that failed; nil: the step itself did.
  package let item: Int?
  /// The value of the item; nil if it is not known.
  package var value: Value?
  /// Whether it ran out of time.
  package let isTimedOut: Bool
  /// Whether the workflow allows the failure.
  package let isExcused: Bool
  /// The number of attempts.
  package let attempts: Int
  /// The error's code.
  package let code: String
  /// What happened, on one line.
  package let message: String
  /// What was printed last.
  package let lines: [String]
  /// How long it took with all its attempts, in nanoseconds; nil: it is not known.
  package let nanoseconds: Int?

  /// How many of the last lines are kept, and how many characters of each.
  private static let limits = (lines: 20, characters: 2_000)

  /// The failure of a step or an item of a report; nil: it did not fail.
  init?(_ body: ValueObject, name: String, step: Int, item: Int? = nil) {
    let outcome = body["outcome"]?.stringValue
    guard outcome == Outcome.failure.word || outcome == Outcome.timedOut.word else { return nil }
    self.name = name
    self.step = step
    self.item = item
    isTimedOut = outcome == Outcome.timedOut.word
    isExcused = body["conclusion"]?.stringValue == Outcome.success.word
    attempts = body["attempts"]?.integerValue ?? 1
    let error = body["error"]?.objectValue
    code = error?["code"]?.stringValue ?? ""
    let text = error?["message"]?.stringValue ?? ""
    let parts = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    // A message that continues below quotes what was printed, two columns in.
    let quoted = parts.dropFirst().map { $0.hasPrefix("  ") ? String($0.dropFirst(2)) : $0 }
    let first = parts.first ?? ""
    message = !quoted.isEmpty && first.hasSuffix(":") ? String(first.dropLast()) : first
    let printed = quoted.isEmpty ? body["lastLines"]?.arrayValue?.compactMap(\.stringValue) ?? [] : quoted
    lines = printed.suffix(Self.limits.lines).map { String($0.prefix(Self.limits.characters)) }
    let times = (ReportedRun.nanoseconds(body["startedAt"]), ReportedRun.nanoseconds(body["endedAt"]))
    nanoseconds = times.0.flatMap { start in times.1.map { max(0, $0 - start) } }
  }
}
