import FlowEngine
import FlowModel
import FlowSystem

/// A run as a JUnit report, which most build servers can read. The run is a test suite. Each step, or each item of a
/// step with `foreach`, is a test case.
struct JUnitReport {
  private let account: RunAccount
  private let cases: [Case]

  private struct Case {
    var name: String
    var milliseconds: Double
    var verdict: Verdict
  }

  private enum Verdict {
    case passed
    case failure(StepFailure)
    case error(StepFailure)
    case skipped(String)

    var isFailure: Bool { if case .failure = self { true } else { false } }
    var isError: Bool { if case .error = self { true } else { false } }
    var isSkipped: Bool { if case .skipped = self { true } else { false } }
  }

  init(_ account: RunAccount) {
    self.account = account
    var cases = account.steps.filter(RunAccount.isOwn).flatMap(Self.cases)
    let isExplained = cases.contains { $0.verdict.isFailure || $0.verdict.isError }
    if let failure = account.failure(isExplained: isExplained) {
      cases.append(
        Case(name: "the run", milliseconds: account.report.durationMilliseconds, verdict: .error(failure)))
    }
    if account.isTooLate {
      let late = account.report.gate.late.map { "'\($0)'" }.joined(separator: ", ")
      let limit = account.report.gate.max.map { " of \(Milliseconds.text($0))" } ?? ""
      let failure = StepFailure(
        code: "late", message: "The gate opened at its maximum\(limit) before \(late) had finished")
      cases.append(Case(name: "the gate", milliseconds: account.report.gate.openedAt ?? 0, verdict: .error(failure)))
    }
    self.cases = cases
  }

  var bytes: [UInt8] {
    let failures = cases.count { $0.verdict.isFailure }
    let errors = cases.count { $0.verdict.isError }
    let skipped = cases.count { $0.verdict.isSkipped }
    let name = XMLText.attribute(account.report.workflow)
    let counts = #"name="\#(name)" tests="\#(cases.count)" failures="\#(failures)" errors="\#(errors)""#
    let time = #"time="\#(Self.seconds(account.report.durationMilliseconds))""#
    // The schema that most servers use does not allow a time zone. The time is in UTC.
    let start = WallTime.text(account.activatedAtNanoseconds / 1_000_000).dropLast()
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites \(counts) \(time)>
        <testsuite \(counts) skipped="\(skipped)" \(time) timestamp="\(start)" file="\(XMLText.attribute(account.file))">
          <properties>
            <property name="run" value="\(XMLText.attribute(account.report.runID))"/>
            <property name="conclusion" value="\(account.report.conclusion.rawValue)"/>
          </properties>

      """
    for testCase in cases { text += element(testCase, suite: name) }
    return Array((text + "  </testsuite>\n</testsuites>\n").utf8)
  }

  private func element(_ testCase: Case, suite: String) -> String {
    let name = XMLText.attribute(testCase.name)
    let head =
      #"    <testcase name="\#(name)" classname="\#(suite)" time="\#(Self.seconds(testCase.milliseconds))""#
    switch testCase.verdict {
    case .passed: return head + "/>\n"
    case .failure(let failure): return head + ">\n" + Self.element("failure", failure) + "    </testcase>\n"
    case .error(let failure): return head + ">\n" + Self.element("error", failure) + "    </testcase>\n"
    case .skipped(let reason):
      return head + ">\n      <skipped message=\"\(XMLText.attribute(reason))\"/>\n    </testcase>\n"
    }
  }

  private static func element(_ name: String, _ failure: StepFailure) -> String {
    let (type, message) = (XMLText.attribute(failure.code), XMLText.attribute(LogText.headline(failure.message)))
    return "      <\(name) type=\"\(type)\" message=\"\(message)\">\(XMLText.content(failure.message))</\(name)>\n"
  }

  /// Returns the test cases of a step: one for each item, or a single one if there are no items. If the step failed but
  /// no item did, there is an additional one for the step.
  private static func cases(_ step: RunReport.Step) -> [Case] {
    let own = Case(
      name: step.id.text, milliseconds: elapsed(step.startedAt, step.endedAt),
      verdict: verdict(step.outcome, step.conclusion, step.reason, step.failure))
    guard let items = step.items, !items.isEmpty else { return [own] }
    let cases = items.map { item in
      Case(
        name: step.id.item(item.index).text + (item.key.map { " \($0)" } ?? ""),
        milliseconds: elapsed(item.startedAt, item.endedAt),
        verdict: verdict(item.outcome, item.conclusion, item.reason, item.failure))
    }
    let isTold = cases.contains { $0.verdict.isFailure || $0.verdict.isError }
    return own.verdict.isFailure && !isTold || own.verdict.isError && !isTold ? cases + [own] : cases
  }

  private static func verdict(
    _ outcome: Outcome, _ conclusion: Outcome, _ reason: SkipReason?, _ failure: StepFailure?
  ) -> Verdict {
    let cause = failure ?? StepFailure(code: outcome.word, message: "The step ended as \(outcome.word)")
    switch outcome {
    case .success: return .passed
    case .skipped, .cancelled: return .skipped(reason?.word ?? outcome.word)
    // A failure that the workflow tolerates must not make the build fail.
    case .failure where conclusion == .success, .timedOut where conclusion == .success:
      return .skipped("optional, and ended as \(outcome.word): \(LogText.headline(cause.message))")
    case .failure: return .failure(cause)
    case .timedOut: return .error(cause)
    }
  }

  private static func elapsed(_ start: Double?, _ end: Double?) -> Double {
    guard let start, let end else { return 0 }
    return max(0, end - start)
  }

  private static func seconds(_ milliseconds: Double) -> String { Milliseconds.fixed(max(0, milliseconds) / 1000, 3) }
}

/// Escapes text for XML 1.0. Characters that XML does not allow become U+FFFD.
enum XMLText {
  static func content(_ text: String) -> String { escaped(text, isAttribute: false) }

  static func attribute(_ text: String) -> String { escaped(text, isAttribute: true) }

  private static func escaped(_ text: String, isAttribute: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x26: result += "&amp;"
      case 0x3C: result += "&lt;"
      case 0x3E: result += "&gt;"
      case 0x22 where isAttribute: result += "&quot;"
      // An XML reader would change these characters to spaces or line feeds.
      case 0x09 where isAttribute, 0x0A where isAttribute, 0x0D: result += "&#\(scalar.value);"
      case 0x09, 0x0A, 0x20...0xD7FF, 0xE000...0xFFFD, 0x1_0000...0x10_FFFF: result.unicodeScalars.append(scalar)
      default: result += "\u{FFFD}"
      }
    }
    return result
  }
}
