import Foundation
import FlowModel
import FlowSecrets
import FlowStore
import Testing

@testable import FlowEngine

/// The report of a run in JSON.
@Suite(.timeLimit(.minutes(10))) struct ReportTests {
  @Test func `a report written in pieces equals one that is written as a whole`() async throws {
    let report = try await EngineFixture((0..<500).map { Step("s\($0)") }).run()
    var pieces: [[UInt8]] = []
    report.write { pieces.append($0) }
    #expect(pieces.count > 2)
    #expect(pieces.allSatisfy { $0.count < 1 << 17 })
    #expect(Array(pieces.joined()) == JSONText.bytes(of: .object(report.value), layout: .indented) + [10])
  }

  /// Runs a workflow whose report contains almost every member.
  private func eventful() async throws -> RunReport {
    var fixture = EngineFixture(
      [
        Step("first"),
        Step("bad", "flow.fail", with: ["message": "no luck"]) { $0.isOptional = true },
        Step("off") { $0.enabled = .literal(false) },
        Step("each", "flow.set", with: ["values": ["got": "${{ item }}"]], needs: [0]) {
          $0.fanOut = FanOut(.items(["a", "b"]))
        },
        Step("later", needs: [0]) { $0.deferral = .afterGate },
      ], gate: GateDeadline(min: .literal(.milliseconds(5)), max: .literal(.seconds(5))))
    fixture.workflow.outputs = ["got": "${{ steps.each.outputs.got }}", "half": "${{ fromJSON('0.5') }}"]
    return try await fixture.run()
  }

  @Test func `encoding and decoding leave a report unchanged`() async throws {
    let report = try await eventful()
    let read = try JSONDecoder().decode(RunReport.self, from: JSONEncoder().encode(report))
    #expect(read.value == report.value)
    #expect(read.stepCount == 5)
    #expect(read.outcomeCounts.map(\.count) == report.outcomeCounts.map(\.count))
    #expect(Set(read.troubledSteps.map(\.id)) == Set(report.troubledSteps.map(\.id)))
    let (lines, expected) = (read.description.split(separator: "\n"), report.description.split(separator: "\n"))
    #expect(lines.sorted() == expected.sorted())
  }

  @Test func `a report read from a file has its steps in order`() async throws {
    let report = try await eventful()
    var file: [UInt8] = []
    report.write { file += $0 }
    let read = try RunReport(try #require(JSONText.parse(file).objectValue))
    #expect(read.value == report.value)
    #expect(read.steps.map(\.id.text) == ["first", "bad", "off", "each", "later"])
    #expect(read.description == report.description)
    #expect(try JSONDecoder().decode(RunReport.self, from: Data(file)).value == report.value)
  }

  @Test(arguments: [StoredRun.State.running, .success])
  func `a report from a run store stays unchanged when it is written and read`(state: StoredRun.State) async throws {
    var report = try await eventful()
    report.record = RunReport.Record(
      state: state, epochs: [["epoch": 1, "host": "here"], ["epoch": 2, "host": "there"]],
      kept: [StepID(unchecked: "first")])
    let written = report.value
    #expect(written["conclusion"] == (state == .running ? .null : .string(report.conclusion.rawValue)))
    let read = try RunReport(written)
    #expect(read.value == written)
    #expect(read.record?.state == state && read.record?.epochs.count == 2)
    #expect(
      read.steps.filter { !read.hasFinished($0) }.map(\.id) == report.steps.filter { $0.endedAt == nil }.map(\.id))
  }

  @Test func `a report hides secrets in all texts that a page shows`() async throws {
    var fixture = EngineFixture(
      [
        Step("bad", "flow.fail", with: ["message": "no s3cret-key"]) { $0.isOptional = true },
        Step("each", "flow.fail", with: ["message": "${{ item }}"]) {
          $0.fanOut = FanOut(.items(["s3cret-key"]))
          $0.isOptional = true
        },
      ])
    fixture.workflow.outputs = ["got": "s3cret-key"]
    var report = try await fixture.run()
    report.warnings = ["a s3cret-key"]
    report.origin.inputs = ["given": "s3cret-key"]
    report.origin.lastLines = [StepID(unchecked: "bad"): ["the s3cret-key"]]
    #expect("\(report)".contains("s3cret-key"))
    report.mask = SecretMask([(name: "key", text: "s3cret-key")])
    let masked = report.masked
    let shown = [
      "\(masked)", "\(masked.steps)", "\(masked.origin.inputs)", "\(masked.origin.lastLines)", "\(masked.outputs)",
    ]
    for text in shown { #expect(!text.contains("s3cret-key"), "\(text)") }
    #expect(masked.steps.compactMap(\.failure?.message).contains("no ***"))
  }

  @Test func `a report of another version may lack members, but its members must have the expected types`() throws {
    let short = try RunReport(
      ["workflow": "w", "steps": ["a": ["outcome": "failure"], "b": [:]]], allowsMissing: true)
    #expect(short.steps.map(\.outcome) == [.failure, .cancelled])
    #expect(short.steps.map(\.conclusion) == [.failure, .cancelled])
    #expect(short.conclusion == .cancelled && short.gate.openedAt == nil && short.schema == 1)
    #expect(throws: DecodingError.self) {
      try RunReport(["workflow": "w", "steps": ["a": ["startedAt": "soon"]]], allowsMissing: true)
    }
  }

  @Test(
    arguments: [
      (
        "conclusion", "perhaps",
        "'conclusion' in a report is one of success, partial, failure, cancelled, found \"perhaps\""
      ),
      ("runId", 5, "'runId' in a report is a text, found 5"),
      ("steps", ["first": ["outcome": "success"]], "'steps.first.conclusion' in a report is one of success, "),
      ("entries", [["kind": "cold"], 3], "'entries[1]' in a report is an object, found 3"),
      ("warnings", ["a", nil], "'warnings' in a report is a list of strings"),
    ] as [(String, Value, String)])
  func `an invalid report is refused, and the error names the member`(
    member: String, value: Value, message: String
  ) async throws {
    var written = try await eventful().value
    written[member] = value
    let error = #expect(throws: DecodingError.self) { try RunReport(written) }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.debugDescription.hasPrefix(message), "\(context.debugDescription)")
  }
}
