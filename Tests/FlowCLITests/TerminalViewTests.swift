import FlowEngine
import FlowModel
import Testing

@testable import FlowCLI

/// Tests the live view on a virtual terminal, line by line.
struct `The live view` {
  private static let three = """
    name: three
    steps:
      a: { uses: flow.noop }
      b: { uses: flow.noop, needs: a }
      c: { uses: flow.noop, needs: b, name: Check the lot }
    """

  private static func many(_ count: Int) -> String {
    "name: many\nsteps:\n" + (1...count).map { "  s\($0): { uses: flow.noop }" }.joined(separator: "\n")
  }

  @Test func `the view shows finished steps above a progress bar, running steps and counts`() {
    let stage = ViewStage(Self.three)
    stage.at(0, ViewStage.activated)
    stage.at(1, ViewStage.started("a"))
    stage.at(13, ViewStage.done("a"), ViewStage.started("b"))
    stage.at(1_500)
    #expect(
      stage.text == [
        "✓ a                  12 ms", "three  1.5 s  ━━━━━───────────  1 of 3 steps",
        "  ▶ b  1.5 s" + String(repeating: " ", count: 40) + "✓ 1 succeeded   ○ 1 waiting",
      ])
    stage.at(1_600, ViewStage.done("b"), ViewStage.started("c"), ViewStage.done("c"))
    stage.end(at: 1_601)
    #expect(
      stage.text == ["✓ a                  12 ms", "✓ b                  12 ms", "✓ Check the lot      12 ms"])
  }

  @Test func `the view draws only on request, and then shows all printed lines in order`() {
    let stage = ViewStage(Self.three)
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    var printed: [String] = []
    for millisecond in 1...1_000 {
      let lines = (0..<3).map { "line \(millisecond).\($0)" }
      printed += lines
      stage.view.receive(
        lines.map {
          RunEvent(
            atNanoseconds: millisecond * 1_000_000,
            .stepLog(ViewStage.id("a"), level: .info, stream: .standardOutput, message: $0))
        })
      if millisecond % 100 == 0 { stage.at(millisecond) }
    }
    #expect(stage.drawings == 11)
    #expect(stage.text.filter { $0.hasPrefix("line ") } == printed)
  }

  @Test func `the view counts down to the gate's minimum, then its maximum, and shows the opening`() {
    let stage = ViewStage(
      """
      name: launch
      deadline: { min: 2s, max: 5s }
      steps: { a: { uses: flow.noop }, b: { uses: flow.noop } }
      """, columns: 90)
    stage.deadline = (.seconds(2), .seconds(5))
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    stage.at(1_100)
    #expect(stage.text[0] == "launch  1.1 s  ━━━━━━━━━───────  gate opens in 0.9 s (min 2 s, max 5 s)")
    stage.at(3_000, ViewStage.done("b"))
    #expect(stage.text[1] == "launch  3.0 s  ━━━━━━━━━━──────  gate waits for 1 step, 2.0 s left (min 2 s, max 5 s)")
    stage.at(3_100, ViewStage.done("a"), .gateOpened(.ready))
    #expect(stage.text[2] == "launch  3.1 s  ━━━━━━━━━━━━━━━━  gate opened at 3.1 s, ready")
  }

  @Test func `the view does not show a gate as ready if a blocking step has failed`() {
    let stage = ViewStage("name: x\ndeadline: { min: 2s }\nsteps: { a: { uses: flow.noop } }", columns: 120)
    stage.deadline = (.seconds(2), nil)
    stage.at(0, ViewStage.activated, ViewStage.done("a", .failure, "no"))
    #expect(
      stage.text[1] == "x  0.0 s  ────────────────  a blocking step failed, gate opens in 2.0 s (min 2 s)")
  }

  @Test func `the view never shows a cancelled run as ready`() {
    let stage = ViewStage("name: x\ndeadline: 5s\nsteps: { a: { uses: flow.noop }, b: { uses: flow.noop } }")
    stage.deadline = (.zero, .seconds(5))
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    #expect(stage.text[0].contains("gate waits for 2 steps"))
    stage.at(100, ViewStage.done("a", .cancelled), ViewStage.done("b", .cancelled))
    #expect(stage.text[2] == "x  0.1 s  cancelling")
  }

  @Test func `the view does not mention a gate if there is no deadline`() {
    let stage = ViewStage(
      "name: x\nsteps: { a: { uses: flow.noop }, b: { uses: flow.noop, defer: true } }")
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    stage.at(10, .gateOpened(.ready), ViewStage.done("a"), ViewStage.started("b"))
    stage.at(20, ViewStage.done("b"))
    #expect(!stage.text.joined(separator: "\n").contains("gate"))
  }

  @Test(arguments: [30, 70, 80, 200]) func `the view never wraps lines with wide characters`(columns: Int) {
    let stage = ViewStage(
      """
      name: 東京都千代田区の地図を取り込む
      steps:
        a: { uses: flow.noop, name: "東京都千代田区の地図を取り込み、検索の索引を作り直す" }
        b: { uses: flow.noop, name: "Émilie 👩‍🚀 🇯🇵 and ❤️ and 한국어" }
      """, rows: 10, columns: columns)
    stage.at(0, ViewStage.activated)
    for time in 1...20 {
      stage.at(
        time * 100, ViewStage.started("a"), ViewStage.started("b"),
        .stepProgress(ViewStage.id("a"), fraction: 0.5, message: String(repeating: "索引", count: 50)))
      #expect(stage.text.count == 4)
    }
    stage.at(3_000, ViewStage.done("a"), ViewStage.done("b"))
    #expect(stage.terminal.wraps == 0)
    #expect(stage.text.count == 4)
    #expect(stage.text[0].hasPrefix("✓ 東京都"))
  }

  @Test func `the view lists up to eight running steps, or fewer on a short terminal, and counts the rest`() {
    for (rows, lines) in [(24, 8), (8, 4), (4, 0)] {
      let stage = ViewStage(Self.many(100), rows: rows)
      stage.at(0, ViewStage.activated)
      for number in 1...100 { stage.at(number, ViewStage.started("s\(number)")) }
      #expect(stage.text.count == lines + 3)
      // The last match is the line of counts.
      #expect(stage.text.filter { $0.contains("▶") }.count == lines + 1)
      #expect(stage.text.contains("    and \(100 - lines) more running"))
      #expect(stage.text.last == "  ▶ 100 running")
    }
  }

  @Test func `the view shows the cause of a failure and the last lines of its output`() {
    let stage = ViewStage(Self.three)
    stage.at(
      0, ViewStage.activated, ViewStage.done("a", .failure, "make failed:\n  cc -c\n  oops"),
      ViewStage.done("b", .timedOut))
    #expect(
      Array(stage.text.prefix(4)) == [
        "✗ a                  12 ms  failed: make failed [broken]", "    │ cc -c", "    │ oops",
        "✗ b                  12 ms  timed out",
      ])
  }

  @Test func `the view keeps printed lines above the region, and does not repeat them for a failure`() {
    let stage = ViewStage(Self.three)
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    stage.at(1, ViewStage.wrote("a", "cc -c"), ViewStage.wrote("a", "oops"))
    stage.at(2, ViewStage.done("a", .failure, "make failed:\n  cc -c\n  oops"))
    #expect(
      Array(stage.text.prefix(4)) == [
        "▶ a", "cc -c", "oops", "✗ a                  12 ms  failed: make failed [broken]",
      ])
  }

  @Test func `printed lines appear below the only running step, or begin with step ids if several steps run`() {
    let stage = ViewStage(Self.three)
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    stage.at(1, ViewStage.wrote("a", "one"), ViewStage.wrote("a", "two"))
    stage.at(2, ViewStage.started("b"), ViewStage.wrote("a", "three"), ViewStage.wrote("b", "four"))
    stage.at(3, ViewStage.done("b"), ViewStage.wrote("a", "five"))
    #expect(
      Array(stage.text.prefix(7)) == [
        "▶ a", "one", "two", "a │ three", "b │ four", "✓ b                  12 ms", "▶ a",
      ])
    #expect(stage.text[7] == "five")
  }

  @Test func `the view shows every printed line in full, with tabs expanded`() {
    let stage = ViewStage(Self.three, rows: 12, columns: 40)
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    let long = String(repeating: "0123456789", count: 9)
    for number in 1...300 { stage.at(number, ViewStage.wrote("a", "line \(number)")) }
    stage.at(301, ViewStage.wrote("a", "a\tb"), ViewStage.wrote("a", long))
    let text = stage.text
    for number in 1...300 { #expect(text.contains("line \(number)")) }
    #expect(text.contains("a       b"))
    #expect(text.joined().contains(long) && stage.terminal.faults.isEmpty)
  }

  @Test func `the view reports that a failure has scrolled away, so that the summary repeats it`() {
    let stage = ViewStage(Self.many(40), rows: 24)
    #expect(!stage.view.showsFailures(besideLines: 8))
    stage.at(0, ViewStage.activated, ViewStage.done("s1", .failure, "broken"))
    #expect(stage.view.showsFailures(besideLines: 8))
    for number in 2...20 { stage.at(number, ViewStage.done("s\(number)")) }
    #expect(!stage.view.showsFailures(besideLines: 8))
  }

  @Test func `the view reports the warnings that are still visible, so that the summary omits them`() {
    let stage = ViewStage(Self.many(40), rows: 24)
    stage.at(0, ViewStage.activated, .warning("first"))
    for number in 1...10 { stage.at(number, ViewStage.done("s\(number)")) }
    stage.at(11, .warning("second"))
    #expect(stage.view.warningsInView(besideLines: 4) == ["first", "second"])
    for number in 12...20 { stage.at(number, ViewStage.done("s\(number)")) }
    #expect(stage.view.warningsInView(besideLines: 4) == ["second"])
  }

  @Test func `steps skipped at the same time for the same reason share a line`() {
    let stage = ViewStage(Self.many(4))
    stage.at(0, ViewStage.activated, ViewStage.done("s1", .skipped), ViewStage.done("s2", .skipped))
    stage.at(1, ViewStage.done("s3", .skipped))
    #expect(Array(stage.text.prefix(2)) == ["– 2 skipped (condition): s1, s2", "– s3        skipped: condition"])
    #expect(stage.text.last == "  ○ 1 waiting   – 3 skipped")
  }

  @Test func `with more than 1,000 steps, the view shows only failed steps above the region`() {
    let stage = ViewStage(Self.many(1_001))
    stage.at(0, ViewStage.activated, ViewStage.done("s1"), ViewStage.done("s2", .failure, "no"))
    #expect(stage.text.count == 3 && stage.text[0].hasPrefix("✗ s2"))
  }

  @Test func `items are shown on the line of their step, and failed ones in a table below it`() {
    let stage = ViewStage("name: x\nsteps: { each: { uses: flow.noop, foreach: [1, 2, 3] } }")
    stage.at(0, ViewStage.activated, ViewStage.started("each"), ViewStage.started("each[0]"))
    stage.at(1, ViewStage.done("each[0]"), ViewStage.started("each[1]"))
    #expect(stage.text.contains { $0.hasPrefix("  ▶ each") && $0.hasSuffix("1 of 3, 1 running") })
    // In the bar, finished items count as fractions of their step.
    #expect(stage.text.contains { $0.hasSuffix("━━━━━───────────  0 of 1 step") }, "\(stage.text)")
    stage.at(2, ViewStage.done("each[1]", .failure, "no"))
    #expect(stage.text.contains { $0.hasSuffix("2 of 3, 0 running, 1 failed") })
    #expect(!stage.text.contains { $0.hasPrefix("✗") })
    stage.at(3, ViewStage.done("each[2]", .timedOut))
    stage.at(3, ViewStage.failed("each", "items-failed", "2 of 3 items failed:\n  [1] no\n  [2] it took too long"))
    #expect(stage.text[0].hasPrefix("✗ each") && stage.text[0].hasSuffix("12 ms  2 of 3 items failed"))
    #expect(stage.text[1...2] == ["    [1]  no [broken]", "    [2]  timed out"], "\(stage.text)")
  }

  @Test func `the first ten failed items are listed with value, exit status and last line in columns`() {
    let stage = ViewStage("name: x\nsteps: { each: { uses: flow.noop, foreach: [1], parallel: 1 } }", columns: 60)
    stage.at(0, ViewStage.activated, ViewStage.started("each"))
    stage.at(1, .stepItems(ViewStage.id("each"), (0..<20).map { $0 == 3 ? "failure.yaml" : "gate.yaml" }))
    for item in (0..<14).reversed() {
      let message = "exited with status \(item): cannot convert \(item) ('convert \(item)')"
      stage.at(2, ViewStage.wrote("each[\(item)]", "cannot convert \(item)"))
      stage.at(2, ViewStage.failed("each[\(item)]", "command-failed", message))
    }
    stage.at(3, ViewStage.failed("each", "items-failed", "14 of 20 items failed:\n  [0] x"))
    let text = stage.text
    #expect(text.contains("    [4]   gate.yaml  exit 4   cannot convert 4"), "\(text)")
    #expect(text.contains("    [13]  gate.yaml  exit 13  cannot convert 13"), "\(text)")
    #expect(text.filter { $0.hasPrefix("    [") }.count == FailedItems.shownRows)
    #expect(text.contains("    and 4 more: flowrun logs last --failed"))
    #expect(stage.terminal.faults.isEmpty)
  }

  @Test func `if only one item fails, its output is quoted`() {
    let stage = ViewStage("name: x\nsteps: { each: { uses: flow.noop, foreach: [1, 2] } }")
    stage.at(0, ViewStage.activated, ViewStage.started("each"), ViewStage.started("each[0]"))
    stage.at(1, ViewStage.failed("each[0]", "command-failed", "exited with status 2: oops ('make'):\n  cc -c\n  oops"))
    stage.at(2, ViewStage.failed("each", "items-failed", "1 of 2 items failed:\n  [0] exited"))
    #expect(Array(stage.text[1...3]) == ["    [0]  exit 2  oops", "    │ cc -c", "    │ oops"], "\(stage.text)")
  }

  @Test func `the view shows the location of a failed step, and the last line of a quiet command`() {
    let stage = ViewStage(Self.three, columns: 60, places: { "flows/release.yaml:\($0 == ViewStage.id("a") ? 3 : 4)" })
    stage.at(0, ViewStage.activated)
    stage.at(1, ViewStage.failed("a", "command-failed", "exited with status 2: main.c:3: error ('make')"))
    stage.at(2, ViewStage.done("b", .failure, "make failed"))
    #expect(
      Array(stage.text.prefix(5)) == [
        "✗ a                  12 ms  failed, exit 2", "    flows/release.yaml:3", "    │ main.c:3: error",
        "✗ b                  12 ms  failed: make failed [broken]", "    flows/release.yaml:4",
      ], "\(stage.text)")
  }

  @Test func `a long name is shortened to leave room for the exit status of a failed step`() {
    let name = String(repeating: "long-", count: 12) + "name"
    let stage = ViewStage("name: x\nsteps: { \(name): { uses: flow.noop } }", columns: 80, places: { _ in "w.yaml:2" })
    stage.at(0, ViewStage.activated)
    stage.at(1, ViewStage.failed(name, "command-failed", "exited with status 127: oops ('make')"))
    #expect(stage.text[0].hasPrefix("✗ long-long-") && stage.text[0].contains("…"), "\(stage.text)")
    #expect(stage.text[0].contains("12 ms  failed, exit 127"), "\(stage.text)")
  }

  @Test func `an included file has one line below its steps, with their number and total time`() {
    let parts = [
      "main.yaml": "name: x\nsteps: { core: { uses: ./core.yaml } }",
      "core.yaml":
        "name: core\nsteps: { one: { uses: flow.noop }, unit: { uses: ./unit.yaml }, two: { uses: flow.noop } }",
      "unit.yaml": "name: unit\nsteps: { three: { uses: flow.noop }, four: { uses: flow.noop } }",
    ]
    let stage = ViewStage(parts["main.yaml"] ?? "", files: parts)
    stage.at(0, ViewStage.activated, ViewStage.started("core/"), ViewStage.done("core/"))
    stage.at(100, ViewStage.started("core/unit/"), ViewStage.done("core/unit/"), ViewStage.done("core/one"))
    stage.at(300, ViewStage.done("core/unit/three"), ViewStage.done("core/unit/four"), ViewStage.done("core/unit"))
    stage.at(400, ViewStage.done("core/two"), ViewStage.done("core"))
    let lines = stage.text.filter { $0.hasPrefix("✓ core/unit ") || $0.hasPrefix("✓ core ") }
    #expect(lines.map { $0.suffix(15) } == ["200 ms  2 steps", "400 ms  4 steps"], "\(stage.text)")
    #expect(stage.text.last == "  ✓ 4 succeeded")
  }

  @Test func `the announcement of a question is omitted if the question is asked on this terminal`() {
    let asked = ViewStage.log("a", .info, "asks: Apply? (yes; no); flowrun answer 1a2b a CHOICE")
    for asksHere in [true, false] {
      let stage = ViewStage(Self.three, asksHere: asksHere)
      stage.at(0, ViewStage.activated, asked, ViewStage.log("a", .info, "asks: the way"))
      #expect(stage.text.contains { $0.contains("Apply?") } == !asksHere)
      #expect(stage.text.contains("a: asks: the way"))
    }
  }

  @Test func `before the activation, the view shows whether a run is prewarmed`() {
    for isPrewarmed in [true, false] {
      let stage = ViewStage(Self.three, isPrewarmed: isPrewarmed)
      stage.at(0)
      #expect(stage.text[0].hasSuffix(isPrewarmed ? "prewarmed, not activated" : "starting"), "\(stage.text)")
    }
  }

  @Test func `the unfinished line of a command is shown after its step, and updated`() {
    let stage = ViewStage(Self.three, isColored: true)
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    stage.at(1, ViewStage.wrote("a", "\u{1B}[2K\u{1B}[32mline\u{1B}[0m"))
    #expect(stage.text.prefix(2) == ["▶ a", "line"])
    stage.at(2, ViewStage.wrote("a", begun: "10 %"))
    #expect(stage.text[3] == "  ▶ a     2 ms  10 %")
    stage.at(3, ViewStage.wrote("a", "10 %\r99 %"))
    #expect(stage.text[2] == "99 %" && !stage.text.joined().contains("10 %"))
    stage.at(4, ViewStage.done("a"))
    #expect(stage.text.filter { $0.contains("99") }.count == 1)
    #expect(stage.terminal.faults.isEmpty)
  }

  @Test func `the view marks steps that are late or wait for another attempt`() {
    let stage = ViewStage(Self.three)
    stage.at(0, ViewStage.activated, ViewStage.started("a"), .gateLate(ViewStage.id("a")))
    #expect(stage.text[1] == "  ▶ a     0 ms  late")
    stage.at(1, .stepRetrying(ViewStage.id("a"), attempt: 1, delayMilliseconds: 5, failure: nil))
    #expect(stage.text.contains("  ↻ a     1 ms  late  attempt 1 failed, again in 5.0 ms"))
  }

  @Test func `a step shows the number of finished items with the estimated time left, and later their total number`() {
    let stage = ViewStage("name: x\nsteps: { each: { uses: flow.noop, foreach: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] } }")
    stage.at(0, ViewStage.activated, ViewStage.started("each"))
    for item in 0..<5 { stage.at(item, ViewStage.started("each[\(item)]"), ViewStage.done("each[\(item)]")) }
    for time in 1..<50 { stage.at(time * 200) }
    stage.at(10_000, ViewStage.started("each[5]"))
    #expect(stage.text.contains { $0.hasSuffix("5 of 10, 1 running, about 10 s left") }, "\(stage.text)")
    stage.at(10_001, ViewStage.done("each[5]"), ViewStage.done("each"))
    #expect(stage.text[0].hasPrefix("✓ each") && stage.text[0].hasSuffix("12 ms  6 items"), "\(stage.text)")
  }

  @Test func `the view shows a symbol for a cancelled step and the exit status of a failed command`() {
    let stage = ViewStage(Self.three)
    let failure = StepFailure(
      code: "command-failed", message: "exited with status 2: 'cc -c main.c'")
    stage.at(0, ViewStage.activated, ViewStage.done("a", .cancelled))
    stage.at(
      1,
      .stepFinished(
        ViewStage.id("b"),
        RunEvent.FinishedStep(
          outcome: .failure, conclusion: .failure, attempts: 1, durationMilliseconds: 617, failure: failure)))
    #expect(stage.text[0].hasPrefix("■ a") && stage.text[0].hasSuffix("cancelled"))
    #expect(stage.text[1].hasPrefix("✗ b") && stage.text[1].hasSuffix("617 ms  failed, exit 2"), "\(stage.text)")
    #expect(stage.text.last == "  ✗ 1 failed   ■ 1 cancelled   ○ 1 waiting")
  }

  @Test func `verbose mode shows starts with their queues, and all output above the region`() {
    let stage = ViewStage(Self.three, isVerbose: true)
    stage.at(0, ViewStage.activated, ViewStage.started("a"), ViewStage.wrote("a", "hello"), ViewStage.done("a"))
    #expect(
      Array(stage.text.prefix(3)) == [
        "      0.0  a started on user-initiated", "      0.0  a: hello", "      0.0  a succeeded in 12 ms",
      ])
    stage.at(1, ViewStage.started("b"))
    #expect(stage.text.contains("  ▶ b     0 ms  user-initiated"))
  }

  @Test func `a message is shown above the region once, and the region stays complete`() {
    let stage = ViewStage(Self.three)
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    // The terminal echoes the keys that are pressed.
    stage.write("^C")
    stage.view.say("\nflowrun: stopping; press Ctrl-C again to end at once (up to 9 s)\n")
    for time in 1...5 { stage.at(time * 100) }
    #expect(stage.text.filter { $0.contains("stopping") }.count == 1)
    #expect(stage.text.first == "flowrun: stopping; press Ctrl-C again to end at once (up to 9 s)")
    #expect(stage.text.filter { $0.contains("▶ a") }.count == 1)
    #expect(!stage.text.joined().contains("^C"))
  }

  @Test func `log levels are shown as words above the region`() {
    let stage = ViewStage(Self.three)
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    stage.at(1, ViewStage.log("a", .warning, "low on space"), ViewStage.log("a", .error, "full"))
    stage.at(2, ViewStage.log("a", .info, "one\ntwo"))
    #expect(Array(stage.text.prefix(4)) == ["a: warning: low on space", "a: error: full", "a: one", "a: two"])
    #expect(stage.text.count == 6)
  }

  @Test func `the region is not duplicated on a terminal that becomes narrower`() {
    let stage = ViewStage(Self.three, columns: 120)
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    stage.at(1, .stepProgress(ViewStage.id("a"), fraction: 0.5, message: String(repeating: "word ", count: 30)))
    stage.narrow(to: 60)
    stage.at(100)
    stage.at(200)
    #expect(stage.text.count == 3)
    #expect(stage.text.filter { $0.contains("▶ a") }.count == 1)
  }

  @Test func `after a pause, the region is drawn below the output of other programs`() {
    let stage = ViewStage(Self.three)
    stage.at(0, ViewStage.activated, ViewStage.started("a"))
    stage.write("[1]+  Stopped\n$ fg\n")
    stage.at(60_000)
    #expect(stage.text.contains("[1]+  Stopped") && stage.text.contains("$ fg"))
  }

  @Test func `control characters in names, messages and logs never reach the terminal`() {
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
    stage.at(4, ViewStage.done("a", .failure, "\u{1B}[31mred\n✓ b"), .warning("\u{1B}[2J"))
    #expect(stage.terminal.faults.isEmpty)
    #expect(stage.text.filter { $0.hasPrefix("a: ") }.count == 2)
    #expect(!stage.text.joined().contains("\u{1B}"))
    #expect(stage.text.contains { $0.hasPrefix("✗ ␛[2J␛]0;title␇␍␊forged") && $0.hasSuffix("red [broken]") })
    #expect(stage.text.contains("    │ ✓ b"))
  }
}
