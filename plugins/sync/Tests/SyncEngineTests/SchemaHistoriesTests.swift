import SyncRecords
import SyncSimulation
import SyncYAML
import TestSupport
import Testing

/// Histories of a schema's records with every rule, on a virtual clock with every possible fault.
struct SchemaHistoriesTests {
  private static let seeds = TestExtent.seeds(15, of: 100, release: 100, long: 5000)

  /// A schema with every merge rule and type, both rules for deletions, all kinds of references, and a collection with
  /// `decide`.
  private static let text = """
    schema: shop
    collections:
      timers:
        decide:
          - causal
          - { window: 5s }
          - { prefer: state, order: [focus, pause, idle] }
          - { smallest: remaining, ages: true, when: { state: [focus] } }
          - newest
          - device
        fields:
          state: { type: string, enum: [focus, pause, idle] }
          remaining: { type: duration }
          done: { type: integer, merge: largest, epoch: true }
          remark: { type: string, merge: newest }
      folders:
        fields:
          name: { type: string, required: true }
          parent: { type: reference, to: folders, on-delete: delete }
          owner: { type: reference, to: notes, on-delete: keep }
        delete: delete-wins
      notes:
        fields:
          title: { type: string }
          flags: { type: array, items: integer }
          tags: { type: array, items: string, merge: set }
          lines: { type: array, items: string, merge: list }
          likes: { type: integer, merge: counter }
          best: { type: number, merge: largest }
          least: { type: duration, merge: smallest }
          open: { type: boolean }
          folder: { type: reference, to: folders, on-delete: clear }
        limit: 100000
    """

  private func schema() throws -> RecordSchema {
    try #require(YAMLSchemas().read(Array(Self.text.utf8), file: "shop.sync.yaml").schema)
  }

  private func expectGood(_ report: SimulationReport) {
    if report.isGood { return }
    #expect(report.converged, "replay with seed \(report.seed)")
    #expect(report.equalsOracle, "replay with seed \(report.seed)")
    #expect(report.lost == 0, "replay with seed \(report.seed)")
    #expect(report.violations.isEmpty, "replay with seed \(report.seed)")
  }

  @Test(.timeLimit(.minutes(10)))
  func `V13, V14, V15, V20: histories with all rules and faults end as the oracle predicts`() throws {
    let schema = try schema()
    var actions = 0
    for seed in Self.seeds {
      let report = Simulation.run(.concurrentHistory(seed: seed, schema: schema))
      expectGood(report)
      #expect(report.parked == 0, "replay with seed \(seed)")
      actions += report.actions
    }
    #expect(actions > Self.seeds.count * 3)
  }

  @Test func `lists that several devices edit end with the content that the oracle computes`() throws {
    let text = """
      schema: lists
      collections:
        notes:
          fields:
            lines: { type: array, items: string, merge: list }
      """
    let schema = try #require(YAMLSchemas().read(Array(text.utf8), file: "lists.sync.yaml").schema)
    for seed in 1...UInt64(4) {
      expectGood(Simulation.run(.day(seed: seed, devices: 3, hours: 12, loss: 0.3, schema: schema)))
    }
  }

  @Test func `several devices lose no change in a day with lost messages, killed devices and offline users`() throws {
    var plan = SimulationPlan.day(seed: 4, devices: 3, hours: 24, loss: 0.3, schema: try schema())
    expectGood(Simulation.run(plan))
    // With the default budget, everything still arrives.
    plan.limits = .init()
    let report = Simulation.run(plan)
    expectGood(report)
    #expect(report.requestsPerHourMax <= 100)
  }
}
