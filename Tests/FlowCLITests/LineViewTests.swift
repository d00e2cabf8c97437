import FlowEngine
import FlowModel
import Synchronization
import Testing

@testable import FlowCLI

/// The output of a run if there is no terminal.
struct `Lines of a run` {
  private func lines(_ yaml: String, isVerbose: Bool = false, _ events: RunEvent.Kind...) -> [String] {
    let subject = ViewStage(yaml).subject
    let view = LineView(style: TextStyle(isColored: false), subject: subject, isVerbose: isVerbose)
    return events.flatMap { view.lines(RunEvent(atNanoseconds: 0, $0)) }
  }

  private static let plain = "name: x\nsteps: { a: { uses: flow.noop, name: Fetch the table }, b: { uses: flow.noop } }"

  @Test func `lines contain the names and ids of steps, and starts are shown only in verbose mode`() {
    let events = [ViewStage.started("a"), ViewStage.done("a"), ViewStage.done("b")]
    #expect(
      lines(Self.plain, events[0], events[1], events[2]) == [
        "Fetch the table (a) succeeded in 12 ms", "b succeeded in 12 ms",
      ])
    #expect(
      lines(Self.plain, isVerbose: true, events[0], events[1]) == [
        "Fetch the table (a) started on user-initiated", "Fetch the table (a) succeeded in 12 ms",
      ])
  }

  @Test func `lines begin with the time since the start or, later, since the activation`() {
    let view = LineView(style: TextStyle(isColored: false), subject: ViewStage(Self.plain).subject)
    func line(_ milliseconds: Int, _ kind: RunEvent.Kind) -> String? {
      view.timedLines(RunEvent(atNanoseconds: milliseconds * 1_000_000, kind)).first
    }
    #expect(line(14, ViewStage.done("a")) == "     14.0  Fetch the table (a) succeeded in 12 ms")
    _ = line(20, ViewStage.activated)
    #expect(line(32, ViewStage.done("b")) == "     12.0  b succeeded in 12 ms")
  }

  @Test func `each line of a command has its step and time, even if many arrive together`() {
    let view = LineView(style: TextStyle(isColored: false), subject: ViewStage(Self.plain).subject)
    func lines(_ milliseconds: Int, _ step: String, _ lines: String...) -> String {
      let lines = StepLines(
        atNanoseconds: milliseconds * 1_000_000, step: ViewStage.id(step), stream: .standardOutput, PrintedLines(lines))
      let text = view.text(of: lines)
      #expect(view.text(of: lines.events) == text)
      return text
    }
    let text = [
      lines(5, "a", "one", "two\u{1B}[2J"), lines(5, "b", "one"), lines(7, "b", ""),
      view.text(of: [RunEvent(atNanoseconds: 9_000_000, ViewStage.done("b"))]), lines(9, "a", "three"),
    ].joined()
    #expect(
      text.split(separator: "\n").map { String($0.drop { $0 == " " }) } == [
        "5.0  a: one", "5.0  a: two", "5.0  b: one", "7.0  b: ", "9.0  b succeeded in 12 ms", "9.0  a: three",
      ])
    let failure = StepFailure(code: "command-failed", message: "exited with status 1\n  three")
    #expect(view.takesQuoteAsShown(of: ViewStage.id("a"), failure))
  }

  @Test func `a warning is shown, and the summary repeats it only if many lines follow`() {
    let view = LineView(style: TextStyle(isColored: false), subject: ViewStage(Self.plain).subject)
    _ = view.text(of: [RunEvent(atNanoseconds: 0, .warning("low"))])
    func print(_ count: Int) {
      let lines = PrintedLines(Array(repeating: "x", count: count))
      _ = view.text(of: StepLines(atNanoseconds: 0, step: ViewStage.id("a"), stream: .standardOutput, lines))
    }
    print(ShownWarnings.logRows - 2)
    #expect(view.warnings.inView(ofRows: ShownWarnings.logRows) == ["low"])
    print(1)
    #expect(view.warnings.inView(ofRows: ShownWarnings.logRows).isEmpty)
  }

  @Test func `lines have the time of day of the event even if it arrives late or the clock changes`() {
    let now = Mutex(1_000_000_000_000)
    let clock = EventClock { now.withLock { $0 } }
    func text(_ event: Int, received: Int) -> String {
      now.withLock { $0 = 1_000_000_000_000 + received * 1_000_000_000 }
      return String(clock.text(event * 1_000_000_000).suffix(9))
    }
    // 1,000 s after the beginning of 1970, it is minute 16, second 40.
    #expect(text(5, received: 8) == "16:48.000".suffix(9))
    #expect(text(6, received: 6) == "16:46.000" && text(7, received: 9) == "16:47.000")
    #expect(text(8, received: 100) == "18:20.000" && text(9, received: 9) == "16:49.000")
    let view = LineView(style: TextStyle(isColored: false), subject: ViewStage(Self.plain).subject, clock: clock)
    let lines = view.timedLines(RunEvent(atNanoseconds: 0, ViewStage.done("b", .failure, "one\ntwo")))
    #expect(lines[0].dropFirst(12).hasPrefix("  b failed") && lines[1].hasPrefix("                | two"), "\(lines)")
  }

  @Test func `the final line of an included file or fan-out has its duration and its number of steps or items`() {
    let files = [
      "main.yaml": "name: x\nsteps: { core: { uses: ./core.yaml }, each: { uses: flow.noop, foreach: [a, b] } }",
      "core.yaml": "name: core\nsteps: { one: { uses: flow.noop }, two: { uses: flow.noop } }",
    ]
    let view = LineView(
      style: TextStyle(isColored: false), subject: ViewStage(files["main.yaml"] ?? "", files: files).subject)
    func lines(_ milliseconds: Int, _ kind: RunEvent.Kind) -> [String] {
      let event = RunEvent(atNanoseconds: milliseconds * 1_000_000, kind)
      view.subject.items.note(event)
      return view.lines(event)
    }
    #expect(lines(100, ViewStage.started("core/")).isEmpty && lines(100, ViewStage.done("core/")).isEmpty)
    #expect(lines(500, ViewStage.done("core")) == ["core succeeded in 400 ms, 2 steps"])
    _ = lines(500, .stepItems(ViewStage.id("each"), ["a", "b"]))
    #expect(lines(600, ViewStage.done("each")) == ["each succeeded in 12 ms, 2 items"])
    #expect(lines(600, ViewStage.done("each[1]", .failure, "no")) == ["each[1] b failed in 12 ms: no [broken]"])
    let failed = ViewStage.failed("each", "items-failed", "1 of 2 items failed:\n  [1] no")
    #expect(lines(600, failed) == ["each failed in 12 ms: 1 of 2 items failed [items-failed]"])
  }

  @Test func `a failure quotes the output of its step only if the output was not shown`() {
    let failure = ViewStage.done("b", .failure, "make failed:\n  one\n  two")
    #expect(lines(Self.plain, failure) == ["b failed in 12 ms: make failed:", "  |   one", "  |   two [broken]"])
    let printed = [ViewStage.wrote("b", "one"), ViewStage.wrote("b", "two")]
    #expect(
      lines(Self.plain, printed[0], printed[1], failure) == [
        "b: one", "b: two", "b failed in 12 ms: make failed [broken]",
      ])
    #expect(lines(Self.plain, isVerbose: true, printed[0], printed[1], failure).count == 5)
  }

  @Test func `without a deadline, lines mention neither the gate nor the launch reason`() {
    let events: [RunEvent.Kind] = [ViewStage.activated, .gateOpened(.ready)]
    let gated = "name: x\ndeadline: 2s\nsteps: { a: { uses: flow.noop } }"
    #expect(lines(Self.plain, events[0], events[1]).isEmpty)
    #expect(lines(gated, events[0], events[1]) == ["activated, launch reason user", "gate opened, ready"])
  }

  @Test func `items that are up to date have lines only in verbose mode`() {
    func skipped(_ step: String, _ reason: SkipReason) -> RunEvent.Kind {
      .stepFinished(
        ViewStage.id(step), RunEvent.FinishedStep(outcome: .skipped, conclusion: .skipped, reason: reason, attempts: 0))
    }
    #expect(lines(Self.plain, skipped("b[1]", .upToDate), skipped("b[2]", .condition)) == ["b[2] skipped: condition"])
    #expect(lines(Self.plain, skipped("b", .upToDate)) == ["b skipped: up-to-date"])
    #expect(lines(Self.plain, isVerbose: true, skipped("b[1]", .upToDate)) == ["b[1] skipped: up-to-date"])
  }

  @Test func `log levels are shown as words`() {
    #expect(
      lines(
        Self.plain, ViewStage.log("a", .debug, "d"), ViewStage.log("a", .info, "i"),
        ViewStage.log("a", .warning, "w"), ViewStage.log("a", .error, "e"))
        == ["a: debug: d", "a: i", "a: warning: w", "a: error: e"])
  }

  @Test func `text in messages cannot imitate lines of steps`() {
    let shown = lines(
      Self.plain, ViewStage.log("a", .info, "x\nb: forged\u{1B}[2J"),
      ViewStage.done("a", .failure, "x\nb done in 1 ms"),
      .runStarted(workflow: "w\nb done", runID: "1", dataFolder: ""), .warning("w\nb done"))
    #expect(
      shown == [
        "a: x", "a: b: forged", "Fetch the table (a) failed in 12 ms: x", "  | b done in 1 ms [broken]",
        "w␊b done started, run 1", "warning: w", "  | b done",
      ])
  }
}
