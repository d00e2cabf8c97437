import FlowEngine
import FlowModel
import FlowPluginKit
import Foundation
import Synchronization
import Testing

/// The launch gate on the real clock. These tests check only what is true on any machine: the gate is never early, and
/// blocked threads do not keep it closed.
@Suite(.timeLimit(.minutes(10))) struct GateTests {
  private func gate(min: Duration? = nil, max: Duration? = nil) -> GateDeadline {
    GateDeadline(min: min.map { .literal($0) }, max: max.map { .literal($0) })
  }

  @Test func `the gate never opens before its minimum, even if the launch is ready earlier (L34)`() async throws {
    let report = try await EngineFixture([Step("a")], gate: gate(min: .milliseconds(250), max: .seconds(60))).run()
    #expect(report.gate.outcome == .ready)
    #expect(report.gate.openedAt! >= 250)
    #expect(abs(report.gate.heldByMinMilliseconds - (report.gate.openedAt! - report.gate.readyAt!)) < 0.01)
    #expect(report.conclusion == .success)
  }

  @Test func `a minimum that has already passed does not delay the gate`()
    async throws
  {
    for minimum in [nil, Duration.milliseconds(1)] {
      let steps = [Step("a", "flow.sleep", with: ["for": "20ms"])]
      let report = try await EngineFixture(steps, gate: gate(min: minimum, max: .seconds(60))).run()
      #expect(report.gate.outcome == .ready)
      #expect(report.gate.heldByMinMilliseconds == 0)
    }
  }

  @Test func `the gate opens at its maximum and never early, even if 64 threads are blocked (L35)`() async throws {
    let probe = ProbePlugin()
    var fixture = EngineFixture(
      (0..<64).map { Step("hold-\($0)", "probe.hold") }, gate: gate(max: .milliseconds(250)))
    fixture.plugins = [probe]
    let run = try fixture.start()
    // The door stays closed, so only the maximum can open the gate.
    let opening = await run.gate
    probe.door.open()
    let report = await run.report
    #expect(opening.outcome == .timedOut)
    #expect(opening.openedAt! >= .milliseconds(250))
    #expect(report.gate.late.count == 64)
    #expect(report.conclusion == .partial)
    #expect(report.steps.allSatisfy { $0.outcome == .success })
  }

  @MainActor
  @Test func `the gate resumes the main actor while other tasks block all threads of Swift's pool (L34)`()
    async throws
  {
    let pool = OccupiedPool()
    let tasks = (0..<4 * ProcessInfo.processInfo.activeProcessorCount).map { _ in
      Task.detached { pool.occupy(for: .seconds(60)) }
    }
    while pool.tasks.load(ordering: .relaxed) < min(2, ProcessInfo.processInfo.activeProcessorCount) {}
    let run = try EngineFixture([Step("a")], gate: gate(min: .milliseconds(20))).start()
    #expect(await run.gate.outcome == .ready)
    pool.isReleased.store(true, ordering: .relaxed)
    for task in tasks { #expect(await task.value) }
    _ = await run.report
    try FileManager.default.removeItem(atPath: run.run.dataFolder)
  }

  @Test func `near the maximum, the times of steps decide the outcome, not the order in which threads run (L35)`()
    async throws
  {
    for _ in 0..<60 {
      let report = try await EngineFixture([Step("a", "probe.spin")], gate: gate(max: .milliseconds(5))).run()
      let isReady = report.gate.readyAt.map { $0 <= 5 } ?? false
      #expect(report.gate.outcome == (isReady ? .ready : .timedOut))
      #expect(report.gate.late.isEmpty == isReady)
      #expect((report["a"].endedAt! <= 5) == isReady)
      if !isReady { #expect(report.gate.openedAt! >= 5) }
    }
  }

  @Test func `if a blocking step fails, the gate opens as failed, at its minimum (L6)`() async throws {
    let report = try await EngineFixture(
      [Step("a", "flow.fail", with: ["message": "no store"]), Step("b", needs: [0])], gate: gate(min: .milliseconds(50))
    ).run()
    #expect(report.gate.outcome == .failed)
    #expect(report.gate.openedAt! >= 50)
    #expect(report.gate.failed.map(\.text) == ["a", "b"])
    #expect(report["b"].reason == .upstreamFailed)
    #expect(report.conclusion == .failure)
  }

  @Test func `without a blocking step, the gate opens at its minimum`() async throws {
    let probe = ProbePlugin()
    var fixture = EngineFixture([Step("a", "probe.hold") { $0.blocking = false }], gate: gate(min: .milliseconds(30)))
    fixture.plugins = [probe]
    let run = try fixture.start()
    let opening = await run.gate
    probe.door.open()
    let report = await run.report
    #expect(opening.outcome == .ready)
    #expect(report.gate.openedAt! >= 30 && report.gate.openedAt! < report["a"].endedAt!)
  }

  @Test func `deferred steps start after the gate has opened, even if it opens as failed (L37, L41)`() async throws {
    let report = try await EngineFixture(
      [
        Step("a", "flow.fail", with: ["message": "no"]), Step("b") { $0.deferral = .afterGate },
        Step("c", needs: [1]),
      ], gate: gate(min: .milliseconds(20))
    ).run()
    #expect(report["b"].startedAt! >= report.gate.openedAt!)
    #expect(report["c"].isDeferred && report["c"].startedAt! >= report["b"].endedAt!)
    #expect(report["b"].queue == "utility")
  }

  @Test(arguments: [false, true])
  func `the first launch counts as the first even if it is prewarmed`(isPrewarmed: Bool) async throws {
    var fixture = EngineFixture([Step("welcome") { $0.condition = "launch.first" }])
    fixture.change = { $0.isPrewarmed = isPrewarmed }
    let run = try fixture.start()
    if isPrewarmed { try run.activate(launch: Launch(reason: .url)) }
    let report = await run.report
    #expect(report["welcome"].outcome == .success)
    try FileManager.default.removeItem(atPath: run.run.dataFolder)
  }

  @Test func `time 0 of a prewarmed run is the time of its activation (P3, P4, P8)`() async throws {
    var fixture = EngineFixture(
      [Step("early") { $0.prewarm = true }, Step("late", needs: [0])], gate: gate(min: .milliseconds(20)))
    let ends = EndListener()
    fixture.change = {
      $0.isPrewarmed = true
      $0.observer = ends
    }
    let run = try fixture.start()
    while ends.count == 0, run.nowNanoseconds < 30_000_000_000 { await Task.yield() }
    await withCheckedContinuation { continuation in
      run.wake(after: .milliseconds(40)) { continuation.resume() }
    }
    try run.activate(launch: Launch(reason: .url))
    let report = await run.report
    #expect(report.prewarmMilliseconds >= 40)
    #expect(report["early"].endedAt! < 0)
    #expect(report["late"].startedAt! >= 0)
    #expect(report.gate.openedAt! >= 20)
    #expect(report.launchReason == .url)
  }
}

/// Counts the ends of steps.
private final class EndListener: RunObserver {
  private let ends = Mutex(0)
  var count: Int { ends.withLock { $0 } }

  func receive(_ events: [RunEvent]) {
    let heard = events.count { if case .stepFinished = $0.kind { true } else { false } }
    ends.withLock { $0 += heard }
  }
}

/// Tasks that block threads of Swift's pool.
private final class OccupiedPool: Sendable {
  let isReleased = Atomic(false)
  let tasks = Atomic(0)

  /// Blocks a thread until `isReleased` is set. Returns false if this takes longer than `time`.
  func occupy(for time: Duration) -> Bool {
    tasks.add(1, ordering: .relaxed)
    let end = ContinuousClock.now + time
    while !isReleased.load(ordering: .relaxed) {
      if ContinuousClock.now > end { return false }
    }
    return true
  }
}
