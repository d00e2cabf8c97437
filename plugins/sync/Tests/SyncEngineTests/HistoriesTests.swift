import SyncCore
import SyncEngine
import SyncPomodoro
import SyncSimulation
import TestSupport
import Testing

/// Simulations of complete devices with a virtual clock and all kinds of faults (V13–V24, S1, S39–S41).
struct HistoriesTests {
  private static let seeds = TestExtent.seeds(60, of: 500, release: 500, long: 10_000)

  private func expectGood(_ report: SimulationReport, _ what: String = "") {
    #expect(report.converged, "replay with seed \(report.seed) \(what)")
    #expect(report.equalsOracle, "replay with seed \(report.seed) \(what)")
    #expect(report.violations.isEmpty, "replay with seed \(report.seed) \(what)")
  }

  @Test(.timeLimit(.minutes(10)))
  func `V13, V14, V15, V16, V20, V24, S27, S40: every history with faults ends as the oracle predicts`() {
    var rules: Set<ConflictRule> = []
    for seed in Self.seeds {
      let report = Simulation.run(.concurrentHistory(seed: seed))
      if !report.isGood { expectGood(report) }
      rules.formUnion(report.conflicts.keys)
    }
    #expect(!TestExtent.isFull || rules.isSuperset(of: [.causal, .lww, .priority, .remaining, .newest]))
  }

  @Test func `the same seed produces the same history`() {
    let (one, other) = (Simulation.run(.concurrentHistory(seed: 7)), Simulation.run(.concurrentHistory(seed: 7)))
    #expect(one.restedAtMilliseconds == other.restedAtMilliseconds)
    #expect(one.requests == other.requests)
    #expect(one.latenciesMilliseconds == other.latenciesMilliseconds)
  }

  /// Two devices that edit at the same moment. One of them is offline for a while.
  private func conflictPlan() -> SimulationPlan {
    var plan = SimulationPlan(seed: 11, devices: 2, healsAtMilliseconds: 30_000)
    let focus = TimerState(kind: .focus, remainingMilliseconds: 1_500_000)
    plan.steps = [
      .init(1000, 0, .set(focus, completed: 1)), .init(1050, 0, .set(TimerState(kind: .idle), completed: 0)),
      .init(2000, 1, .set(TimerState(kind: .breakTime, remainingMilliseconds: 300_000), completed: 1)),
      .init(2003, 0, .set(focus, completed: 0)), .init(5000, 1, .switched(online: false)),
      .init(6000, 1, .set(TimerState(kind: .snooze), completed: 1)), .init(6500, 0, .setting("theme", "1")),
      .init(9000, 1, .switched(online: true)), .init(9001, 1, .setting("theme", "2")),
      .init(9050, 0, .resetCount),
    ]
    return plan
  }

  @Test(.timeLimit(.minutes(10)))
  func `V15, S32: a device that is killed at any point loses nothing and counts nothing twice`() {
    let calm = Simulation.run(conflictPlan())
    expectGood(calm)
    var runs = 0
    for device in 0..<2 {
      for effect in 0..<calm.effects[device] {
        var plan = conflictPlan()
        plan.faults.crashBeforeEffect = (device, effect)
        expectGood(Simulation.run(plan), "killed device \(device) before effect \(effect)")
        runs += 1
      }
    }
    #expect(runs > 60)
  }

  @Test func `V23: a device that has lost its cursor reads the whole zone again`() {
    var plan = conflictPlan()
    let whole = Simulation.run(plan)
    plan.steps.append(.init(12_000, 0, .loseCursor))
    plan.steps.append(.init(14_000, 1, .loseCursor))
    let report = Simulation.run(plan)
    expectGood(report)
    #expect(report.requests >= whole.requests + 2)
  }

  @Test(arguments: [true, false], [false, true])
  func `V23: devices return the lost content to a server restored from a copy`(
    _ isAnnounced: Bool, _ staysOpen: Bool
  ) {
    for seed in TestExtent.seeds(10, of: 40, release: 40) {
      var plan = conflictPlan()
      plan.seed = seed
      plan.faults.loss = isAnnounced && seed % 2 == 0 ? 0.3 : 0
      plan.steps.append(.init(3000 + Int64(seed) * 150, 0, .backUpServer))
      plan.steps.append(
        .init(12_000 + Int64(seed) * 100, 0, .restoreServer(isAnnounced: isAnnounced, staysOpen: staysOpen)))
      plan.steps.append(.init(20_000, 1, .set(TimerState(kind: .idle), completed: 1)))
      let report = Simulation.run(plan)
      #expect(report.converged, "seed \(seed)")
      #expect(report.violations.isEmpty, "seed \(seed)")
    }
  }

