import FlowModel
import Testing

@testable import FlowEngine

@Suite struct `The recorded log` {
  /// A log that an expectation may change.
  private final class Log {
    private var log: RecordedLog
    init(runBytes: Int, edgeBytes: Int) { log = RecordedLog(runBytes: runBytes, edgeBytes: edgeBytes) }
    var hasOpenSteps: Bool { !log.openSteps.isEmpty }
    func accepts(_ event: RunEvent) -> Bool { log.accepts(event) }
    func release(_ step: StepID) -> [RunEvent] { log.release(step) }
  }

  private func line(_ step: String, _ text: String) -> RunEvent {
    RunEvent(
      atNanoseconds: 0, .stepLog(StepID(unchecked: step), level: .info, stream: .standardOutput, message: text))
  }

  private func texts(_ events: [RunEvent]) -> [String] {
    events.compactMap { if case .stepLog(_, _, _, let message) = $0.kind { message } else { nil } }
  }

  @Test func `has everything while there is room`() {
    let log = Log(runBytes: 4_000, edgeBytes: 20)
    for number in 0..<100 { #expect(log.accepts(line("a", "line \(number)"))) }
    #expect(!log.hasOpenSteps && log.release(StepID(unchecked: "a")).isEmpty)
  }

  @Test func `has the beginning and the end of each step, whatever others print`() {
    let log = Log(runBytes: 320, edgeBytes: 20)
    var recorded: [String] = []
    for number in 0..<1_000 where log.accepts(line("a", "line \(number)")) { recorded.append("\(number)") }
    #expect(recorded == (0..<10).map { "\($0)" })
    for text in ["the address is", "short"] { #expect(log.accepts(line("b", text))) }
    #expect(!log.accepts(line("b", "more")) && !log.accepts(line("b", "and more")))
    #expect(texts(log.release(StepID(unchecked: "b"))) == ["more", "and more"])
    #expect(
      texts(log.release(StepID(unchecked: "a"))) == [
        "[flowrun: 988 lines, 8802 bytes, are not recorded]", "line 998", "line 999",
      ])
    #expect(!log.hasOpenSteps)
    #expect(!log.accepts(line("a", "after the end")))
    #expect(texts(log.release(StepID(unchecked: "a"))) == ["after the end"])
  }

  @Test func `counts the items of a step together`() {
    let log = Log(runBytes: 0, edgeBytes: 20)
    let accepted = (0..<10).filter { log.accepts(line("each[\($0)]", "0123456789")) }
    #expect(accepted == [0, 1])
    #expect(
      texts(log.release(StepID(unchecked: "each"))) == [
        "[flowrun: 7 lines, 77 bytes, are not recorded]", "0123456789",
      ])
  }

  @Test func `has a long last line whole`() {
    let log = Log(runBytes: 0, edgeBytes: 20)
    let text = String(repeating: "x", count: 100)
    #expect(log.accepts(line("a", text)) && !log.accepts(line("a", text)) && !log.accepts(line("a", text)))
    #expect(texts(log.release(StepID(unchecked: "a"))) == ["[flowrun: 1 line, 101 bytes, is not recorded]", text])
  }
}
