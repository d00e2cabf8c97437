import Foundation
import FlowEngine
import FlowModel
import Testing

/// The report of a run as JSON.
@Suite(.timeLimit(.minutes(10))) struct ReportTests {
  @Test func `a report written in pieces equals the report written as a whole`() async throws {
    let report = try await EngineFixture((0..<500).map { Step("s\($0)") }).run()
    var pieces: [[UInt8]] = []
    report.write { pieces.append($0) }
    #expect(pieces.count > 2)
    #expect(pieces.allSatisfy { $0.count < 1 << 17 })
    #expect(Array(pieces.joined()) == JSONText.bytes(of: .object(report.value), layout: .indented) + [10])
  }

  /// Runs a workflow whose report has almost every member.
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

  @Test func `a report is unchanged after encoding and decoding`() async throws {
    let report = try await eventful()
    let read = try JSONDecoder().decode(RunReport.self, from: JSONEncoder().encode(report))
    #expect(read.value == report.value)
    #expect(read.stepCount == 5)
    #expect(read.outcomeCounts.map(\.count) == report.outcomeCounts.map(\.count))
    #expect(Set(read.troubledSteps.map(\.id)) == Set(report.troubledSteps.map(\.id)))
    #expect(Set(read.description.split(separator: "\n")) == Set(report.description.split(separator: "\n")))
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
