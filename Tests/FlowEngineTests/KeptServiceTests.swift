import FlowModel
import FlowPluginKit
import Testing

@testable import FlowEngine

/// Posts `link.came` for each `app.open-url` that is posted from outside the run.
private struct Receive: StepService, DetailedAction {
  static let name = "link.receive"
  static let summary = "Posts link.came for each URL"
  static let events = ["link.came"]
  static let follows = ["app.open-url"]
  static let source = EventSource.outside

  nonisolated(nonsending) func run(_ input: NoInput, in context: ActionContext) async throws -> NoOutput {
    let posts = PostQueue()
    context.follow("app.open-url", into: posts)
    context.ready(NoOutput())
    while await posts.next() != nil {
      try context.post("link.came")
      context.handledPost()
    }
    return NoOutput()
  }
}

/// Posts `link.tick` until it is asked to end.
private struct Tick: StepService, DetailedAction {
  static let name = "link.tick"
  static let summary = "Posts link.tick all the time"
  static let events = ["link.tick"]
  static let follows = ["never"]

  nonisolated(nonsending) func run(_ input: NoInput, in context: ActionContext) async throws -> NoOutput {
    let end = PostQueue()
    context.follow("never", into: end)
    context.ready(NoOutput())
    for _ in 0..<5_000 where !context.isCancelled {
      try context.post("link.tick")
      await Task.yield()
    }
    _ = await end.next()
    return NoOutput()
  }
}

/// Becomes ready, and fails at the first `app.open-url`.
private struct Break: StepService, DetailedAction {
  static let name = "link.break"
  static let summary = "Fails at the first URL"
  static let follows = ["app.open-url"]

  nonisolated(nonsending) func run(_ input: NoInput, in context: ActionContext) async throws -> NoOutput {
    let posts = PostQueue()
    context.follow("app.open-url", into: posts)
    context.ready(NoOutput())
    _ = await posts.next()
    throw ActionError("broken", "the connection is lost", isRetryable: false)
  }
}

private struct LinkPlugin: Plugin {
  static let name = "link"
  var actions: [any ActionType.Type] { [Receive.self, Tick.self, Break.self] }
}

/// `keep: services` with services of actions, and with steps that run for the posts of an event.
@Suite(.timeLimit(.minutes(10))) struct `A run that keeps its services` {
  private let probe = ProbePlugin()

  private func start(
    _ steps: [Step], _ change: @escaping (inout RunOptions) -> Void = { _ in }
  ) throws -> WorkflowRun {
    var fixture = EngineFixture(steps)
    fixture.workflow.keepsServices = true
    fixture.workflow.events = [
      EventDeclaration("app.open-url", repeats: true), EventDeclaration("link.came", repeats: true),
      EventDeclaration("link.tick", repeats: true), EventDeclaration("never"),
    ]
    fixture.plugins = fixture.plugins.dropLast() + [probe, LinkPlugin()]
    fixture.change = change
    return try fixture.start()
  }

  private func write(for event: String) -> Step {
    Step("write", "probe.write", with: ["text": "post ${{ item.number }}"]) { $0.fanOut = FanOut(.posts(of: event)) }
  }

  private let final = Step("tidy", "probe.write", with: ["text": "tidy"]) { $0.isFinal = true }

  private func wait(_ condition: () -> Bool) async { while !condition() && !Task.isCancelled { await Task.yield() } }

  @Test func `a run that keeps its services handles all posts, and succeeds if its steps succeed`() async throws {
    let run = try start([
      Step("receive", "link.receive"), write(for: "link.came"), Step("after", "flow.noop", needs: [1]), final,
    ])
    await wait { run.isKeepingServices }
    for _ in 0..<3 { run.post("app.open-url") }
    #expect(run.endWait())
    let report = await run.report
    // The items run at the same time, so their order varies.
    #expect(probe.diary.all.dropLast().sorted() == ["post 1", "post 2", "post 3"] && probe.diary.all.last == "tidy")
    #expect(report.conclusion == .success && report["after"].outcome == .success)
    #expect(!run.endWait())
  }

  @Test func `a run that keeps its services waits even if it has none, as long as a step handles outside posts`()
    async throws
  {
    let run = try start([write(for: "link.came"), Step("waiting", "flow.noop") { $0.after = ["never"] }])
    await wait { run.isKeepingServices }
    run.post("link.came")
    await wait { probe.diary.count == 1 }
    #expect(run.endWait())
    let report = await run.report
    #expect(report["write"].outcome == .success && report["waiting"].reason == .eventNeverPosted)
  }

  @Test func `a run that keeps its services ends on request even if a service keeps posting`() async throws {
    let run = try start([Step("tick", "link.tick"), write(for: "link.tick")])
    await wait { probe.diary.count >= 3 }
    await wait { run.endWait() }
    #expect(await run.report.conclusion == .success)
  }

  @Test func `a run that keeps its services fails if a required service fails, but continues if an optional one fails`()
    async throws
  {
    let run = try start([Step("break", "link.break"), Step("receive", "link.receive"), write(for: "link.came")])
    await wait { run.isKeepingServices }
    run.post("app.open-url")
    #expect(await run.report.conclusion == .failure)

    let partial = try start([
      Step("break", "link.break") { $0.isOptional = true }, Step("receive", "link.receive"), write(for: "link.came"),
    ])
    await wait { partial.isKeepingServices }
    partial.post("app.open-url")
    await wait { probe.diary.count == 2 }
    // A service that the run has asked to end does not fail.
    await wait { partial.withPlan { $0.plan.outcome(of: 0) == .failure } }
    await wait { partial.endWait() }
    #expect(await partial.report.conclusion == .partial)
  }

  @Test func `a run that keeps its services ends once the app has finished posting events`() async throws {
    let run = try start([Step("receive", "link.receive"), write(for: "link.came")]) { $0.acceptsEvents = true }
    await wait { run.isKeepingServices }
    run.post("app.open-url")
    run.finishPosting()
    #expect(await run.report.conclusion == .success)
    #expect(probe.diary.all == ["post 1"])
  }

  @Test(arguments: [true, false])
  func `a run that keeps its services ends on request even if the app could still post events`(acceptsEvents: Bool)
    async throws
  {
    let run = try start([Step("receive", "link.receive")]) {
      $0.acceptsEvents = acceptsEvents
      if !acceptsEvents { $0.announcedEvents = [("never", .seconds(3600))] }
    }
    await wait { run.endWait() }
    #expect(await run.report.conclusion == .success)
  }

  @Test func `a run that keeps its services waits for an announced event that a step needs, until it is cancelled`()
    async throws
  {
    let run = try start([Step("receive", "link.receive"), Step("waiting", "flow.noop") { $0.after = ["never"] }]) {
      $0.announcedEvents = [("never", .seconds(3600))]
    }
    #expect(!run.endWait())
    run.cancel()
    #expect(await run.report.conclusion == .cancelled)
  }
}
