import FlowTestKit
import Testing

/// Runs a scenario on the engine and on the oracle, whose records must be equal, and returns the engine's record.
func simulate(_ builder: ScenarioBuilder, at location: SourceLocation = #_sourceLocation) throws -> RunRecord {
  let expected = Oracle.record(of: builder.scenario)
  let actual = try RunRecord(ofEngineRunning: builder.scenario)
  let differences = expected.differences(from: actual, called: "engine")
  #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))\n\(builder.scenario)", sourceLocation: location)
  return actual
}
