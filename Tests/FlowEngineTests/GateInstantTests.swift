import FlowModel
import Synchronization
import Testing

@testable import FlowEngine

/// The event stream, the report and the app must agree on the time at which the gate opened.
struct `The opening time of the gate` {
  @Test func `the gate's opening time is that of the opening event, even if the plan is notified later`() throws {
    var gate = GateBounds()
    gate.maximumNanoseconds = 5
    var resolution = Resolution()
    resolution.gate = gate
    var plan = Plan(graph: try WorkflowGraph(Workflow(name: "test", steps: [Step("a")])))
    plan.apply(.activated(resolution), at: 0)
    plan.apply(.started(prewarm: false), at: 0)
    _ = plan.takeRecords()
    plan.apply(.gateOpened(OpenedGate(.timedOut, atNanoseconds: 5)), at: 11_000_000)
    let opened = plan.takeRecords().flatMap(Array.init).filter { $0.kind == .complete(.gateOpened(.timedOut)) }
    #expect(opened.map(\.atNanoseconds) == [5] && plan.gate.openedAtNanoseconds == 5)
  }

  @Test func `the gate's opening time does not depend on which of several threads opens the gate`() async {
    for _ in 0..<200 {
      let gate = GateClock(clock: RunClock())
      gate.send(.decided(.ready))
      let instants = await withTaskGroup { group in
        for _ in 0..<4 { group.addTask { gate.send(.minimumReached)?.atNanoseconds } }
        return await group.reduce(into: Set<Int?>()) { $0.insert($1) }
      }
      #expect(instants == [gate.opened?.atNanoseconds])
    }
  }

  @Test func `code that waits for the gate is called in the order in which it began to wait`() {
    let gate = GateClock(clock: RunClock())
    let calls = Mutex<[Int]>([])
    for number in 0..<3 { gate.whenOpen { _ in calls.withLock { $0.append(number) } } }
    gate.send(.minimumReached)
    gate.send(.decided(.ready))
    gate.whenOpen { _ in calls.withLock { $0.append(3) } }
    #expect(calls.withLock { $0 } == [0, 1, 2, 3])
  }

  @Test(arguments: [nil, 220_000_000]) func `the gate and its thread are released even if the run never ends`(
    maximum: Int?
  ) async throws {
    weak var gate: GateClock?
    do {
      let clock = GateClock(clock: RunClock())
      gate = clock
      let bounds = GateBounds(minimumNanoseconds: 200_000_000, maximumNanoseconds: maximum)
      _ = clock.arm(activatedAtNanoseconds: 0, bounds) { _ in }
      clock.begin()
      _ = clock.send(.decided(.ready))
      while clock.opened == nil { await Task.yield() }
    }
    let end = ContinuousClock.now + .seconds(30)
    while gate != nil, ContinuousClock.now < end { await Task.yield() }
    #expect(gate == nil)
  }

  @Test func `the gate's opening time stays the same when the run is resumed`() {
    let gate = GateClock(clock: RunClock())
    gate.restore(OpenedGate(.ready, atNanoseconds: 7), activatedAtNanoseconds: 0)
    #expect(gate.opened == OpenedGate(.ready, atNanoseconds: 7))
  }
}
