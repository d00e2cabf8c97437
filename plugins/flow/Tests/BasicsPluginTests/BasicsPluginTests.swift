import FlowModel
import BasicsPlugin
import FlowPluginKit
import FlowTestKit
import Testing

struct `The flow plugin` {
  private let registry = ActionRegistry([BasicsPlugin()])

  private func action(_ name: String) throws -> any ActionType.Type {
    try #require(BasicsPlugin().actions.first { $0.name == name })
  }

  @Test func `contains ten actions, all with a summary and an example`() {
    #expect(
      registry.declarations.map(\.name) == [
        "flow.ask", "flow.block", "flow.fail", "flow.log", "flow.noop", "flow.on", "flow.post", "flow.set",
        "flow.sleep", "flow.spin",
      ])
    #expect(registry.declarations.allSatisfy { !$0.summary.isEmpty && $0.example.hasPrefix("uses: \($0.name)") })
  }

  @Test(.timeLimit(.minutes(10))) func `returns the answer to a question and the person who answered`() async throws {
    let host = TestHost()
    let ask = try action("flow.ask")
    let call = Task { try await host.call(ask, with: ["question": "Go?", "choices": ["go", "stay"]]) }
    while host.question == nil { await Task.yield() }
    #expect(host.question == Question("Go?", choices: ["go", "stay"]))
    host.answer("stay", by: "ada")
    #expect(try await call.value == ["choice": "stay", "by": "ada", "at": "1970-01-01T00:00:00Z"])
    #expect(host.logs.count == 2 && host.logs[1] == "ada chose stay")
  }

  @Test(.timeLimit(.minutes(10)), arguments: ["no", nil])
  func `uses the default answer after the time limit, and fails without a default answer`(choice: String?)
    async throws
  {
    let host = TestHost()
    let ask = try action("flow.ask")
    var inputs: ValueObject = ["question": "Go?", "timeout": "2h"]
    inputs["default"] = choice.map { .string($0) }
    let call = Task { [inputs] in try await host.call(ask, with: inputs) }
    while host.sleeperCount == 0 { await Task.yield() }
    host.advance(by: .seconds(2 * 3600))
    if choice == nil {
      await #expect(throws: ActionError("no-answer", "no answer arrived within 2h", isRetryable: false)) {
        try await call.value
      }
    } else {
      let outputs = try await call.value
      #expect(outputs["choice"] == "no" && outputs["by"] == "timeout")
    }
    #expect(host.question == nil)
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["text", "secret"])
  func `returns a text or a secret answer, and does not log the secret`(kind: String) async throws {
    let host = TestHost()
    let ask = try action("flow.ask")
    let call = Task { [kind] in try await host.call(ask, with: ["question": "What?", kind: true]) }
    while host.question == nil { await Task.yield() }
    #expect(host.question == Question("What?", kind: kind == "text" ? .text : .secret))
    host.answer("sesame", by: "ada")
    #expect(try await call.value == ["choice": "", "by": "ada", "at": "1970-01-01T00:00:00Z", kind: "sesame"])
    #expect(host.logs.contains { $0.contains("sesame") } == (kind == "text"))
  }

  @Test func `refuses a question with invalid choices`() async throws {
    for choices: Value in [["one"], ["a", "a"], ["a", ""]] {
      await #expect(throws: ActionError.self) {
        try await TestHost().call(action("flow.ask"), with: ["question": "Go?", "choices": choices])
      }
    }
    let check = try action("flow.ask")
    #expect(
      check.details.check(LiteralInput(["choices": ["a", "b"], "default": "perhaps"])).map(\.message)
        == ["'perhaps' is not one of the choices"])
    #expect(check.details.check(LiteralInput(["choices": ["a"]])).map(\.keyPath) == ["choices"])
  }

  @Test func `flow.noop returns no outputs`() async throws {
    #expect(try await TestHost().call(action("flow.noop")) == [:])
  }

  @Test(.timeLimit(.minutes(10))) func `sleeps until the time has passed on the run's clock`()
    async throws
  {
    let host = TestHost()
    let sleep = try action("flow.sleep")
    let call = Task { try await host.call(sleep, with: ["for": "4h"]) }
    while host.sleeperCount == 0 { await Task.yield() }
    host.advance(by: .seconds(4 * 3600 - 1))
    #expect(host.sleeperCount == 1)
    host.advance(by: .seconds(1))
    #expect(try await call.value == [:])
  }

  @Test(.timeLimit(.minutes(10))) func `stops sleeping as soon as the step is cancelled`() async throws {
    let host = TestHost()
    let sleep = try action("flow.sleep")
    let call = Task { try await host.call(sleep, with: ["for": "4h"]) }
    while host.sleeperCount == 0 { await Task.yield() }
    host.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
  }

  @Test(.timeLimit(.minutes(10))) func `does not sleep if the step has already been cancelled`() async throws {
    let host = TestHost()
    host.cancel()
    await #expect(throws: CancellationError.self) { try await host.call(action("flow.sleep"), with: ["for": "4h"]) }
    #expect(host.sleeperCount == 0)
  }

  @Test func `flow.fail fails with the given message`() async throws {
    await #expect(throws: ActionError("failed", "nothing to publish")) {
      try await TestHost().call(action("flow.fail"), with: ["message": "nothing to publish"])
    }
  }

  @Test func `returns the values passed to flow.set, whatever their types`() async throws {
    let values: ValueObject = ["a": 1, "b": [true, nil], "c": ["d": 1.5]]
    #expect(try await TestHost().call(action("flow.set"), with: ["values": .object(values)]) == values)
    #expect(registry.declaration(named: "flow.set")?.outputsFromInput == "values")
  }

  @Test func `posts the named event`() async throws {
    let host = TestHost()
    _ = try await host.call(action("flow.post"), with: ["event": "map.first-use"])
    #expect(host.posts == ["map.first-use"])
    #expect(registry.declaration(named: "flow.post")?.eventFromInput == "event")
  }

  @Test func `reports an empty event name before the run`() {
    #expect(registry.problems(with: LiteralInput(["event": ""]), of: "flow.post").map(\.keyPath) == ["event"])
    #expect(registry.problems(with: LiteralInput(["event": "a"]), of: "flow.post").isEmpty)
  }

  @Test func `logs a message at the given level`() async throws {
    let host = TestHost()
    _ = try await host.call(action("flow.log"), with: ["message": "one"])
    _ = try await host.call(action("flow.log"), with: ["message": "two", "level": "warning"])
    #expect(host.logLines == [.init("one"), .init(level: .warning, "two")])
  }

  @Test(arguments: ["flow.spin", "flow.block"])
  func `spins or blocks for at least the given time, even if the step is cancelled`(_ name: String) async throws {
    let host = TestHost()
    host.cancel()
    let start = ContinuousClock.now
    _ = try await host.call(action(name), with: ["for": "20ms"])
    #expect(ContinuousClock.now - start >= .milliseconds(20))
  }

  @Test func `refuses a duration without a unit`() async throws {
    await #expect(throws: TypeMismatch.self) { try await TestHost().call(action("flow.block"), with: ["for": 5]) }
  }
}
