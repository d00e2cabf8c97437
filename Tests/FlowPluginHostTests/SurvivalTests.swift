import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowTestKit
import Foundation
import Testing

/// The faults of a plugin's program that the host must survive. `Children/hostile.py` has an action or a mode for each.
@Suite(.timeLimit(.minutes(10)))
struct SurvivalTests {
  @Test
  func `if a plugin dies, its step fails with the exit status and log, and the next call restarts the plugin`()
    async throws
  {
    let child = try HostileChild()
    let error = await child.failure(of: "die")
    #expect(error?.code == "plugin-exited")
    #expect(
      error?.message.hasPrefix(
        "the program of the plugin 'hostile' ended with exit status 7 before it answered; its log ends with:\n  line 10"
      )
        ?? false)
    #expect(error?.message.hasSuffix("line 29 before the end") ?? false)
    #expect(try await child.call("echo", ["text": "again"]) == ["text": "again"])
    let signal = await child.failure(of: "die-by-signal")
    #expect(signal?.message == "the program of the plugin 'hostile' was ended by signal 11 before it answered")
    await child.close()
  }

  @Test func `if a plugin dies at its start, every call fails with the reason`() async throws {
    let child = try HostileChild(mode: "dies-at-start")
    for _ in 1...2 {
      let error = await child.failure(of: "echo")
      #expect(
        error?.message
          == "it was started 3 times in a row without finishing a call; the last time the program of the plugin 'hostile' "
          + "ended with exit status 4 before it answered; its log ends with:\n  "
          + "cannot find its data")
    }
    await child.close()
  }

  @Test func `if the program of a plugin is missing, the error gives the path of the plugin's manifest`() async throws {
    let child = try HostileChild(command: ["no-such-program"])
    let error = await child.failure(of: "echo")
    #expect(error?.code == "plugin-start")
    #expect(
      error?.message
        == "cannot start 'no-such-program': No such file or directory, the program of the plugin 'hostile' "
        + "(\(HostileChild.folder)/plugin.yaml)")
    #expect(error?.isRetryable == false)
    await child.close()
  }

  @Test func `a plugin that never answers initialize is terminated`() async throws {
    var limits = HostileChild.shortLimits
    limits.start = .milliseconds(150)
    let child = try HostileChild(mode: "silent", limits: limits)
    let error = await child.failure(of: "echo")
    #expect(error?.message == "the program of the plugin 'hostile' did not answer 'initialize' within 150ms")
    await child.close()
  }

  @Test(arguments: [
    ("other-version", "states the version \"9.9.9\", its manifest \"1.0.0\""),
    ("fewer-actions", "does not list the action 'hostile.thread', which its manifest declares"),
  ])
  func `a plugin that contradicts its manifest is refused`(mode: String, problem: String) async throws {
    let child = try HostileChild(mode: mode)
    let error = await child.failure(of: "echo")
    #expect(error?.code == "plugin-disagrees")
    #expect(error?.message.contains(problem) ?? false, "\(error?.message ?? "")")
    await child.close()
  }

  @Test(arguments: ["hang", "hang-all"])
  func `a plugin that ignores cancel is killed after the grace period, and the next call restarts it`(
    action: String
  ) async throws {
    let child = try HostileChild()
    let run = TestHost()
    let call = Task { await child.failure(of: action, in: run) }
    await logged("hanging", in: run)
    run.cancel()
    let error = await call.value
    #expect(
      error?.message
        == "the program of the plugin 'hostile' was ended because it did not stop the cancelled call of step 'step' "
        + "within 100ms")
    #expect(try await child.call("echo", ["text": "again"]) == ["text": "again"])
    await child.close()
  }

  @Test func `a plugin's stray answers are dropped with a warning, and a flood of them ends it`() async throws {
    let child = try HostileChild()
    #expect(try await child.call("answer-twice") == ["text": "first"])
    let run = TestHost()
    #expect(try await child.call("strays", ["count": 50], in: run) == ["text": "done"])
    #expect(run.logLines.first?.level == .warning)
    #expect(run.logs.contains("the plugin 'hostile' answered the call 1000000000, which is not waiting for an answer"))
    let error = await child.failure(of: "strays", ["count": 200])
    #expect(error?.message == "the plugin 'hostile' sent 101 messages that do not belong to any call")
    await child.close()
  }

  @Test(arguments: [
    ("hello", "which is not JSON (column 1: expected a value, found 'h')"),
    ("[1, 2]", "which is not a JSON object"),
    ("{}", "which has neither a 'method' nor a number 'id'"),
    (#"{"id": 1}"#, "which has an 'id' but neither 'result' nor 'error'"),
    (#"{"id": 1, "result": 1, "error": {}}"#, "which has both 'result' and 'error'"),
    (#"{"method": "post", "params": {}}"#, "a 'post' without a string 'event'"),
  ])
  func `an invalid line of a plugin on standard output fails the call and is quoted`(line: String, problem: String)
    async throws
  {
    let child = try HostileChild()
    let error = await child.failure(of: "garbage", ["text": .string(line)])
    #expect(error?.code == "plugin-protocol")
    #expect(
      error?.message
        == "the plugin 'hostile' wrote a line on its standard output \(problem): \"\(line)\"; standard output carries only "
        + "protocol messages, write everything else to standard error")
    #expect(try await child.call("echo", ["text": "again"]) == ["text": "again"])
    await child.close()
  }

  @Test func `an incomplete line is quoted if the plugin dies while writing it`() async throws {
    let child = try HostileChild()
    let error = await child.failure(of: "half-line")
    #expect(
      error?.message
        == "the program of the plugin 'hostile' ended with exit status 0 before it answered; it had begun the line "
        + #"{"jsonrpc": "2.0", "#)
    await child.close()
  }

  @Test func `a line of 100 MB from a plugin is refused at 16 MiB, and one just below is accepted`() async throws {
    let child = try HostileChild()
    let error = await child.failure(of: "long-line", ["megabytes": 100])
    #expect(error?.code == "plugin-protocol")
    #expect(error?.message.contains("wrote a line of more than 16 MiB on its standard output") ?? false)
    let frame = #"{"jsonrpc": "2.0", "id": 1, "result": {"outputs": {"text": ""}}}"#.utf8.count
    let longest = (16 << 20) - frame
    let outputs = try await child.call("long-text", ["bytes": .integer(longest)])
    #expect(outputs["text"]?.stringValue?.utf8.count == longest)
    let over = await child.failure(of: "long-text", ["bytes": .integer(longest + 1)])
    #expect(over?.code == "plugin-protocol")
    await child.close()
  }

  @Test func `inputs of more than 16 MiB are refused before they are sent to a plugin`() async throws {
    let child = try HostileChild()
    let error = await child.failure(of: "echo", ["text": .string(String(repeating: "x", count: 16 << 20))])
    #expect(error?.code == "plugin-input")
    let text = String(repeating: "x", count: 15 << 20)
    #expect(try await child.call("echo", ["text": .string(text)]) == ["text": .string(text)])
    await child.close()
  }

  @Test func `processes started by a plugin end with it`() async throws {
    let child = try HostileChild()
    let error = await child.failure(of: "fork-and-die")
    #expect(error?.message.contains("ended with exit status 3") ?? false, "\(error?.message ?? "")")
    let number = try #require(error?.message.split(separator: " ").last.flatMap { Int($0) })
    await ended(number)
    await child.close()
  }

  @Test func `orphaned descendants of a plugin end with the run`() async throws {
    let child = try HostileChild()
    let number = try #require(Int(try await child.call("fork-and-answer")["text"]?.stringValue ?? ""))
    #expect(HostileChild.isRunning(number))
    await child.close()
    await ended(number)
  }

  @Test func `a plugin that ignores the end of its run is killed after the grace period`() async throws {
    let child = try HostileChild(mode: "deaf")
    _ = try await child.call("echo")
    let start = ContinuousClock.now
    await child.close()
    #expect(ContinuousClock.now - start >= .milliseconds(100))
    #expect(await child.failure(of: "echo")?.message == "the plugin 'hostile' has been stopped")
  }

  @Test(arguments: [
    (#"{"outputs": {"text": 5}}"#, "'text': expected a string, found 5"),
    (#"{"outputs": {}}"#, "expected the key 'text' (a string), found no such key"),
    (#"{"outputs": {"text": "a", "more": 1}}"#, "the unknown key 'more'"),
    (#"{"outputs": [1]}"#, "gave outputs that are a list of 1, not an object"),
    (#"{"text": "a"}"#, "not an object with 'outputs'"),
    ("17", "answered 17, not an object with 'outputs'"),
  ])
  func `undeclared or invalid outputs of a plugin fail the step`(result: String, problem: String) async throws {
    let child = try HostileChild()
    let error = await child.failure(of: "lie", ["text": .string(result)])
    #expect(error?.code == "plugin-output")
    #expect(error?.message.contains(problem) ?? false, "\(error?.message ?? "")")
    #expect(error?.isRetryable == false)
    await child.close()
  }

  @Test func `a plugin's error keeps its code, its message and its retry flag`() async throws {
    let child = try HostileChild()
    let cases: [(String, ActionError)] = [
      (
        #"{"code": "gone", "message": "no such feed"}"#, ActionError("gone", "no such feed", isRetryable: false)
      ),
      (#"{"code": "busy", "message": "wait"}"#, ActionError("busy", "wait", isRetryable: true)),
      (
        #"{"code": -32000, "message": "m", "data": {"retryable": true, "retryAfterMilliseconds": 1500}}"#,
        ActionError("error-32000", "m", isRetryable: true, retryAfter: .milliseconds(1500))
      ),
      ("{}", ActionError("plugin-error", "the plugin sent no message", isRetryable: false)),
    ]
    for (text, expected) in cases {
      #expect(await child.failure(of: "fail", ["text": .string(text)]) == expected)
    }
    await child.close()
  }

  @Test func `a plugin may post a declared event, but an undeclared one fails the step`() async throws {
    let child = try HostileChild()
    let run = TestHost()
    #expect(try await child.call("post", ["text": "hostile.declared"], in: run) == ["text": "posted"])
    #expect(run.posts == ["hostile.declared"])
    let error = await child.failure(of: "post", ["text": "app.opened"], in: run)
    #expect(
      error?.message
        == "'hostile.post' posted the event 'app.opened', which its manifest does not declare; it declares "
        + "'hostile.declared'")
    #expect(run.posts == ["hostile.declared"])
    await child.close()
  }

  @Test func `a plugin that closes its standard input is replaced at the next call`() async throws {
    let child = try HostileChild()
    #expect(try await child.call("close-input") == ["text": "deaf"])
    #expect(try await child.call("echo", ["text": "again"]) == ["text": "again"])
    await child.close()
  }

  @Test func `a plugin that closes its standard output is terminated`() async throws {
    let child = try HostileChild()
    let error = await child.failure(of: "close-output")
    #expect(error?.message.contains("closed its standard output before it answered") ?? false)
    #expect(try await child.call("echo", ["text": "again"]) == ["text": "again"])
    await child.close()
  }

  @Test func `a plugin that exits after each answer still answers every call`() async throws {
    let child = try HostileChild()
    var numbers: Set<String> = []
    for _ in 1...20 {
      numbers.insert(try #require(try await child.call("exit-after")["text"]?.stringValue))
    }
    #expect(numbers.count == 20)
    await child.close()
  }

  @Test func `a plugin that ends three times before it reads a call is not restarted for that call`() async throws {
    let child = try HostileChild(mode: "leaves-after-start")
    let error = await child.failure(of: "echo")
    #expect(error?.code == "plugin-exited")
    #expect(
      error?.message
        == "it was started 3 times in a row without finishing a call; the last time the program of the plugin 'hostile' "
        + "ended with exit status 0 before it answered")
    await child.close()
  }

  @Test func `if a plugin exits after its start, all waiting calls fail`() async throws {
    let child = try HostileChild(mode: "leaves-after-start")
    let codes = await withTaskGroup(of: String?.self) { group in
      for _ in 1...16 { group.addTask { await child.failure(of: "echo")?.code } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes == Array(repeating: "plugin-exited", count: 16))
    await child.close()
  }

  @Test func `a plugin that stops reading is terminated when its queued input exceeds the limit`() async throws {
    var limits = HostileChild.shortLimits
    limits.waitingInputBytes = 4 << 20
    let child = try HostileChild(limits: limits)
    #expect(try await child.call("stop-reading") == ["text": "stopped"])
    let text = Value.string(String(repeating: "x", count: 1 << 20))
    let codes = await withTaskGroup(of: String?.self) { group in
      for _ in 1...8 { group.addTask { await child.failure(of: "echo", ["text": text])?.code } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    // Calls made after the end of the program were sent to its replacement.
    #expect(codes.filter { $0 == "plugin-stuck" }.count >= 4, "\(codes)")
    #expect(codes.allSatisfy { $0 == "plugin-stuck" || $0 == "no-error" }, "\(codes)")
    #expect(try await child.call("echo", ["text": "again"]) == ["text": "again"])
    await child.close()
  }

  @Test func `input that a blocked plugin did not read is sent to its replacement process`() async throws {
    let child = try HostileChild()
    let stuck = TestHost()
    let hanging = Task { await child.failure(of: "hang-all", in: stuck) }
    await logged("hanging", in: stuck)
    let text = Value.string(String(repeating: "x", count: 1 << 20))
    let waiting = Task { try await child.call("echo", ["text": text]) }
    stuck.cancel()
    #expect(await hanging.value?.code == "plugin-ended")
    #expect(try await waiting.value == ["text": text])
    await child.close()
  }

  @Test func `1,000 concurrent calls to a plugin each receive their own answer`() async throws {
    let child = try HostileChild()
    try await withThrowingTaskGroup(of: (String, ValueObject).self) { group in
      for number in 1...1000 {
        group.addTask {
          let text = "call \(number)"
          return (text, try await child.call("hold", ["text": .string(text), "count": 1000]))
        }
      }
      for try await (text, outputs) in group { #expect(outputs == ["text": .string(text)]) }
    }
    await child.close()
  }

  @Test func `a slow call to a plugin does not delay quick ones`() async throws {
    let child = try HostileChild()
    _ = try await child.call("echo")
    // The slow call ends only after the quick ones, which would otherwise wait forever.
    let slow = Task { try await child.call("hold", ["text": "slow", "count": 2]) }
    for _ in 1...50 { _ = try await child.call("echo") }
    _ = try await child.call("hold", ["text": "last", "count": 2])
    #expect(try await slow.value == ["text": "slow"])
    await child.close()
  }

  @Test func `a plugin's service reports that it is ready, runs alongside calls and stops when cancelled`() async throws
  {
    // This test uses the default grace period, because a busy machine may exceed the short one of other tests.
    let child = try HostileChild(limits: PluginLimits())
    let run = TestHost()
    let service = Task { try await child.call("service", in: run) }
    #expect(await run.readied() == ["text": "ready"])
    #expect(try await child.call("echo", ["text": "beside"]) == ["text": "beside"])
    run.cancel()
    #expect(try await service.value == ["text": "stopped"])
    await child.close()
  }

  @Test func `a plugin's log messages, lines on standard error and progress arrive before the step ends`() async throws
  {
    let child = try HostileChild()
    for round in 1...20 {
      let run = TestHost()
      #expect(try await child.call("log", ["text": .string("\(round)")], in: run) == ["text": "logged"])
      #expect(
        Set(run.logLines) == [
          .init(level: .warning, "\(round)"), .init("on standard error: \(round)", from: .standardError),
        ])
      #expect(run.progressFractions == [0.5])
    }
    await child.close()
  }

  @Test func `a plugin's incomplete line is shown immediately and logged once it is complete`() async throws {
    let child = try HostileChild()
    let run = TestHost()
    let inputs: ValueObject = ["text": "10 %\r20 %", "seconds": 5]
    #expect(try await child.call("log-slowly", inputs, in: run) == ["text": "logged"])
    // The overwritten part is kept in order to find secrets in it. It is removed before the line is shown.
    #expect(run.unfinishedLines == [.init("10 %\r20 %", from: .standardError)])
    #expect(run.logLines == [.init("10 %\r20 %", from: .standardError)])
    let long = TestHost()
    let text = Value.string(String(repeating: "x", count: 5000))
    #expect(try await child.call("log-slowly", ["text": text, "seconds": 0.2], in: long) == ["text": "logged"])
    #expect(long.unfinishedLines.isEmpty && long.logLines.map(\.message.utf8.count) == [5000])
    await child.close()
  }

  @Test func `if a plugin runs two steps, its standard error is logged as the plugin's own output`() async throws {
    let child = try HostileChild()
    let first = TestHost()
    let service = Task { try await child.call("service", in: first) }
    _ = await first.readied()
    let second = TestHost()
    #expect(try await child.call("log", ["text": "second"], in: second) == ["text": "logged"])
    #expect(second.logLines == [.init(level: .warning, "second")])
    #expect(first.logLines == [.init("hostile: on standard error: second", from: .standardError)])
    first.cancel()
    _ = try? await service.value
    await child.close()
  }

  private func logged(_ line: String, in run: TestHost) async {
    while !run.logs.contains(line), !Task.isCancelled { await Task.yield() }
  }

  /// Waits until a process has ended. The suite's time limit ends the wait.
  private func ended(_ number: Int) async {
    while HostileChild.isRunning(number), !Task.isCancelled { await Task.yield() }
  }
}
