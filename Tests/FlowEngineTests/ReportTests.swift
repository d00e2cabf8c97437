import FlowEngine
import FlowModel
import Testing

/// The report of a run as JSON.
@Suite(.timeLimit(.minutes(1))) struct ReportTests {
  @Test func `the report is written in pieces as it is written whole`() async throws {
    let report = try await EngineFixture((0..<500).map { Step("s\($0)") }).run()
    var pieces: [[UInt8]] = []
    report.write { pieces.append($0) }
    #expect(pieces.count > 2)
    #expect(pieces.allSatisfy { $0.count < 1 << 17 })
    #expect(Array(pieces.joined()) == JSONText.bytes(of: .object(report.value), layout: .indented) + [10])
  }
}
