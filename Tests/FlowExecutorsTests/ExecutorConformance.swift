import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import ShellPlugin
import BasicsPlugin
import TestSupport
import Testing

@testable import FlowExecutors
@testable import FlowPluginHost

/// Checks the requirements for every executor, no matter how its workers are started. The pool must have at least two
/// slots.
struct ExecutorConformance {
  let pool: WorkerPool
  /// A folder that all workers can access.
  let folder: String
  /// The resources that each step requests, or nil if steps request none.
  var request: MachineResources?

  static let registry = ActionRegistry([BasicsPlugin(), ShellPlugin()])

  static var needs: WorkerRequirements {
    WorkerRequirements(actions: registry.declarations.filter { $0.portabilityObstacle == nil }) { _ in
      "flowrun \(Release.version)"
    }
  }

  private func call(
    _ action: String, _ inputs: ValueObject, _ host: TestHost? = nil
  ) async throws -> ValueObject {
    let host = host ?? TestHost(dataFolder: folder, workflowFolder: folder)
    let declaration = try #require(Self.registry.declaration(named: action))
    return try await pool.run(declaration, inputs, taking: request, files: nil, host.context())
  }

  private func shell(_ command: String, _ host: TestHost? = nil) async throws -> ValueObject {
    try await call("shell.run", ["command": .string(command), "env": [:], "successStatuses": [0]], host)
  }

  /// Checks all requirements, one after another.
  func run() async throws {
    try await givesBackValues()
    try await givesBackNamedOutputs()
    try await failsAsHere()
    try await logsAsItComes()
    try await seesWhatIsStated()
    try await runsAsManyAsItHasSlots()
    try await endsWhatIsCancelled()
    try await carriesLargeOutputs()
    try await losesWhatItsWorkerLoses()
  }

  private func givesBackValues() async throws {
    let values: ValueObject = ["text": "ä\n\"x\"", "number": 3, "half": 0.5, "none": .null, "list": [1, true]]
    let outputs = try await call("flow.set", ["values": .object(values)])
    #expect(outputs == values)
    let output = try await shell("echo out; echo err >&2")
    #expect(output == ["status": 0, "stdout": "out", "stderr": "err\n"])
  }

  private func givesBackNamedOutputs() async throws {
    let outputs = try await call(
      "shell.run",
      [
        "command": #"echo count=3 >> "$FLOWRUN_OUTPUT"; printf 'notes<<END\none\ntwo\nEND\n' >> "$FLOWRUN_OUTPUT""#,
        "env": [:], "successStatuses": [0], "outputs": ["count": ["type": "integer"], "notes": ["type": "string"]],
      ])
    #expect(outputs["count"] == 3 && outputs["notes"] == "one\ntwo", "\(outputs)")
    await #expect {
      _ = try await call(
        "shell.run",
        [
          "command": "true", "env": [:], "successStatuses": [0], "outputs": ["count": ["type": "integer"]],
        ])
    } throws: { ($0 as? ActionError)?.code == "output-invalid" }
  }

  private func failsAsHere() async throws {
    await #expect {
      _ = try await shell("exit 3")
    } throws: { error in
      let error = error as? ActionError
      return error?.code == "command-failed" && error?.message.contains("exited with status 3") == true
        && error?.isRetryable == true
    }
    await #expect {
      _ = try await call("shell.run", ["command": [.string("no-such-program")], "env": [:], "successStatuses": [0]])
    } throws: { error in
      (error as? ActionError)?.code == "command-not-found" && (error as? ActionError)?.isRetryable == false
    }
  }

  private func logsAsItComes() async throws {
    let host = TestHost(dataFolder: folder, workflowFolder: folder)
    _ = try await shell("echo one; echo two >&2", host)
    #expect(Set(host.logLines) == [.init("one", from: .standardOutput), .init("two", from: .standardError)])
    let quiet = TestHost(dataFolder: folder, workflowFolder: folder)
    _ = try await call("flow.log", ["message": "said", "level": "warning"], quiet)
    #expect(quiet.logLines == [.init(level: .warning, "said")])
  }

  private func seesWhatIsStated() async throws {
    let host = TestHost(dataFolder: folder, workflowFolder: folder, environment: ["STATED": "yes and 'no'"])
    let output = try await shell(#"echo "$STATED/$FLOWRUN_STEP/$FLOWRUN_ATTEMPT/$FLOWRUN_KEY""#, host)
    let context = host.context()
    #expect(output["stdout"]?.stringValue == "yes and 'no'/\(context.stepID)/1/\(context.idempotencyKey)")
  }

  private func runsAsManyAsItHasSlots() async throws {
    // Each command waits up to a minute for the other one, so both must run at the same time.
    let met = "\(folder)/met-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: met, withIntermediateDirectories: true)
    let command = """
      date +%s.%N; : > \(met)/$$
      for i in $(seq 1200); do [ $(ls \(met) | wc -l) -gt 1 ] && break; sleep 0.05; done
      sleep 0.2; date +%s.%N
      """
    let peak = try await withThrowingTaskGroup(of: (Double, Double).self) { group in
      for _ in 0..<pool.slots * 2 {
        group.addTask {
          let text = try await shell(command)["stdout"]?.stringValue ?? ""
          let times = text.split(separator: "\n").compactMap { Double($0) }
          return (times[0], times[1])
        }
      }
      var spans: [(Double, Double)] = []
      for try await span in group { spans.append(span) }
      return spans.map { span in spans.count { $0.0 <= span.0 && span.0 < $0.1 } }.max() ?? 0
    }
    #expect(peak <= pool.slots)
    #expect(peak > 1)
  }

  private func endsWhatIsCancelled() async throws {
    let file = "\(folder)/cancelled-\(UUID().uuidString)"
    let task = Task { try await shell("echo $$ > \(file); sleep 600; echo on >> \(file)") }
    let process = try await content(of: file)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(within(seconds: 60) { !isAlive(process) })
  }

  private func carriesLargeOutputs() async throws {
    let output = try await shell("head -c 900000 /dev/zero | tr '\\0' x")
    #expect(output["stdout"]?.stringValue?.count == 900_000)
  }

  /// Checks that a step is lost if its command kills its parent, which is the worker.
  private func losesWhatItsWorkerLoses() async throws {
    let file = "\(folder)/lost-\(UUID().uuidString)"
    let task = Task { try await shell("echo $$ > \(file); kill -9 $PPID; sleep 600") }
    let process = try await content(of: file)
    await #expect(throws: ExecutorLost.self) { try await task.value }
    #expect(within(seconds: 60) { !isAlive(process) })
    // Another worker takes the place of the lost one.
    #expect(try await shell("echo again")["stdout"]?.stringValue == "again")
  }

  private func content(of file: String) async throws -> String {
    for _ in 0..<3000 {
      if let text = try? String(contentsOfFile: file, encoding: .utf8), text.hasSuffix("\n") {
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
      }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw ActionError("no-file", "'\(file)' was not written")
  }

  /// True if a process is running. Zombies do not count.
  private func isAlive(_ process: String) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
    return text.split(separator: ")").last?.hasPrefix(" Z") == false
  }
}
