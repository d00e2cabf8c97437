import FlowModel
import FlowTestKit
import Synchronization
import Testing

@testable import FlowEngine

/// There are more blocking steps than threads. Reports and cancellation must still work, and no step may count as
/// running without a thread.
@Suite(.timeLimit(.minutes(10))) struct ThreadTests {
  private let longest = 60_000_000_000

  /// Returns a workflow with `count` steps, each of which blocks a thread until the door of `probe` is opened.
  private func holding(
    _ count: Int, _ probe: ProbePlugin, _ change: @escaping (Int, inout StepOptions) -> Void = { _, _ in }
  ) -> EngineFixture {
    var fixture = EngineFixture((0..<count).map { index in Step("hold-\(index)", "probe.hold") { change(index, &$0) } })
    fixture.plugins = fixture.plugins.dropLast() + [probe]
    return fixture
  }

  @Test(arguments: Carrier.allCases)
  func `while all threads are busy, the observer is notified only of steps that have a thread`(
    _ carrier: Carrier
  ) async throws {
    let probe = ProbePlugin()
    let listener = Listener()
    // The deadline of the last step passes while the step waits for a thread.
    var fixture = holding(300, probe) { index, options in
      guard index == 299 else { return }
      options.deadline = StepDeadline(max: .milliseconds(20))
      options.isOptional = true
    }
    fixture.change = {
      $0.observer = listener
      $0.threads = carrier.threads()
    }
    let run = try fixture.start()
    // A step is reported as started before its body begins.
    while listener.started < Limits.threads || probe.door.waiting.load(ordering: .acquiring) < Limits.threads,
      run.nowNanoseconds < longest
    {
      await Task.yield()
    }
    let (started, inBody) = (listener.started, probe.door.waiting.load(ordering: .acquiring))
    // Deadlines have a separate thread, which steps never occupy.
    await withCheckedContinuation { continuation in run.wake(after: .milliseconds(20)) { continuation.resume() } }
    probe.door.open()
    let report = await run.report
    #expect(started == Limits.threads)
    #expect(inBody == Limits.threads)
    #expect(report.steps.dropLast().allSatisfy { $0.outcome == .success })
    // The deadline counts from the beginning of the body, which may take longer than that on a busy machine.
    let last = report["hold-299"]
    #expect(last.outcome == .success || last.endedAt! - last.startedAt! >= 20)
    let warning = "waited for a thread: all 256 that steps of 'user-initiated' may have were busy"
    #expect(report.warnings.count { $0.hasSuffix(warning) } == 1, "\(report.warnings)")
  }

  @Test(arguments: Carrier.allCases)
  func `a cancelled run ends even if all its threads stay blocked`(_ carrier: Carrier) async throws {
    let probe = ProbePlugin()
    var fixture = holding(300, probe)
    fixture.change = {
      $0.graceNanoseconds = Plan.usualGraceNanoseconds
      $0.threads = carrier.threads()
    }
    let run = try fixture.start()
    while probe.door.waiting.load(ordering: .acquiring) < Limits.threads, run.nowNanoseconds < longest {
      await Task.yield()
    }
    run.cancel()
    let report = await run.report
    probe.door.open()
    #expect(report.conclusion == .cancelled)
    #expect(report.steps.count { $0.isAbandoned } == Limits.threads)
  }

  @Test(arguments: Carrier.allCases)
  func `steps of different pools run on separate threads`(_ carrier: Carrier) async throws {
    let probe = ProbePlugin()
    var fixture = holding(400, probe) { index, options in
      options.queue = index % 2 == 0 ? "user-interactive" : "user-initiated"
    }
    fixture.change = { $0.threads = carrier.threads() }
    let run = try fixture.start()
    while probe.door.waiting.load(ordering: .acquiring) < 400, run.nowNanoseconds < longest { await Task.yield() }
    let inBody = probe.door.waiting.load(ordering: .acquiring)
    probe.door.open()
    let report = await run.report
    #expect(inBody == 400)
    #expect(report.conclusion == .success)
    #expect(report.warnings.isEmpty)
  }

  @Test(arguments: [Carrier.ownThreads, .stalledQueues])
  func `a run continues in order with three threads, and with a warning, if the system refuses more`(
    _ carrier: Carrier
  ) async throws {
    let probe = ProbePlugin()
    let system = ScarceThreads(3)
    var fixture = holding(10, probe)
    fixture.change = { $0.threads = carrier.threads(start: system.start) }
    let run = try fixture.start()
    while probe.door.waiting.load(ordering: .acquiring) < 3 || system.refusals == 0, run.nowNanoseconds < longest {
      await Task.yield()
    }
    let inBody = probe.door.waiting.load(ordering: .acquiring)
    probe.door.open()
    let report = await run.report
    #expect(inBody == 3)
    #expect(report.conclusion == .success)
    let starts = report.steps.map { $0.startedAt! }
    #expect(starts.prefix(3).max()! <= starts.dropFirst(3).min()!)
    // Pool queues that are late are refused one after another, so fewer steps may have waited at the same time.
    let steps = carrier == .ownThreads ? "up to 7 steps of 'user-initiated' waited" : "up to "
    #expect(report.warnings.count == 1 && report.warnings[0].hasPrefix(steps), "\(report.warnings)")
    #expect(report.warnings[0].hasSuffix("waited for a thread: the system gave no more than 3 (see ulimit -u)"))
  }

  @Test func `after the system has refused to start a thread, all but two idle threads are released`() {
    let system = ScarceThreads(6)
    let threads = PoolThreads(start: system.start)
    let door = Door()
    for _ in 0..<6 { #expect(threads.run(.utility) { door.waitHere() }) }
    #expect(!threads.run(.utility) {})
    door.open()
    // Four of the six threads are released for other uses.
    while system.living > 2 {}
    #expect(system.living == 2)
    #expect(system.refusals == 1)
  }

  @Test func `if the process limit is nearly reached, only two threads of a pool are started`() {
    let system = ScarceThreads(6)
    let hasRoom = Atomic(false)
    let threads = PoolThreads(start: system.start, hasRoom: { hasRoom.load(ordering: .relaxed) })
    let door = Door()
    for _ in 0..<2 { #expect(threads.run(.utility) { door.waitHere() }) }
    #expect(!threads.run(.utility) {})
    #expect(system.refusals == 0)
    hasRoom.store(true, ordering: .relaxed)
    #expect(threads.run(.utility) { door.waitHere() })
    door.open()
  }

  @Test func `a pool that gets no thread for ten seconds fails its steps with the reason`() throws {
    let graph = try WorkflowGraph(Workflow(name: "test", steps: [Step("a"), Step("b")]))
    var state = RunState(
      plan: Plan(graph: graph), pools: Pool.all.map { ThreadPool(pool: $0, cores: 1) }, launch: Launch())
    state.plan.apply(.activated(Resolution()), at: 0)
    state.plan.apply(.started(prewarm: false), at: 0)
    let pool = Pool.threads(.userInitiated)
    for time in [0, 9_999_999_999] {
      state.pools[pool.index].wake()
      state.noteMissingThread(in: pool, at: time)
      #expect(state.plan[0].outcome == nil)
    }
    state.pools[pool.index].wake()
    state.noteMissingThread(in: pool, at: 10_000_000_000)
    #expect(state.plan[0].failure?.code == "no-thread")
    #expect(state.plan[1].failure?.code == "no-thread")
  }
}

/// The forms of threads that are tested, independent of the form that this system uses.
enum Carrier: CaseIterable {
  case ownThreads, poolQueues
  /// Pool queues whose blocks Dispatch never starts.
  case stalledQueues

  func threads(
    start: @escaping @Sendable (BareThread.Kind, @escaping @Sendable () -> Void) -> Bool = BareThread.start
  ) -> PoolThreads {
    switch self {
    case .ownThreads: PoolThreads(start: start)
    case .poolQueues: PoolThreads(start: start, queues: PoolQueues())
    case .stalledQueues: PoolThreads(start: start, queues: PoolQueues(submit: { _, _ in }))
    }
  }
}

/// A system with a limited number of threads.
private final class ScarceThreads: Sendable {
  private let state: Mutex<(free: Int, living: Int, refusals: Int)>

  init(_ count: Int) { state = Mutex((count, 0, 0)) }

  var refusals: Int { state.withLock { $0.refusals } }
  var living: Int { state.withLock { $0.living } }

  @Sendable func start(_ kind: BareThread.Kind, _ body: @escaping @Sendable () -> Void) -> Bool {
    let isThere = state.withLock { state in
      guard state.free > 0 else {
        state.refusals += 1
        return false
      }
      state.free -= 1
      state.living += 1
      return true
    }
    guard isThere else { return false }
    return BareThread.start(kind) { [self] in
      body()
      state.withLock { state in
        state.free += 1
        state.living -= 1
      }
    }
  }
}

/// Counts the starts of steps.
private final class Listener: RunObserver {
  private let count = Mutex(0)
  var started: Int { count.withLock { $0 } }

  func receive(_ events: [RunEvent]) {
    let starts = events.count { if case .stepStarted = $0.kind { true } else { false } }
    count.withLock { $0 += starts }
  }
}
