import FlowEngine
import FlowModel

/// A step or item that failed or timed out, with its error.
package struct ReportedFailure: Sendable {
  /// The id of the step, or that of the item, such as `convert[3]`.
  package let name: String
  /// The index of the step in the report.
  package let step: Int
  /// The index of the failed item, or nil if the step itself failed.
  package let item: Int?
  /// The value of the item, or nil if it is not known.
  package var value: Value?
  package let isTimedOut: Bool
  /// True if the failure does not make the run fail.
  package let isExcused: Bool
  package let attempts: Int
  package let code: String
  /// The error message, reduced to its first line.
  package let message: String
  /// The last lines of the output, or those quoted by the error message.
  package let lines: [String]
  /// The duration of all attempts in nanoseconds, or nil if it is not known.
  package let nanoseconds: Int?

  /// The maximum number of output lines that are kept, and the maximum length of a line.
  private static let limits = (lines: 20, characters: 2_000)

  /// Returns the first line of an error message, without the colon that introduces quoted output in the lines below it.
  package static func headline(of message: String) -> String {
    let parts = message.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    let first = parts.first ?? ""
    return String(parts.count > 1 && first.hasSuffix(":") ? first.dropLast() : first)
  }

  /// Describes the failure of a step, with its last output lines. Returns nil if it neither failed nor timed out.
  init?(_ step: RunReport.Step, _ index: Int, _ lastLines: [String]) {
    self.init(
      name: step.id.text, step: index, item: nil, step.outcome, step.conclusion, step.attempts, step.failure,
      (step.startedAt, step.endedAt), lastLines)
  }

  /// Describes the failure of an item of a step. Returns nil if it neither failed nor timed out.
  init?(_ item: RunReport.Item, of step: String, _ index: Int) {
    self.init(
      name: "\(step)[\(item.index)]" + (item.key.map { " \($0)" } ?? ""), step: index, item: item.index, item.outcome,
      item.conclusion, item.attempts, item.failure, (item.startedAt, item.endedAt), [])
    if item.key == nil { value = item.name.map { .string($0) } }
  }

  private init?(
    name: String, step: Int, item: Int?, _ outcome: Outcome, _ conclusion: Outcome, _ attempts: Int,
    _ failure: StepFailure?, _ times: (start: Double?, end: Double?), _ lastLines: [String]
  ) {
    guard outcome == .failure || outcome == .timedOut else { return nil }
    self.name = name
    self.step = step
    self.item = item
    isTimedOut = outcome == .timedOut
    isExcused = conclusion == .success
    self.attempts = attempts
    code = failure?.code ?? ""
    let text = failure?.message ?? ""
    let parts = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    // Further lines of the message quote output and are indented by two spaces.
    let quoted = parts.dropFirst().map { $0.hasPrefix("  ") ? String($0.dropFirst(2)) : $0 }
    message = Self.headline(of: text)
    let printed = quoted.isEmpty ? lastLines : quoted
    lines = printed.suffix(Self.limits.lines).map { String($0.prefix(Self.limits.characters)) }
    nanoseconds = ReportedRun.nanoseconds(times.start).flatMap { start in
      ReportedRun.nanoseconds(times.end).map { max(0, $0 - start) }
    }
  }
}
