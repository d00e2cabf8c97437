import FlowTestKit
import TestSupport
import Testing

/// Compares the engine with the oracle on random scenarios.
struct `Random scenarios` {
  /// The number of blocks of scenarios. Each block is a separate test case, so that all cores are used.
  private static let blocks = 20
  private static let seeds = TestExtent.seeds(2_000, of: 10_000, release: 10_000, long: 100_000)

  /// The workflows have failures, retries, conditions, events, deadlines, deferral, services, queues, cancellations and
  /// bodies that ignore cancellation. Some are prewarmed. `FLOWRUN_SEED` repeats a single scenario.
  @Test(.timeLimit(.minutes(30)), arguments: 0..<blocks)
  func `the engine runs random scenarios as the oracle predicts`(block: Int) throws {
    for seed in Self.seeds where seed % UInt64(Self.blocks) == UInt64(block) { try compare(seed) }
  }

  private func compare(_ seed: UInt64) throws {
    let scenario = RandomScenario.scenario(seed: seed)
    guard try !Self.differences(scenario).isEmpty else { return }
    let shrunken = ShrunkenScenario(scenario) { ((try? Self.differences($0)) ?? []).isEmpty == false }.scenario
    let differences = try Self.differences(shrunken)
    Issue.record(
      """
      FLOWRUN_SEED=\(seed) \(differences.count) differences:
      \(differences.joined(separator: "\n"))
      in, made as small as it goes:
      \(shrunken)
      """)
    throw Disagreement()
  }

  private struct Disagreement: Error {}

  private static func differences(_ scenario: Scenario) throws -> [String] {
    try Oracle.record(of: scenario).differences(from: RunRecord(ofEngineRunning: scenario), called: "engine")
  }
}

/// Tests of the scenarios themselves, without the engine.
struct `The generator of random scenarios` {
  @Test func `random scenarios reach every outcome, reason and conclusion`() {
    let scenarios = (1...UInt64(1000)).map { RandomScenario.scenario(seed: $0) }
    let records = scenarios.map { Oracle.record(of: $0) }
    let followers = zip(scenarios, records).flatMap { scenario, record in
      zip(scenario.workflow.steps, record.steps).filter { $0.0.options.fanOut?.event != nil }.map(\.1)
    }
    #expect(followers.count { $0.items.count > 1 && $0.outcome == "success" } > 10)
    #expect(Set(followers.compactMap(\.outcome)).isSuperset(of: ["failure", "timed-out", "cancelled", "skipped"]))
    let steps = records.flatMap(\.steps)
    #expect(Set(records.compactMap(\.conclusion)) == ["success", "partial", "failure", "cancelled"])
    #expect(Set(records.compactMap(\.gate.outcome)) == ["ready", "failed", "timed-out", "cancelled"])
    #expect(Set(steps.compactMap(\.outcome)) == ["success", "failure", "timed-out", "cancelled", "skipped"])
    let items = steps.flatMap(\.items)
    #expect(Set(items.compactMap(\.outcome)) == ["success", "failure", "timed-out", "cancelled", "skipped"])
    #expect(Set(items.compactMap(\.reason)) == ["condition", "fail-fast", "fan-timed-out", "run-cancelled"])
    #expect(items.contains { $0.isAbandoned } && items.contains { $0.attempts > 2 })
    let reasons = ["condition", "disabled", "upstream-failed", "event-never-posted", "run-cancelled"]
    #expect(Set(steps.compactMap(\.reason)) == Set(reasons))
    #expect(steps.contains { $0.isAbandoned })
    #expect(steps.contains { ($0.overrun ?? 0) > 0 })
    #expect(steps.contains { $0.attempts == 4 })
    #expect(steps.contains { $0.isDeferred && $0.outcome == "success" })
    #expect(steps.contains { ($0.startedAt ?? 0) < 0 })
    #expect(records.contains { $0.gate.late.count > 1 && $0.gate.readyAt != nil })
  }

  @Test func `a failing random scenario shrinks to the steps that are needed for the failure`() {
    let scenario = RandomScenario.scenario(seed: 8)
    let isTimed = { (scenario: Scenario) in scenario.workflow.steps.contains { $0.options.deadline?.max != nil } }
    #expect(isTimed(scenario) && scenario.workflow.steps.count > 1)
    let shrunken = ShrunkenScenario(scenario, failsStill: isTimed).scenario
    #expect(shrunken.workflow.steps.count == 1)
    #expect(shrunken.workflow.steps[0].options.deadline?.min == nil)
    #expect(shrunken.workflow.steps[0].options.deadline?.max != nil)
    #expect(shrunken.scripts == [.succeeds(after: .zero)])
    #expect(shrunken.workflow.gate == nil)
  }
}
