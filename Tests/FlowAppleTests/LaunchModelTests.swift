import BasicsPlugin
import FlowApple
import FlowKit
import Observation
import Synchronization
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct `An observable launch` {
  private let engine = Engine { BasicsPlugin() }

  private func model() -> LaunchModel<TestLaunch> {
    LaunchModel(engine, TestLaunch(), .init(), options: runOptions(clock: VirtualClock()))
  }

  @Test func `an observable launch shows the splash until the gate opens, and has outputs after the run has ended`()
    async throws
  {
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

  @Test func `an observable launch notifies views when the splash disappears`() async {
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

  @Test func `an observable launch posts events that it received before its start`() async throws {
    let model = model()
    model.post(Bell.rung)
    model.post("door.opened")
    model.finishPosting()
    model.start()
    let report = await (try #require(model.run)).report
    #expect(report.conclusion == .success)
    #expect(report.steps.allSatisfy { $0.conclusion == .success })
  }

  @Test func `an observable launch ignores a second start`() async throws {
    let model = model()
    model.start(Launch(reason: .url))
    let first = try #require(model.run).run.run.id
    model.start()
    #expect(model.run?.run.run.id == first)
    model.cancel()
  }

  @Test func `an observable launch hides the splash and reports the reason if it cannot start`() async {
    let engine = Engine { action("my-app.other") { _ in } }
    let model = LaunchModel(engine, TestLaunch(), .init(), options: runOptions())
    model.start()
    await model.opened()
    #expect(model.phase == .failed && !model.showsSplash)
    #expect(model.problem?.contains("flow.set") == true)
  }

  @Test func `an observable launch hides the splash if it is cancelled before the gate opens`() async {
    let model = LaunchModel(engine, TestLaunch(), .init(), options: runOptions())
    model.start()
    model.cancel()
    await model.opened()
    #expect(!model.showsSplash)
  }

  @Test func `an observable launch reports an event with an unsupported value`() {
    let model = model()
    model.start()
    model.post(Bell.rung, value: 5)
    #expect(model.problem?.contains("bell.rung") == true)
    model.cancel()
  }
}
