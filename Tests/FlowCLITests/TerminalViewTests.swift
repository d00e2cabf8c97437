import FlowEngine
import FlowModel
import Testing

@testable import FlowCLI

/// The live view, line by line, on a terminal of the test's own.
@Suite struct `The live view` {
  private static let three = """
    name: three
    steps:
      a: { uses: flow.noop }
      b: { uses: flow.noop, needs: a }
      c: { uses: flow.noop, needs: b, name: Check the lot }
    """

  @Test func `shows a row a step, and how many are done`() {
    let stage = ViewStage(Self.three)
    stage.at(0, ViewStage.activated)
    stage.at(1, ViewStage.started("a"))
    stage.at(13, ViewStage.done("a"), ViewStage.started("b"))
    stage.at(1_500)
    #expect(
      stage.text == [
        "1 of 3 done, 1 running, 1.500 s",
        "  ✓  done      a             user-initiated        12 ms",
        "  ▶  running   b             user-initiated      1.487 s",
        "  ·  waiting   Check the lot                              for b",
      ])
  }

  @Test(arguments: [70, 80, 200]) func `wide characters wrap no line`(columns: Int) {
    let stage = ViewStage(
      """
      name: wide
      steps:
        a: { uses: flow.noop, name: "東京都千代田区の地図を取り込み、検索の索引を作り直す" }
        b: { uses: flow.noop, name: "Émilie 👩‍🚀 🇯🇵 and ❤️ and 한국어" }
      """, rows: 10, columns: columns)
    stage.at(0, ViewStage.activated)
    for time in 1...20 {
      stage.at(
        time * 100, ViewStage.started("a"),
        .stepProgress(ViewStage.id("a"), fraction: 0.5, message: String(repeating: "索引", count: 50)))
    }
    stage.at(3_000, ViewStage.done("a"), ViewStage.done("b", .failure, String(repeating: "失敗", count: 90)))
    #expect(stage.terminal.wraps == 0)
    #expect(stage.text.count == 3)
    #expect(stage.text[1].hasPrefix("  ✓  done      東京都"))
  }

  @Test func `what interrupts it goes above the table, once, and the table stays whole`() {
    let stage = ViewStage(Self.three)
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    // The terminal echoes the keys.
    stage.write("^C")
    stage.view.say("\nflowrun: cancelling; once more ends at once\n")
    for time in 1...5 { stage.at(time * 100) }
    #expect(stage.text.filter { $0.contains("cancelling") }.count == 1)
    #expect(stage.text.first == "flowrun: cancelling; once more ends at once")
    #expect(stage.text.filter { $0.contains("running   a") }.count == 1)
    #expect(!stage.text.joined().contains("^C"))
  }

  @Test func `a run that is cancelled is never said to be ready`() {
    let stage = ViewStage("name: x\ndeadline: 5s\nsteps: { a: { uses: flow.noop }, b: { uses: flow.noop } }")
    stage.deadline = (.zero, .seconds(5))
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    #expect(stage.text[0].contains("2 blocking steps to go"))
    stage.at(100, ViewStage.done("a", .cancelled), ViewStage.done("b", .cancelled))
    #expect(stage.text[0] == "cancelled, 100 ms")
  }

  @Test func `a gate whose step has failed is not said to be ready`() {
    let stage = ViewStage("name: x\ndeadline: { min: 2s }\nsteps: { a: { uses: flow.noop } }", columns: 120)
    stage.deadline = (.seconds(2), nil)
    stage.at(0, ViewStage.activated, ViewStage.done("a", .failure, "no"))
    #expect(stage.text[0] == "gate 0.0 ms: a step that it waits for has failed, opens in 2.000 s at the earliest")
  }

  @Test func `with a deadline the gate counts down and opens`() {
    let stage = ViewStage("name: x\ndeadline: { min: 1s, max: 5s }\nsteps: { a: { uses: flow.noop } }")
    stage.deadline = (.seconds(1), .seconds(5))
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    #expect(stage.text[0] == "gate 0.0 ms: 1 blocking step to go, opens in 1.000 s at the earliest")
    stage.at(2_000)
    #expect(stage.text[0] == "gate 2.000 s: 1 blocking step to go, opens in 3.000 s at the latest")
    stage.at(2_100, ViewStage.done("a"), .gateOpened(.ready))
    #expect(stage.text[0] == "gate opened at 2.100 s, ready")
  }

  @Test func `without a deadline nothing speaks of a gate`() {
    let stage = ViewStage(
      "name: x\nsteps: { a: { uses: flow.noop }, b: { uses: flow.noop, defer: true } }")
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    stage.at(10, .gateOpened(.ready), ViewStage.done("a"), ViewStage.started("b"))
    stage.at(20, ViewStage.done("b"))
    #expect(!stage.text.joined(separator: "\n").contains("gate"))
  }

  @Test func `a failure is shown while the run goes on, and left to the summary at the end`() {
    let stage = ViewStage(Self.three)
    stage.at(0, ViewStage.activated, ViewStage.done("a", .failure, "no network"))
    #expect(stage.text[1].hasSuffix("no network"))
    stage.end(at: 10)
    #expect(!stage.text.joined().contains("no network"))
    #expect(stage.text[0].contains("failed    a"))
  }

  @Test func `of a failure of several lines the table has room for the first`() {
    let stage = ViewStage(Self.three)
    stage.at(0, ViewStage.activated, ViewStage.done("a", .failure, "make failed:\n  cc -c\n  oops"))
    #expect(stage.text[1].hasSuffix("make failed"))
  }

  @Test func `a line that has no end yet stands below its step, changes in place and becomes a line`() {
    let stage = ViewStage(Self.three)
    stage.at(0, ViewStage.activated, ViewStage.started("a"), ViewStage.wrote("a", "begin"))
    stage.at(1, ViewStage.wrote("a", begun: "10 %"))
    #expect(Array(stage.text[2...3]) == ["       │ begin", "       │ 10 %"])
    stage.at(2, ViewStage.wrote("a", begun: "\u{1B}[31m20 %\u{1B}[2J"))
    #expect(Array(stage.text[2...3]) == ["       │ begin", "       │ 20 %"])
    // The other output has a line of its own.
    stage.at(3, .stepLog(ViewStage.id("a"), level: .info, stream: .standardError, message: "hm"))
    #expect(Array(stage.text[2...4]) == ["       │ begin", "       │ hm", "       │ 20 %"])
    stage.at(4, ViewStage.wrote("a", "100 %"))
    #expect(Array(stage.text[2...4]) == ["       │ begin", "       │ hm", "       │ 100 %"])
    stage.at(5, ViewStage.wrote("a", begun: "more"), ViewStage.done("a"))
    #expect(!stage.text.joined().contains("│"))
  }

  @Test func `levels of log lines are told in words, and stay above the table`() {
    let stage = ViewStage(Self.three)
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    stage.at(1, ViewStage.log("a", .warning, "low on space"), ViewStage.log("a", .error, "full"))
    stage.at(2, ViewStage.log("a", .info, "one\ntwo"))
    #expect(Array(stage.text.prefix(4)) == ["a: warning: low on space", "a: error: full", "a: one", "a: two"])
    #expect(stage.text.count == 8)
  }

  @Test func `steps that ended well fold away where there is no room; failed and running ones stay`() {
    let steps = (1...30).map { "  s\($0): { uses: flow.noop }" }.joined(separator: "\n")
    let stage = ViewStage("name: many\nsteps:\n\(steps)", rows: 10)
    stage.at(0, ViewStage.activated)
    for number in 1...27 { stage.at(number, ViewStage.started("s\(number)")) }
    for number in 1...25 where number != 3 { stage.at(100 + number, ViewStage.done("s\(number)")) }
    stage.at(200, ViewStage.done("s3", .failure, "broken"))
    #expect(stage.text.count == 9)
    #expect(stage.text[0].hasPrefix("25 of 30 done, 2 running"))
    let rows = stage.text[1...7].map { String($0.split(separator: " ")[2]) }
    #expect(rows == ["s1", "s3", "s26", "s27", "s28", "s29", "s30"])
    #expect(stage.text[8] == "  … and 23 done")
  }

  @Test func `what a command prints stands below its step while it runs, the last lines of it`() {
    let stage = ViewStage(Self.three, isColored: true)
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    for number in 1...5 { stage.at(number, ViewStage.wrote("a", "\u{1B}[32mline \(number)\u{1B}[0m\u{1B}[2K")) }
    stage.at(6, ViewStage.wrote("a", "10 %\r99 %"))
    #expect(stage.text[1].hasPrefix("  ▶  running   a"))
    #expect(Array(stage.text[2...4]) == ["       │ line 4", "       │ line 5", "       │ 99 %"])
    stage.at(7, ViewStage.done("a"))
    #expect(!stage.text.joined().contains("line"))
    #expect(stage.terminal.faults.isEmpty && stage.text.count == 4)
  }

  @Test func `where there is little room running steps show fewer lines of what they print`() {
    let steps = (1...20).map { "  s\($0): { uses: flow.noop }" }.joined(separator: "\n")
    let stage = ViewStage("name: many\nsteps:\n\(steps)", rows: 10)
    stage.at(0, ViewStage.activated)
    for number in 1...3 {
      stage.at(
        number, ViewStage.started("s\(number)"), ViewStage.wrote("s\(number)", "one"),
        ViewStage.wrote("s\(number)", "two"))
    }
    #expect(stage.text.count == 9)
    #expect(stage.text.filter { $0.contains("│ two") }.count == 3 && !stage.text.joined().contains("│ one"))
  }

  @Test func `a terminal that has become narrower keeps one table`() {
    let stage = ViewStage(Self.three, columns: 120)
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    stage.at(1, .stepProgress(ViewStage.id("a"), fraction: 0.5, message: String(repeating: "word ", count: 30)))
    stage.narrow(to: 60)
    stage.at(100)
    stage.at(200)
    #expect(stage.text.count == 4)
    #expect(stage.text.filter { $0.contains("running   a") }.count == 1)
  }

  @Test func `after a pause the table is drawn below what others have written`() {
    let stage = ViewStage(Self.three)
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    stage.write("[1]+  Stopped\n$ fg\n")
    stage.at(60_000)
    #expect(stage.text.contains("[1]+  Stopped") && stage.text.contains("$ fg"))
  }

  @Test func `nothing that a workflow says moves the cursor`() {
    let stage = ViewStage(
      "name: x\nsteps: { a: { uses: flow.noop, name: \"\\e[2J\\e]0;title\\a\\r\\nforged\" } }", columns: 200,
      isColored: true)
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    stage.at(1, ViewStage.log("a", .info, "\u{1B}[2Jgone\u{9B}1A\u{7}\n\u{202E}b: forged\r"))
    stage.at(2, .stepProgress(ViewStage.id("a"), fraction: 0.5, message: "\u{1B}[1A\n\n"))
    stage.at(
      3,
      .stepRetrying(
        ViewStage.id("a"), attempt: 1, delayMilliseconds: 5,
        failure: StepFailure(code: "c\u{1B}", message: "x\ny\u{1B}c")))
    stage.at(4, ViewStage.done("a", .failure, "\u{1B}[31mred\n  ✓  done  b"), .warning("\u{1B}[2J"))
    #expect(stage.terminal.faults.isEmpty)
    #expect(stage.text.filter { $0.hasPrefix("a: ") }.count == 2)
    #expect(stage.text.contains("  | y␛c; again in 5.0 ms"))
    #expect(stage.text.last?.contains("✗  failed    ␛[2J␛]0;title␇␍␊forg") == true)
    #expect(stage.text.last?.hasSuffix("␛[31mred") == true)
  }
}
