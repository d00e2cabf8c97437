import FlowModel
import FlowTestKit
import Testing

@testable import FlowEngine

struct `The recorded log` {
  /// Wraps a log in a class, because an expectation cannot call mutating methods.
  private final class Log {
    private var log: RecordedLog
    init(_ log: RecordedLog) { self.log = log }
    convenience init(stepBytes: Int) { self.init(RecordedLog(stepBytes: stepBytes)) }
    var hasOpenSteps: Bool { !log.openSteps.isEmpty }
    func accepts(_ event: RunEvent) -> Bool { place(event) == .recorded }
    func place(_ event: RunEvent) -> RecordedLog.Place { log.place(event) }
    func place(_ lines: StepLines) -> (recorded: StepLines, held: StepLines, number: Int) { log.place(lines) }
    func release(_ step: StepID) -> [RunEvent] { releaseNumbered(step).flatMap(\.content.events) }
    func releaseNumbered(_ step: StepID) -> [RecordedLog.HeldLines] { log.release(step) }
  }

  private func line(_ step: String, _ text: String) -> RunEvent {
    RunEvent(
      atNanoseconds: 0, .stepLog(StepID(unchecked: step), level: .info, stream: .standardOutput, message: text))
  }

  private func texts(_ events: [RunEvent]) -> [String] {
    events.compactMap { if case .stepLog(_, _, _, let message) = $0.kind { message } else { nil } }
  }

  @Test func `the recorded log contains all lines if they are within the limit`() {
    let log = Log(stepBytes: 4_000)
    for number in 0..<200 { #expect(log.accepts(line("a", "line \(number)"))) }
    #expect(!log.hasOpenSteps && log.release(StepID(unchecked: "a")).isEmpty)
  }

  @Test func `the recorded log has the first and last lines of each step, regardless of the output of other steps`() {
    let log = Log(stepBytes: 40)
    var recorded: [String] = []
    for number in 0..<1_000 where log.accepts(line("a", "line \(number)")) { recorded.append("\(number)") }
    #expect(recorded == ["0", "1", "2"])
    for text in ["the address is", "short"] { #expect(log.accepts(line("b", text))) }
    #expect(!log.accepts(line("b", "more")) && !log.accepts(line("b", "and more")))
    #expect(texts(log.release(StepID(unchecked: "b"))) == ["more", "and more"])
    #expect(
      texts(log.release(StepID(unchecked: "a"))) == [
        "[flowrun: 995 lines, 8851 bytes, are not recorded; a larger log-limit keeps more]", "line 998", "line 999",
      ])
    #expect(!log.hasOpenSteps)
    #expect(!log.accepts(line("a", "after the end")))
    #expect(texts(log.release(StepID(unchecked: "a"))) == ["after the end"])
  }

  @Test func `the held-back lines of a step have higher numbers than those of earlier epochs`() {
    let workflow = Workflow(name: "w", steps: [Step(id: StepID(unchecked: "a"), uses: "flow.noop")])
    for epoch in 1...2 {
      let log = Log(RecordedLog(workflow, epoch: epoch))
      let text = String(repeating: "x", count: 300_000)
      #expect(log.accepts(line("a", text)) && log.accepts(line("a", text)))
      let first = epoch << RecordedLog.countBits + 1
      for number in 0..<3 { #expect(log.place(line("a", text)) == .held(first + number)) }
      let released = log.releaseNumbered(StepID(unchecked: "a"))
      #expect(released.map(\.number) == [first + 1, first + 2] && released.map(\.isNote) == [true, false])
      #expect(log.place(line("a", text)) == .held(first + 3))
    }
  }

  @Test func `one log limit applies to all items of a step together`() {
    let log = Log(stepBytes: 40)
    let accepted = (0..<10).filter { log.accepts(line("each[\($0)]", "0123456789")) }
    #expect(accepted == [0, 1])
    #expect(
      texts(log.release(StepID(unchecked: "each"))) == [
        "[flowrun: 7 lines, 77 bytes, are not recorded; a larger log-limit keeps more]", "0123456789",
      ])
  }

  @Test func `the recorded log contains the whole last line of a step, even if it is long`() {
    let log = Log(stepBytes: 40)
    let text = String(repeating: "x", count: 100)
    #expect(log.accepts(line("a", text)) && !log.accepts(line("a", text)) && !log.accepts(line("a", text)))
    #expect(
      texts(log.release(StepID(unchecked: "a"))) == [
        "[flowrun: 1 line, 101 bytes, is not recorded; a larger log-limit keeps more]", text,
      ])
  }

