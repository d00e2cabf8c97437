import FlowTestKit
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The engine against the oracle on scenarios that nobody chose.
@Suite struct `Random scenarios` {
  /// Every block is one test case, so that all cores work.
  private static let blocks = 20
  /// 10,000 in all, or what `FLOWRUN_SCENARIOS` says.
  private static let scenariosPerBlock: UInt64 =
    (ProcessInfo.processInfo.environment["FLOWRUN_SCENARIOS"].flatMap(UInt64.init) ?? 10_000) / UInt64(blocks)

  /// 10,000 workflows with failures, retries, conditions, events, deadlines, deferral, services, queues, cancellations,
  /// late and deaf steps, prewarmed or not. `FLOWRUN_SEED` replays one.
  @Test(.timeLimit(.minutes(30)), arguments: 0..<blocks)
  func `come out of the engine as the contract says`(block: Int) throws {
    if let seed = SeededGenerator.environmentSeed { return try compare(seed) }
    let first = UInt64(block) * Self.scenariosPerBlock + 1
    for seed in first..<first + Self.scenariosPerBlock {
      try compare(seed)
    }
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
    try Oracle.record(of: scenario).differences(from: EngineRun(scenario).record, called: "engine")
  }
}