  @Test func `V23: a device that was offline returns lost content even if the restored server has newer writes`() {
    for seed in TestExtent.seeds(10, of: 40, release: 40) {
      var plan = SimulationPlan(seed: seed, devices: 2, healsAtMilliseconds: 60_000)
      plan.steps = [
        .init(2000, 1, .set(TimerState(kind: .focus), completed: 1)), .init(4000, 0, .backUpServer),
        .init(4500, 1, .switched(online: false)), .init(5000, 0, .setting("theme", "1")),
        .init(6500, 0, .setting("sound", "2")), .init(9000, 0, .switched(online: false)),
        .init(10_000, 0, .restoreServer(isAnnounced: false)), .init(12_000, 1, .switched(online: true)),
      ]
      for number in 0..<Int64(4 + seed % 3) {
        plan.steps.append(.init(14_000 + number * 1500, 1, .set(TimerState(kind: .snooze), completed: 1)))
      }
      plan.steps.append(.init(30_000, 0, .switched(online: true)))
      let report = Simulation.run(plan)
      #expect(report.converged, "seed \(seed)")
      #expect(report.violations.isEmpty, "seed \(seed)")
    }
  }

  @Test func `V22, S5, S45: without a live channel, a change arrives within 30 s in the first five minutes`() {
    for seed in TestExtent.seeds(5, of: 20, release: 20) {
      var plan = conflictPlan()
      plan.seed = seed
      plan.settings.usesChannel = false
      plan.steps = [.init(20_000 + Int64(seed) * 1000, 0, .set(TimerState(kind: .focus), completed: 1))]
      plan.healsAtMilliseconds = 120_000
      let report = Simulation.run(plan)
      expectGood(report)
      #expect(report.latency(percentile: 1) <= 30_500)
    }
  }

  @Test func `S1, S3, S4, S41: on an ordinary network, a change arrives within 5 s in both directions`() {
    for seed in TestExtent.seeds(5, of: 20, release: 20) {
      var plan = SimulationPlan(seed: seed, devices: 2, healsAtMilliseconds: 300_000)
      plan.faults.delayMilliseconds = 200...1200
      plan.steps = (1...10).map {
        .init(Int64($0) * 20_000, $0 % 2, .set(TimerState(kind: .focus, remainingMilliseconds: 1), completed: 1))
      }
      let report = Simulation.run(plan)
      expectGood(report)
      #expect(report.latenciesMilliseconds.count == 10)
      #expect(report.latency(percentile: 1) <= 5000)
    }
  }

  @Test func `V17, S49: an active device makes one commit per action, and idle devices make few requests`() {
    var plan = SimulationPlan(seed: 3, devices: 4, healsAtMilliseconds: 120_000)
    plan.steps = (1...6).map { .init(Int64($0) * 10_000, 0, .set(TimerState(kind: .focus), completed: 1)) }
    let report = Simulation.run(plan)
    expectGood(report)
    // Once per zone, a device declares the rules of each collection.
    #expect(report.commits == 6 + Int64(plan.schema.collections.count))
    // The active device sends an initial request, a channel request and six commits. Each other device sends an initial
    // request, a channel request and at most six reads. At first, each device also declares its rules. Three of them
    // conflict with those of the first device, so these devices declare them again and read the zone.
    #expect(report.requests <= 8 + 3 * 8 + 4 + 3 * 2)
  }

  @Test(arguments: [0, 0.1, 0.4])
  func `V18, S43, S44: a device makes at most 100 requests an hour and transfers at most 1 MB a day`(_ loss: Double) {
    for seed in TestExtent.seeds(1, of: 3, release: 3) {
      let report = Simulation.run(.day(seed: seed, devices: 3, hours: 24, loss: loss))
      expectGood(report)
      #expect(report.requestsPerHourMax <= 100)
      #expect(report.bytesPerDayMax <= 1_000_000)
      #expect(report.parked == 0)
    }
  }

  @Test func `V18: constant clicking uses most of the hourly budget and never exceeds it`() {
    let minutes = Int64(TestExtent.count(usual: 90, release: 240, long: 240))
    var plan = SimulationPlan(seed: 5, devices: 2, healsAtMilliseconds: minutes * 60_000)
    var time: Int64 = 5000
    while time < plan.healsAtMilliseconds {
      plan.steps.append(
        .init(time, 0, .set(TimerState(kind: .focus, remainingMilliseconds: time % 1000), completed: 0)))
      time += 3000
    }
    let report = Simulation.run(plan)
    expectGood(report)
    #expect(report.requestsPerHourMax <= 100)
    #expect(report.requestsPerHourMax > 80)
  }

  @Test(arguments: [BackendError.quotaExceeded(retryAfterMilliseconds: 1_800_000), .unreachable("down"), .timedOut])
  func `V18, V19, S36: a server that fails for six hours gets at most 100 requests an hour, and then all changes`(
    _ error: BackendError
  ) {
    var plan = SimulationPlan.day(seed: 9, devices: 2, hours: 8, loss: 0)
    plan.faults.serverError = (error, 6 * 3_600_000)
    let report = Simulation.run(plan)
    expectGood(report)
    #expect(report.requestsPerHourMax <= 100)
  }
}
