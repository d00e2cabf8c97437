import FlowDiagnostics
import FlowModel
import FlowPluginKit
import FlowTestKit
import Synchronization
import Testing

@testable import FlowEngine

struct `Lines that were printed together` {
  private static func lines(_ texts: String..., at nanoseconds: Int = 1_234_567) -> StepLines {
    StepLines(
      atNanoseconds: nanoseconds, step: StepID(unchecked: "a\"b"), stream: .standardError, PrintedLines(texts))
  }

  private static let units = [
    lines("one", "", "quote \" and \\ and \ttab", "zwölf"),
    lines("\u{1B}[31mred\u{1B}[m", "10 %\r20 %", "\u{7F}", "plain"),
  ]

  private func json(_ objects: [ValueObject]) -> String {
    objects.map { JSONText.write(.object($0)) + "\n" }.joined()
  }

  @Test(arguments: units) func `lines printed together have the same JSON as separate events`(lines: StepLines) {
    var (shown, recorded, numbered): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
    lines.appendJSON(to: &shown)
    lines.appendJSON(to: &recorded, keepsColors: true)
    lines.appendJSON(to: &numbered, keepsColors: true, numberedFrom: 41)
    #expect(String(decoding: shown, as: UTF8.self) == json(lines.events.map(\.value)))
    #expect(String(decoding: recorded, as: UTF8.self) == json(lines.events.map(\.recordedValue)))
    let values = lines.events.enumerated().map { index, event in
      var value = event.recordedValue
      value[RunRecollection.numberKey] = .integer(41 + index)
      return value
    }
    #expect(String(decoding: numbered, as: UTF8.self) == json(values))
  }

  @Test(arguments: units) func `lines printed together are shown like lines printed one by one`(lines: StepLines) {
    for keepsColors in [false, true] {
      let shown = lines.lines.strings.map {
        "12:00  a: \(TerminalText.commandLine($0, keepsColors: keepsColors))\n"
      }
      #expect(lines.shown(after: "12:00  a: ", keepsColors: keepsColors) == shown.joined())
    }
  }

  /// An observer that receives lines in groups, or as events.
  private final class Listener: LineObserver {
    let names = Mutex<[String]>([])

    func receive(_ events: [RunEvent]) {
      names.withLock { $0 += events.map { "\($0.atNanoseconds) \($0.name)" } }
    }

    func receive(_ parts: [RunPart]) {
      for part in parts {
        switch part {
        case .events(let events): receive(events)
        case .lines(let lines): names.withLock { $0 += ["\(lines.atNanoseconds) \(lines.lines.count) lines"] }
        }
      }
    }
  }

  @Test func `lines printed together keep their position among events, even around the gate's opening`() {
    func received(asUnits: Bool, gateAt time: Int) -> [String] {
      let listener = Listener()
      var batch = EventBatch(listener, asUnits ? listener : nil)
      batch.add(RunEvent(atNanoseconds: 1, .stepReady(StepID(unchecked: "a"))))
      batch.add(Self.lines("one", "two", at: 2))
      batch.add(RunEvent(atNanoseconds: 3, .stepReady(StepID(unchecked: "b"))))
      batch.add(RunEvent(atNanoseconds: 5, .stepReady(StepID(unchecked: "c"))))
      batch.add(Self.lines("three", at: 6))
      batch.add(RunEvent(atNanoseconds: time, .gateOpened(.ready)))
      batch.tell()
      return listener.names.withLock { $0 }
    }
    for time in 0...7 {
      var units = ["1 step.ready", "2 2 lines", "3 step.ready", "5 step.ready", "6 1 lines"]
      var events = ["1 step.ready", "2 step.log", "2 step.log", "3 step.ready", "5 step.ready", "6 step.log"]
      func insert(into names: inout [String]) {
        let place = names.lastIndex { Int($0.prefix(1))! <= time }.map { $0 + 1 } ?? 0
        names.insert("\(time) gate.opened", at: place)
      }
      insert(into: &units)
      insert(into: &events)
      #expect(received(asUnits: true, gateAt: time) == units)
      #expect(received(asUnits: false, gateAt: time) == events)
    }
  }
}
