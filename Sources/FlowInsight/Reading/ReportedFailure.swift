import FlowEngine
import FlowModel

/// A step or item that failed or timed out, with its error.
package struct ReportedFailure: Sendable {
  /// The id of the step or item.
  package let name: String
  /// The index of the step.
  package let step: Int
  /// The index of the failed item, or nil if the step itself failed.
  package let item: Int?
  /// The value of the item, or nil if it is not known.
  package var value: Value?
  /// True if the step or item timed out.
  package let isTimedOut: Bool
  /// True if the workflow allows the failure.
  package let isExcused: Bool
  package let attempts: Int
  package let code: String
  /// The error message on one line.
  package let message: String
  /// The last lines of the output.
  package let lines: [String]
  /// The duration of all attempts in nanoseconds, or nil if it is not known.
  package let nanoseconds: Int?

  /// The maximum number of output lines, and the maximum length of a line.
  private static let limits = (lines: 20, characters: 2_000)

  /// Returns the first line of an error message, without the colon before output that the other lines quote.
  package static func headline(of message: String) -> String {
    let parts = message.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    let first = parts.first ?? ""
    return String(parts.count > 1 && first.hasSuffix(":") ? first.dropLast() : first)
  }

  /// Reads the failure of a step or item from a report. Returns nil if it did not fail.
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
    // If the message has more lines, they quote output and are indented by two spaces.
    let quoted = parts.dropFirst().map { $0.hasPrefix("  ") ? String($0.dropFirst(2)) : $0 }
    message = Self.headline(of: text)
    let printed = quoted.isEmpty ? body["lastLines"]?.arrayValue?.compactMap(\.stringValue) ?? [] : quoted
    lines = printed.suffix(Self.limits.lines).map { String($0.prefix(Self.limits.characters)) }
    let times = (ReportedRun.nanoseconds(body["startedAt"]), ReportedRun.nanoseconds(body["endedAt"]))
    nanoseconds = times.0.flatMap { start in times.1.map { max(0, $0 - start) } }
  }
}
