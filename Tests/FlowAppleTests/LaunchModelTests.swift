import BasicsPlugin
import FlowApple
import FlowKit
import Observation
import Synchronization
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct `A launch that views observe` {
  private let engine = Engine { BasicsPlugin() }

  private func model() -> LaunchModel<TestLaunch> {
    LaunchModel(engine, TestLaunch(), .init(), options: runOptions(clock: VirtualClock()))
  }

  @Test func `shows the splash until the gate opens, and has the outputs when the run has ended`() async throws {
    let model = model()
    #expect(model.phase == .idle && model.showsSplash)
    model.start()
    #expect(model.phase == .launching && model.showsSplash)
    await model.opened()
    #expect(model.phase == .open && !model.showsSplash)
    #expect(model.gate?.openedAt == .seconds(2))
    #expect(model.outputs == nil)
    model.post(Bell.rung)
    model.post("door.opened")
    model.finishPosting()
    let run = try #require(model.run)
    _ = await run.report
    while model.phase != .ended { await Task.yield() }
    #expect(model.outputs?.said == "hello")
    #expect(model.report?.conclusion == .success)
    #expect(model.progress == RunProgress(finished: 3, total: 3))
  }

  @Test func `views are notified when the splash goes`() async {
    let model = model()
    model.start()
    let changes = Mutex(0)
    withObservationTracking {
      _ = model.showsSplash
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    await model.opened()
    #expect(changes.withLock { $0 } == 1)
    model.cancel()
  }

  @Test func `events that come before the start are posted with it`() async throws {
    let model = model()
    model.post(Bell.rung)
    model.post("door.opened")
    model.finishPosting()
    model.start()
    let report = await (try #require(model.run)).report
    #expect(report.conclusion == .success)
    #expect(report.steps.allSatisfy { $0.conclusion == .success })
  }

  @Test func `a second start does nothing`() async throws {
    let model = model()
    model.start(Launch(reason: .url))
    let first = try #require(model.run).run.run.id
    model.start()
    #expect(model.run?.run.run.id == first)
    model.cancel()
  }

  @Test func `a launch that cannot start takes the splash away and says why`() async {
    let engine = Engine { action("my-app.other") { _ in } }
    let model = LaunchModel(engine, TestLaunch(), .init(), options: runOptions())
    model.start()
    await model.opened()
    #expect(model.phase == .failed && !model.showsSplash)
    #expect(model.problem?.contains("flow.set") == true)
  }

  @Test func `a launch that is cancelled before the gate takes the splash away`() async {
    let model = LaunchModel(engine, TestLaunch(), .init(), options: runOptions())
    model.start()
    model.cancel()
    await model.opened()
    #expect(!model.showsSplash)
  }

  @Test func `a value that an event does not carry is reported, not posted`() {
    let model = model()
    model.start()
    model.post(Bell.rung, value: 5)
    #expect(model.problem?.contains("bell.rung") == true)
    model.cancel()
  }
}
