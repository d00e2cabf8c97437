import Foundation
import FlowModel
import FlowPluginKit
import FlowStore
import FlowTestKit
import Testing

@testable import FlowEngine

/// Tests that read the lines of a run while another process writes them.
struct `A log reader` {
  /// The process that writes, controlled by the test.
  private final class Writer {
    let folder = FileManager.default.temporaryDirectory.path + "/flowrun-live-\(UInt64.random(in: 0 ... .max))"
    let store: MemoryRunStore
    let lease: any RunLease
    private var log = RecordedLog(stepBytes: 40)
    private var live: LiveLog
    private var lines: [UInt8] = []
    private var held: [UInt8] = []

    init() throws {
      store = MemoryRunStore(liveFolder: folder)
      lease = try store.create(
        StoredRun(
          id: "r", workflow: "w", file: "/w.yaml", startedMilliseconds: 0, state: .running, epoch: 1,
          holder: RunHolder(process: 1, host: "h"), header: []), definition: [])
      live = LiveLog(in: folder, run: "r", epoch: 1)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func line(_ step: String, _ text: String) {
      let event = RunEvent(
        atNanoseconds: 0, .stepLog(StepID(unchecked: step), level: .info, stream: .standardOutput, message: text))
      switch log.place(event) {
      case .recorded: record(event.value)
      case .held(let number): LiveLog.append(event, number: number, to: &held)
      case .dropped: break
      }
    }

    func end(_ step: String) {
      for held in log.release(StepID(unchecked: step)) {
        guard case .event(let event) = held.content else { continue }
        var value = event.value
        value[RunRecollection.numberKey] = .integer(held.number)
        if held.isNote { value[RunRecollection.noteKey] = true }
        record(value)
      }
    }

    private func record(_ value: ValueObject) { lines += JSONText.bytes(of: .object(value)) + [10] }

    func writeLive() {
      live.write(held)
      held = []
    }

    func write() throws {
      let chunk = RunChunk(.log, wallMilliseconds: 0, runNanoseconds: 0, body: lines)
      try store.append(chunk.bytes, to: lease, isDurable: false)
      lines = []
    }

    func finish() throws {
      try store.finish(lease, state: .success, summary: [])
      live.end()
    }

    var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }
  }

  private func texts(_ news: LogFollower.News) -> [String] { news.lines.compactMap { $0["message"]?.stringValue } }

  @Test func `a log reader receives held-back lines immediately, and only once`() throws {
    let writer = try Writer()
    let reader = LogFollower("r", in: writer.store)
    for number in 0..<10 { writer.line("a", "line \(number)") }
    try writer.write()
    #expect(try texts(reader.read()) == ["line 0", "line 1", "line 2"])
    writer.writeLive()
    #expect(try texts(reader.read()) == (3..<10).map { "line \($0)" })
    for number in 10..<20 { writer.line("a", "line \(number)") }
    writer.end("a")
    writer.line("b", "next")
    writer.writeLive()
    try writer.write()
    #expect(try texts(reader.read()) == (10..<20).map { "line \($0)" } + ["next"])
    try writer.finish()
    #expect(writer.files == ["r.1.0"])
    #expect(try texts(reader.read()).isEmpty && writer.files.isEmpty)
    // The record contains the beginning and the end, each up to half of the limit.
    let record = try texts(LogFollower("r", in: writer.store).read())
    let note = "[flowrun: 15 lines, 113 bytes, are not recorded; a larger log-limit keeps more]"
    #expect(record == ["line 0", "line 1", "line 2", note, "line 18", "line 19", "next"])
  }

  @Test func `a log reader receives held-back lines before lines that were printed later`() throws {
    let writer = try Writer()
    let reader = LogFollower("r", in: writer.store)
    for number in 0..<4 { writer.line("a", "line \(number)") }
    try writer.write()
    #expect(try texts(reader.read()) == ["line 0", "line 1", "line 2"])
    // The reader may read between these writes, whose order is always the same.
    writer.writeLive()
    writer.end("a")
    writer.line("b", "next")
    try writer.write()
    #expect(try texts(reader.read()) == ["line 3", "next"])
  }

