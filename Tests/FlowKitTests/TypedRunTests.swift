import BasicsPlugin
import FlowKit
import FlowSyntax
import Foundation
import Synchronization
import Testing

/// A workflow as the build plugin would generate it, written by hand.
private struct Hello: PackagedWorkflow {
  struct Inputs: WorkflowInputs {
    var who: String
    var values: ValueObject { ["who": .string(who)] }
  }

  struct Outputs: WorkflowOutputs {
    var said: String?
    init(values: ValueObject) { said = try? values.field("said") }
  }

  static let greet = StepKey<Outputs>("greet")

  static let compiled: [UInt8] = {
    let text = """
      name: hello
      inputs: { who: { type: string } }
      events: [bell.rung]
      steps:
        greet: { uses: flow.set, with: { values: { said: "Hello, ${{ inputs.who }}" } } }
        open: { uses: my-app.open, needs: greet }
        later: { uses: flow.noop, defer: true, after: bell.rung }
      outputs: { said: "${{ steps.greet.outputs.said }}" }
      """
    return WorkflowLoader(catalog: TypedRunTests.engine.registry).load(bytes: Array(text.utf8), file: "hello.yaml")
      .compiled?.bytes ?? []
  }()
}

private enum Bell: String, EventName {
  case rung = "bell.rung"
}

@MainActor private final class Window {
  private(set) var isOpen = false
  func open() { isOpen = true }
}

struct TypedRunTests {
  static let engine = Engine {
    BasicsPlugin()
    action("my-app.open", "Opens the window") { _ in }
  }

  private func options() -> RunOptions {
    let folder = FileManager.default.temporaryDirectory.path + "/flowrun-typed-\(UUID().uuidString)"
    var options = RunOptions(dataFolder: folder, workflowFolder: folder)
    options.acceptsEvents = true
    return options
  }

  @Test func `a typed run has typed inputs, outputs, step outputs and events`() async throws {
    let options = options()
    defer { try? FileManager.default.removeItem(atPath: options.dataFolder) }
    let run = try Self.engine.start(Hello(), .init(who: "Ada"), options: options)
    #expect(await run.gate.outcome == .ready)
    run.post(Bell.rung)
    run.finishPosting()
    #expect(await run.outputs.said == "Hello, Ada")
    #expect(run.outputs(of: Hello.greet)?.said == "Hello, Ada")
    #expect(run.outputs(of: StepKey<NoWorkflowOutputs>("no-such-step")) == nil)
    #expect(await run.report.events.contains { $0.name == "bell.rung" })
    #expect(run.progress.finished == 3 && run.progress.total == 3 && run.progress.fraction == 1)
  }

  @Test func `the event sequence of a run returns all events from the start, even to a late reader`() async throws {
    let options = options()
    defer { try? FileManager.default.removeItem(atPath: options.dataFolder) }
    let run = try Self.engine.start(Hello(), .init(who: "Ada"), options: options)
    run.finishPosting()
    var early: [String] = []
    for await event in run.events { early.append(event.name) }
    #expect(early.first == "run.started" && early.last == "run.finished")
    #expect(early.filter { $0 == "step.started" }.count == 2)
    var late: [String] = []
    for await event in run.events { late.append(event.name) }
    #expect(late == early)
  }

  @Test func `the event sequence of a run is empty if events are turned off, and ends with the run`() async throws {
    let options = options()
    defer { try? FileManager.default.removeItem(atPath: options.dataFolder) }
    let run = try Self.engine.start(Hello(), .init(who: "Ada"), options: options, events: .none)
    run.finishPosting()
    for await event in run.events { Issue.record("\(event)") }
    #expect(await run.report.conclusion == .success)
  }

  @Test func `after its body returns, a scoped run does not wait for events`()
    async throws
  {
    let options = options()
    defer { try? FileManager.default.removeItem(atPath: options.dataFolder) }
    let report = try await Self.engine.run(Hello(), .init(who: "Ada"), options: options) { run in
      #expect(await run.gate.outcome == .ready)
    }
    #expect(report.conclusion == .success)
    #expect(report.steps.first { $0.id.text == "later" }?.outcome == .skipped)
  }

  @Test func `an error in the body of a scoped run cancels the run and is thrown after the run has ended`() async throws
  {
    struct NoScreen: Error {}
    let options = options()
    defer { try? FileManager.default.removeItem(atPath: options.dataFolder) }
    let kept = Mutex<TypedRun<Hello>?>(nil)
    await #expect(throws: NoScreen.self) {
      try await Self.engine.run(Hello(), .init(who: "Ada"), options: options) { run in
        kept.withLock { $0 = run }
        throw NoScreen()
      }
    }
    let run = try #require(kept.withLock { $0 })
    #expect(await run.report.conclusion == .cancelled)
  }

  @Test(.timeLimit(.minutes(10))) func `cancelling the task of a scoped run cancels the run`() async throws {
    let options = options()
    defer { try? FileManager.default.removeItem(atPath: options.dataFolder) }
    let (started, hasStarted) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await Self.engine.run(Hello(), .init(who: "Ada"), options: options) { run in
        hasStarted.finish()
        // The last step waits for an event that is never posted, so only the cancellation can end the run.
        _ = await run.report
      }
    }
    for await _ in started {}
    task.cancel()
    let report = try await task.value
    #expect(report.conclusion == .cancelled)
  }

  @Test func `an action defined by a closure can run on the main actor`() async throws {
    let window = Window()
    let engine = Engine {
      BasicsPlugin()
      action("my-app.open") { @MainActor _ in window.open() }
    }
    let options = options()
    defer { try? FileManager.default.removeItem(atPath: options.dataFolder) }
    let run = try engine.start(Hello(), .init(who: "Ada"), options: options)
    run.finishPosting()
    #expect(await run.report.conclusion == .success)
    #expect(await window.isOpen)
  }

  @Test func `an engine that lacks an action of a workflow cannot start the workflow`() throws {
    let engine = Engine { BasicsPlugin() }
    #expect(throws: PreparedWorkflow.PreparationProblem.self) {
      try engine.start(Hello(), .init(who: "Ada"), options: options())
    }
  }

  @Test func `an engine has the parts of all statements, conditions and loops of its closure`() {
    @EngineBuilder func parts(_ isShort: Bool) -> [EnginePart] {
      BasicsPlugin()
      if isShort {
        action("my-app.open") { _ in }
      } else {
        action("my-app.open") { _ in }
        action("my-app.close") { _ in }
      }
      for number in 0..<3 { action("my-app.show\(number)") { _ in } }
    }
    @EngineBuilder func nothing() -> [EnginePart] {}
    #expect(parts(true).count == 5)
    #expect(parts(false).count == 6)
    #expect(nothing().isEmpty)
  }

  @Test func `reading an invalid or missing value throws an error, and a missing optional value is nil`() throws {
    let values: ValueObject = ["count": "many", "none": .null]
    #expect(throws: TypeMismatch.self) { let _: Int = try values.field("count") }
    #expect(throws: TypeMismatch.self) { let _: Int = try values.field("missing") }
    #expect(try values.field("none", as: Int?.self) == nil)
    #expect(try values.field("missing", as: [String]?.self) == nil)
  }
}