  @Test func `the recorded log is the same whether lines arrive one by one or together`() {
    var random = SeededGenerator(seed: 0x10C)
    for _ in 0..<400 {
      let half = Int(random.next() % 60)
      let (alone, together) = (Log(stepBytes: 2 * half), Log(stepBytes: 2 * half))
      var recorded: (alone: [String], together: [String]) = ([], [])
      var numbers: (alone: [Int], together: [Int]) = ([], [])
      for unit in 0..<Int(random.next() % 8) {
        let lines = (0..<Int(random.next() % 6)).map { number in
          "\(unit).\(number)" + String(repeating: "x", count: Int(random.next() % 30))
        }
        let isMessage = random.next() % 4 == 0
        for text in lines {
          switch alone.place(line("a", text)) {
          case .recorded: recorded.alone.append(text)
          case .held(let number): numbers.alone.append(number)
          case .dropped: Issue.record("dropped")
          }
          guard isMessage else { continue }
          switch together.place(line("a", text)) {
          case .recorded: recorded.together.append(text)
          case .held(let number): numbers.together.append(number)
          case .dropped: Issue.record("dropped")
          }
        }
        if isMessage { continue }
        let unit = StepLines(
          atNanoseconds: 0, step: StepID(unchecked: "a"), stream: .standardOutput, PrintedLines(lines))
        let (first, held, number) = together.place(unit)
        recorded.together += first.lines.strings
        numbers.together += (0..<held.lines.count).map { number + $0 }
      }
      #expect(recorded.alone == recorded.together && numbers.alone == numbers.together)
      let released = (
        alone.releaseNumbered(StepID(unchecked: "a")), together.releaseNumbered(StepID(unchecked: "a"))
      )
      #expect(texts(released.0.flatMap(\.content.events)) == texts(released.1.flatMap(\.content.events)))
      func numbered(_ lines: [RecordedLog.HeldLines]) -> [Int] {
        lines.flatMap { held in held.content.events.indices.map { held.number + $0 } }
      }
      #expect(numbered(released.0) == numbered(released.1))
    }
  }

  @Test func `a step can state its log limit, and the other steps share the rest equally`() {
    func bytes(_ steps: Int, limit: Int, stated: Int? = nil, of step: String) -> Int {
      var workflow = Workflow(
        name: "w", steps: (0..<steps).map { Step(id: StepID(unchecked: "s\($0)"), uses: "flow.noop") })
      workflow.logLimitBytes = limit
      if let stated { workflow.steps[0].options.logLimitBytes = stated }
      let log = Log(RecordedLog(workflow, epoch: 1))
      let text = String(repeating: "x", count: 63)
      var count = 0
      while log.accepts(line(step, text)) { count += 1 }
      return 2 * 64 * count
    }
    #expect(bytes(2, limit: 64 << 20, of: "s1") == 1 << 20)
    #expect(bytes(128, limit: 64 << 20, of: "s1") == 1 << 19)
    #expect(bytes(100_000, limit: 64 << 20, of: "s1") == 1 << 10)
    #expect(bytes(2, limit: 64 << 20, stated: 8 << 20, of: "s0") == 8 << 20)
    #expect(bytes(3, limit: 1 << 20, stated: 1 << 19, of: "s1") == 1 << 18)
    #expect(bytes(3, limit: 1 << 20, stated: 1 << 30, of: "s0") == 1 << 20)
  }
}
