/// What a run may take: `p95(gate) <= 2.5s`, `missed <= 1%`, `p99(step:open-store) <= 120ms`.
public struct BudgetRule: Sendable, Hashable {
  /// Which of many values is held to the limit.
  public enum Statistic: String, Sendable, Hashable, CaseIterable {
    case median, p50, p90, p95, p99, max

    /// The share of runs that are at most so; 1: all.
    public var share: Double {
      switch self {
      case .median, .p50: 0.5
      case .p90: 0.9
      case .p95: 0.95
      case .p99: 0.99
      case .max: 1
      }
    }
  }

  /// What is measured.
  public enum Subject: Sendable, Hashable {
    /// When the gate opened; infinite where it did not.
    case gate(Statistic)
    /// When everything was ready, without the minimum; infinite where it never was.
    case ready(Statistic)
    /// How long a step took, from its start to its end, where it ran.
    case step(StepID, Statistic)
    /// The share of runs whose gate timed out.
    case missed
    /// The share of runs whose gate failed.
    case failed
  }

  /// How value and limit are compared.
  public enum Comparison: String, Sendable, Hashable, CaseIterable {
    case atMost = "<="
    case below = "<"
    case atLeast = ">="
    case above = ">"
  }

  /// What it is compared with.
  public enum Limit: Sendable, Hashable {
    case duration(Duration)
    /// A share, from 0 to 1.
    case share(Double)
    /// This many times what it was before; only where two are compared.
    case baseline(Double)
  }

  /// The rule as it was written.
  public let text: String
  /// What is measured.
  public let subject: Subject
  /// How it is compared.
  public let comparison: Comparison
  /// With what.
  public let limit: Limit

  /// Why a text is not a rule, as a sentence fragment with what to write instead.
  public struct RuleProblem: Error, Sendable, Hashable {
    /// The sentence fragment.
    public let help: String

    /// A problem with this remedy.
    public init(help: String) { self.help = help }
  }

  /// The longest rule: one step's id, and the rest.
  public static let longestBytes = 256

  /// Reads a rule.
  public init(parsing text: String) throws(RuleProblem) {
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
      // The steps of an included workflow have its name in front.
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

  /// A decimal number: no sign, no exponent, neither infinite nor NaN.
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

  /// The step that it names; nil: none.
  public var step: StepID? { if case .step(let id, _) = subject { id } else { nil } }

  /// Whether it needs something to be compared with.
  public var readsBaseline: Bool { if case .baseline = limit { true } else { false } }

  /// Whether a value keeps the rule with this limit.
  public func allows(_ value: Double, limit: Double) -> Bool {
    switch comparison {
    case .atMost: value <= limit
    case .below: value < limit
    case .atLeast: value >= limit
    case .above: value > limit
    }
  }
}
