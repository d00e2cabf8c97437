/// A limit on a figure of runs, such as `p95(gate) <= 2.5s`, `missed <= 1%` or `p99(step:open-store) <= 120ms`.
package struct BudgetRule: Sendable, Hashable {
  /// The statistic that is compared with the limit.
  package enum Statistic: String, Sendable, Hashable, CaseIterable {
    case median, p50, p90, p95, p99, max

    /// The share of runs whose value does not exceed the statistic.
    package var share: Double {
      switch self {
      case .median, .p50: 0.5
      case .p90: 0.9
      case .p95: 0.95
      case .p99: 0.99
      case .max: 1
      }
    }
  }

  /// The quantity that a rule measures.
  package enum Subject: Sendable, Hashable {
    /// The time at which the gate opened. Infinite for a run whose gate did not open.
    case gate(Statistic)
    /// The time at which all blocking steps were satisfied, regardless of the gate's minimum. Infinite for a run in
    /// which they never were.
    case ready(Statistic)
    /// The duration of a step. Runs in which the step did not run are ignored.
    case step(StepID, Statistic)
    /// The share of runs whose gate timed out.
    case missed
    /// The share of runs whose gate failed.
    case failed
  }

  /// The required relation between the value and the limit.
  package enum Comparison: String, Sendable, Hashable, CaseIterable {
    case atMost = "<="
    case below = "<"
    case atLeast = ">="
    case above = ">"
  }

  /// The limit that the value is compared with.
  package enum Limit: Sendable, Hashable {
    case duration(Duration)
    /// A share of runs, from 0 to 1.
    case share(Double)
    /// A multiple of the value in earlier runs. It is allowed only if two sets of runs are compared.
    case baseline(Double)
  }

  /// The rule as written in the workflow.
  package let text: String
  package let subject: Subject
  package let comparison: Comparison
  package let limit: Limit

  /// The reason why a string is not a rule.
  package struct RuleProblem: Error, Sendable, Hashable {
    /// The mistake, or a suggestion of what to write instead.
    package let help: String

    package init(help: String) { self.help = help }
  }

  /// The maximum length of a rule in bytes.
  package static let longestBytes = 256

  /// Parses a rule such as `p95(gate) <= 2.5s`. Throws if it is invalid.
  package init(parsing text: String) throws(RuleProblem) {
    guard text.utf8.count <= Self.longestBytes else {
      throw RuleProblem(help: "it is longer than \(Self.longestBytes) bytes")
    }
    guard let start = text.firstIndex(where: { $0 == "<" || $0 == ">" }) else {
      throw RuleProblem(help: "write a subject, one of <=, <, >= and >, and a limit, such as 'p95(gate) <= 2.5s'")
    }
    var end = text.index(after: start)
    if end < text.endIndex, text[end] == "=" { end = text.index(after: end) }
    comparison = Comparison(rawValue: String(text[start..<end])) ?? .atMost
    subject = try Self.subject(Self.trimmed(text[..<start]))
    limit = try Self.limit(Self.trimmed(text[end...]))
    self.text = text
    try Self.checkUnits(subject, limit)
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }

  private static func subject(_ text: String) throws(RuleProblem) -> Subject {
    if text == "missed" { return .missed }
    if text == "failed" { return .failed }
    let functions = Statistic.allCases.map(\.rawValue).joined(separator: ", ")
    guard text.hasSuffix(")"), let open = text.firstIndex(of: "(") else {
      throw RuleProblem(
        help:
          "'\(text)' is not a subject; write missed, failed, or one of \(functions) with (gate), (ready) or (step:ID)")
    }
    let name = trimmed(text[..<open])
    guard let statistic = Statistic(rawValue: name) else {
      throw RuleProblem(help: "'\(name)' is not a function of a budget; there are \(functions)")
    }
    let inner = trimmed(text[text.index(after: open)...].dropLast())
    switch inner {
    case "gate": return .gate(statistic)
    case "ready": return .ready(statistic)
    default:
      let id = inner.dropFirst("step:".count)
      // In an included workflow, the id of a step begins with the id of the including step and a slash.
      let isName = id.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { StepID(String($0)) != nil }
      guard inner.hasPrefix("step:"), isName else {
        throw RuleProblem(help: "'\(inner)' cannot be measured by a budget; write gate, ready or step:ID")
      }
      return .step(StepID(unchecked: String(id)), statistic)
    }
  }

  private static func limit(_ text: String) throws(RuleProblem) -> Limit {
    if text.hasPrefix("baseline") {
      let rest = trimmed(text.dropFirst("baseline".count))
      if rest.isEmpty { return .baseline(1) }
      guard rest.hasPrefix("*"), let factor = number(trimmed(rest.dropFirst())), factor > 0, factor <= 1_000 else {
        throw RuleProblem(help: "write 'baseline' or 'baseline*1.05', with a factor above 0 and at most 1000")
      }
      return .baseline(factor)
    }
    if text.hasSuffix("%") {
      guard let percent = number(trimmed(text.dropLast())), percent >= 0, percent <= 100 else {
        throw RuleProblem(help: "'\(text)' is not a share; write one from 0% to 100%")
      }
      return .share(percent / 100)
    }
    do throws(DurationText.DurationProblem) {
      return .duration(try DurationText.parse(text))
    } catch {
      throw RuleProblem(help: error.help)
    }
  }

  private static func number(_ text: String) -> Double? {
    guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 || $0 == 0x2E }) else { return nil }
    return Double(text)
  }

  private static func checkUnits(_ subject: Subject, _ limit: Limit) throws(RuleProblem) {
    switch (subject, limit) {
    case (.missed, .duration), (.failed, .duration):
      throw RuleProblem(help: "'missed' and 'failed' are shares of runs; write a limit such as 1%")
    case (.gate, .share), (.ready, .share), (.step, .share):
      throw RuleProblem(help: "compare a time with a duration, such as 2.5s")
    default: break
    }
  }

  /// The step that the rule measures, or nil if it measures something else.
  package var step: StepID? { if case .step(let id, _) = subject { id } else { nil } }

  /// True if the limit refers to earlier runs.
  package var readsBaseline: Bool { if case .baseline = limit { true } else { false } }

  /// True if `value` satisfies the rule's comparison with `limit`.
  package func allows(_ value: Double, limit: Double) -> Bool {
    switch comparison {
    case .atMost: value <= limit
    case .below: value < limit
    case .atLeast: value >= limit
    case .above: value > limit
    }
  }
}