  @Test func `a log reader that starts late receives the number of lines that it missed`() throws {
    let writer = try Writer()
    for number in 0..<10 { writer.line("a", "line \(number)") }
    try writer.write()
    let reader = LogFollower("r", in: writer.store)
    #expect(try texts(reader.read()).count == 3)
    for number in 10..<20 { writer.line("a", "line \(number)") }
    writer.end("a")
    try writer.write()
    let note = "[flowrun: 15 lines, 113 bytes, are not recorded; a larger log-limit keeps more]"
    #expect(try texts(reader.read()) == [note, "line 18", "line 19"])
  }

  @Test func `a log reader resumes at its last position after its connection was lost`() throws {
    let writer = try Writer()
    for number in 0..<6 { writer.line("a", "line \(number)") }
    try writer.write()
    writer.writeLive()
    let first = try LogFollower("r", in: writer.store).read()
    #expect(texts(first).count == 6)
    for number in 6..<9 { writer.line("a", "line \(number)") }
    writer.end("a")
    writer.writeLive()
    try writer.write()
    let second = LogFollower("r", in: writer.store, after: first.parts.last?.position)
    #expect(try texts(second.read()) == ["line 6", "line 7", "line 8"])
    #expect(try texts(LogFollower("r", in: writer.store, after: "nonsense").read()).count == 9)
  }

  @Test func `a log reader reads only the newest parts if a step prints a lot`() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/flowrun-live-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var log = LiveLog(in: folder, run: "r", epoch: 1)
    let text = String(repeating: "x", count: 1 << 20)
    let step = StepID(unchecked: "a")
    for number in 1...40 {
      var bytes: [UInt8] = []
      LiveLog.append(
        RunEvent(atNanoseconds: 5, .stepLog(step, level: .warning, stream: nil, message: text)), number: number,
        to: &bytes)
      log.write(bytes)
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
    let sizes = try files.map {
      try FileManager.default.attributesOfItem(atPath: "\(folder)/\($0)")[.size] as? Int ?? 0
    }
    #expect(files.count == LiveLog.keptParts && sizes.reduce(0, +) <= LiveLog.mostBytes)
    let reader = LiveLogReader(in: folder, run: "r")
    let lines = reader.read()
    #expect(lines.last?.number == 40 && lines.map(\.number) == Array(lines[0].number...40))
    #expect(lines[0].event.value["level"] == "warning" && lines[0].event.value["stream"] == nil)
    #expect(reader.read().isEmpty)
  }

  @Test func `a log reader receives lines one by one even if they were printed together`() {
    func lines(_ bytes: [UInt8]) -> [LiveLog.Line] {
      var lines: [LiveLog.Line] = []
      #expect(LiveLog.read(bytes[...]) { lines.append($0) } == bytes.count)
      return lines
    }
    let unit = StepLines(
      atNanoseconds: 5, step: StepID(unchecked: "a"), stream: .standardError,
      PrintedLines(["", "one", "", "t\r\u{301}wo"]))
    var (together, alone): ([UInt8], [UInt8]) = ([], [])
    LiveLog.append(unit, number: 7, to: &together)
    for (index, event) in unit.events.enumerated() { LiveLog.append(event, number: 7 + index, to: &alone) }
    #expect(lines(together).map(\.number) == [7, 8, 9, 10])
    #expect(lines(together).map(\.event.value) == lines(alone).map(\.event.value))
  }

  @Test func `a log reader ignores incomplete lines`() {
    var bytes: [UInt8] = []
    let event = RunEvent(
      atNanoseconds: 5, .stepLog(StepID(unchecked: "a[3]"), level: .info, stream: .standardError, message: "one"))
    LiveLog.append(event, number: 7, to: &bytes)
    for count in 0..<bytes.count {
      #expect(LiveLog.read(bytes[..<count]) { _ in Issue.record("a line of \(count) bytes") } == 0)
    }
    var lines: [LiveLog.Line] = []
    #expect(LiveLog.read((bytes + bytes.dropLast())[...]) { lines.append($0) } == bytes.count)
    #expect(lines.map(\.number) == [7] && lines[0].step == "a" && lines[0].event.value == event.value)
  }
}
