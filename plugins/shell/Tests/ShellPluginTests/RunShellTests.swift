import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import TestSupport
import Testing

@testable import ShellPlugin

@Suite(.timeLimit(.minutes(10))) struct `Running a command` {
  let host = TestHost(workflowFolder: "/")

  private func run(_ command: Value, _ more: ValueObject = [:]) async throws -> ValueObject {
    var inputs = more
    inputs["command"] = command
    return try await host.call(RunShell.self, with: inputs)
  }

  private func failure(_ command: Value, _ more: ValueObject = [:]) async -> ActionError? {
    do {
      _ = try await run(command, more)
      return nil
    } catch {
      return error as? ActionError
    }
  }

  @Test func `returns standard output without its last line break, and standard error unchanged`() async throws {
    let texts = [
      ("yes\\n", "yes"), ("yes\\r\\n", "yes"), ("yes\\n\\n", "yes\n"), ("yes\\r", "yes\r"), ("\\n", ""),
      ("", ""), ("\\r\\n", ""), ("a\\r\\n\\n", "a\r\n"), ("\\n a", "\n a"),
    ]
    for (written, given) in texts {
      #expect(try await run(.string("printf '\(written)'"))["stdout"]?.stringValue == given, "\(written)")
    }
    #expect(try await run("echo a >&2")["stderr"]?.stringValue == "a\n")
  }

  @Test func `returns the exit status and both outputs separately`() async throws {
    #expect(
      try await run("printf 'one\\ntwo\\n'; printf three >&2") == [
        "status": 0, "stdout": "one\ntwo", "stderr": "three",
      ])
  }

  @Test func `lets the shell interpret a string, but not a list`() async throws {
    #expect(try await run("echo $((6 * 7))")["stdout"] == "42")
    #expect(try await run(["echo", "$((6 * 7))", "a  b"])["stdout"] == "$((6 * 7)) a  b")
  }

  @Test func `fails if the exit status is not 0, and quotes the last lines of output`() async {
    let error = await failure("for i in $(seq 22); do echo line $i >&2; done; exit 3")
    #expect(error?.code == "command-failed")
    #expect(error?.message.hasPrefix("exited with status 3: line 22 ('for i in $(seq 22); do ") == true)
    #expect(error?.message.contains("'):\n  line 3\n  line 4") == true)
    #expect(error?.message.hasSuffix("\n  line 22") == true)
    // Both outputs are quoted in their order of arrival.
    let folder = FileManager.default.temporaryDirectory.appending(path: "shell-\(UUID().uuidString)").path
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // The command continues when a line has been logged. A separate thread checks that, because the call blocks this
    // one.
    Thread.detachNewThread { [host] in
      for line in ["cause", "warning"] {
        within(seconds: 60) { host.logs.contains(line) }
        _ = FileManager.default.createFile(atPath: folder + "/" + line, contents: nil)
      }
    }
    func told(_ line: String) -> String { "until [ -e \(line) ]; do sleep 0.01; done" }
    let both = await failure(
      .string("echo cause; \(told("cause")); echo warning >&2; \(told("warning")); echo last; exit 1"),
      ["cwd": .string(folder)])
    #expect(both?.message.hasPrefix("exited with status 1: last ('echo cause; ") == true)
    #expect(both?.message.hasSuffix("'):\n  cause\n  warning\n  last") == true)
    #expect(
      await failure("echo only this; exit 1")?.message == "exited with status 1: only this ('echo only this; exit 1')")
    #expect(await failure("exit 1")?.message == "exited with status 1: 'exit 1'")
  }

  @Test func `succeeds if success-statuses contains the exit status`() async throws {
    #expect(try await run("exit 1", ["success-statuses": [0, 1]])["status"] == 1)
  }

  @Test func `reports the number of the signal that ended the command`() async {
    let error = await failure("kill -9 $$")
    #expect(error?.code == "command-killed" && error?.message.contains("signal 9") == true)
  }

  @Test func `replaces a variable without changing variables with similar names`() async throws {
    let outputs = try await run("env", ["env": ["PAT": "short", "PATH": "/bin:/usr/bin", "HOME": "/nowhere"]])
    let variables = try #require(outputs["stdout"]?.stringValue).split(separator: "\n").map { String($0) }
    for expected in ["PAT=short", "PATH=/bin:/usr/bin", "HOME=/nowhere"] {
      let name = expected.prefix { $0 != "=" } + "="
      #expect(variables.filter { $0.hasPrefix(name) } == [expected])
    }
    #expect(variables.count { $0.hasPrefix("FLOWRUN_PROCESS=") } == 1)
    let own = ProcessInfo.processInfo.environment.keys.filter { !$0.hasPrefix("_") && $0 != "PWD" }
    #expect(own.allSatisfy { name in variables.contains { $0.hasPrefix("\(name)=") } })
  }

  @Test func `merges the variables of the process, the step and the inputs in this order`() async throws {
    let host = TestHost(workflowFolder: "/", environment: ["STEP": "step", "BOTH": "step"])
    let outputs = try await host.call(
      RunShell.self,
      with: ["command": "echo $STEP $BOTH $NUMBER ${PATH:+path}", "env": ["BOTH": "input", "NUMBER": 5]])
    #expect(outputs["stdout"] == "step input 5 path")
  }

  @Test func `runs in the workflow's folder unless cwd is set, and fails if that folder is missing`() async throws {
    #expect(try await run("pwd")["stdout"] == "/")
    #expect(try await run("pwd", ["cwd": "usr"])["stdout"] == "/usr")
    let error = await failure("pwd", ["cwd": "/no/such/folder"])
    #expect(error?.code == "folder-missing" && error?.message.contains("/no/such/folder") == true)
  }

  #if os(Linux)
    @Test func `starts a command with default handling of signals that this process ignores or blocks`() async throws {
      let before = signal(SIGUSR2, SIG_IGN)
      defer { _ = signal(SIGUSR2, before) }
      // The kernel reports the signals that the child blocks and ignores as bits.
      let status = try await run("grep -E '^Sig(Blk|Ign):' /proc/self/status")["stdout"]?.stringValue ?? ""
      #expect(status.split(separator: "\n").count == 2)
      for line in status.split(separator: "\n") {
        let bits = UInt64(line.split(separator: "\t").last ?? "", radix: 16) ?? .max
        #expect(bits & 0x7FFF_FFFF == 0, "\(line)")
      }
    }
  #endif

  @Test func `provides an empty standard input`() async throws {
    #expect(try await run("cat; echo end")["stdout"] == "end")
  }

  @Test func `fails with command-not-found, without a retry, if the program does not exist`() async {
    let error = await failure(["no-such-program-anywhere"])
    #expect(error?.code == "command-not-found" && error?.isRetryable == false)
    #expect(await failure(["/no/such/program"])?.code == "command-not-found")
    #expect(await failure("no-such-program-anywhere")?.message.contains("status 127") == true)
  }

  @Test(arguments: ["", "  \n", "a\u{0}b", 7, [], ["a", 1], [""], ["a\u{0}b"], nil, ["a": "b"]] as [Value])
  func `refuses an invalid command before and during the run`(_ command: Value) async {
    if !command.isNull { #expect(await failure(command)?.code == "command-invalid") }
    #expect(RunShell.check(LiteralInput(["command": command])).map(\.keyPath) == ["command"])
  }

  @Test func `refuses a variable with an invalid name or value before and during the run`() async {
    let env: ValueObject = ["A=B": "x", "C": [1], "D": "a\u{0}", "FINE": true]
    #expect(RunShell.check(LiteralInput(["env": .object(env)])).map(\.keyPath) == ["env.A=B", "env.C", "env.D"])
    #expect(await failure("true", ["env": .object(env)])?.code == "command-invalid")
  }

  @Test func `refuses a null character in the step's environment and folder`()
    async
  {
    let host = TestHost(workflowFolder: "/", environment: ["FILE": "a\u{0}b"])
    let error = await #expect(throws: ActionError.self) {
      _ = try await host.call(RunShell.self, with: ["command": "true"])
    }
    #expect(error?.code == "command-invalid" && error?.message.contains("'FILE'") == true)
    #expect(await failure("pwd", ["cwd": "/usr\u{0}/x"])?.code == "command-invalid")
  }

  @Test func `keeps an output of 1 MiB, or the first and last 512 KiB of a larger one`()
    async throws
  {
    let edge = Limits.usualCommandOutputBytes
    let whole = try await run(.string("head -c \(edge) /dev/zero | tr '\\0' x"))["stdout"]?.stringValue
    #expect(whole == String(repeating: "x", count: edge))
    let script = "printf 'first '; head -c 3000000 /dev/zero | tr '\\0' x; printf ' last'; echo end >&2"
    let outputs = try await run(.string(script))
    let text = try #require(outputs["stdout"]?.stringValue)
    let left = 3_000_011 - edge
    #expect(text.hasPrefix("first xxx") && text.hasSuffix("xxx last"))
    #expect(text.contains("x\n[flowrun: \(left) bytes left out]\nx"))
    #expect(text.utf8.count == edge + "\n[flowrun: \(left) bytes left out]\n".utf8.count)
    #expect(outputs["stderr"] == "end\n")
  }

  @Test func `does not split a character when it truncates an output`() async throws {
    // Each character has three bytes, so both cuts would be inside a character.
    let outputs = try await run("yes 界 | head -n 400000 | tr -d '\\n'")
    let text = try #require(outputs["stdout"]?.stringValue)
    #expect(!text.contains("\u{FFFD}"))
    let missing = try #require(Int(text.firstMatch(of: /flowrun: (\d+) bytes/)?.1 ?? ""))
    let kept = text.count { $0 == "界" }
    #expect(kept * 3 + missing == 1_200_000)
  }

  @Test func `logs every line as it arrives, with the name of its stream`() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "shell-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let wait = "until [ -e \(path) ]; do sleep 0.01; done"
    let command = "echo one; printf two >&2; printf 'thr'; \(wait); echo ee; sleep 0.05; printf four"
    async let outputs = run(.string(command))
    while host.logLines.isEmpty, !Task.isCancelled { await Task.yield() }
    #expect(host.logLines == [.init("one", from: .standardOutput)])
    try Data().write(to: URL(fileURLWithPath: path))
    _ = try await outputs
    #expect(
      host.logLines == [
        .init("one", from: .standardOutput), .init("three", from: .standardOutput),
        .init("four", from: .standardOutput), .init("two", from: .standardError),
      ])
  }

  /// Returns the last state of an overwritten line. The earlier states are logged too, so that the run can hide secrets
  /// in them.
  private static func lastState(of line: String) -> String { line.split(separator: "\r").last.map(String.init) ?? "" }

  @Test func `logs all states of an overwritten line`() async throws {
    _ = try await run("printf '10%%\\r50%%\\r100%%\\r\\nwindows\\r\\n'")
    #expect(host.logs == ["10%\r50%\r100%", "windows"])
  }

  @Test func `shows an incomplete line immediately, and logs it once it is complete`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "shell-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    Thread.detachNewThread { [host] in
      for line in ["Name? ", "10%", "50%"] {
        within(seconds: 60) { host.unfinishedLines.contains { Self.lastState(of: $0.message) == line } }
        _ = FileManager.default.createFile(atPath: folder + "/" + line.filter { $0 != "?" && $0 != " " }, contents: nil)
      }
    }
    _ = try await run(
      """
      shown() { until [ -e "$1" ]; do sleep 0.01; done; }
      printf 'Name? ' >&2; shown Name; printf '10%%\\r'; shown 10%; printf '50%%\\r'; shown 50%; echo done
      """, ["cwd": .string(folder)])
    #expect(
      host.logLines == [.init("10%\r50%\rdone", from: .standardOutput), .init("Name? ", from: .standardError)])
    #expect(host.unfinishedLines.contains(.init("10%\r50%", from: .standardOutput)))
  }

  @Test func `does not deadlock if a command writes a lot to both outputs`() async throws {
    let outputs = try await run("head -c 400000 /dev/zero | tr '\\0' a >&2; head -c 400000 /dev/zero | tr '\\0' b")
    #expect(outputs["stdout"]?.stringValue?.utf8.count == 400_000)
    #expect(outputs["stderr"]?.stringValue?.utf8.count == 400_000)
  }

  @Test func `replaces invalid UTF-8 in an output`() async throws {
    #expect(try await run("printf 'a\\377b'")["stdout"] == "a\u{FFFD}b")
  }

  @Test func `ends all processes of the group on cancellation, even those that ignore SIGTERM`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "shell-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // A separate thread is needed, because the call blocks this one until the command has ended.
    Thread.detachNewThread { [host] in
      within(seconds: 60) { Self.processes(in: folder).count >= 2 }
      host.cancel()
      // The files may exist before the action has registered for cancellation.
      within(seconds: 60) { host.sleeperCount > 0 }
      host.advance(by: StopPolicy().within)
    }
    await #expect(throws: CancellationError.self) {
      try await run(
        "trap '' TERM; (sleep 600 & echo $! > c; echo $$ > a; wait) & wait; wait; sleep 600",
        ["cwd": .string(folder)])
    }
    let processes = Self.processes(in: folder)
    #expect(processes.count == 2)
    for process in processes { #expect(await isGone(process), "process \(process) outlived its step") }
  }

  @Test func `kills a command after the grace period if it ignores the signal, and logs the kill`()
    async throws
  {
    let mark = FileManager.default.temporaryDirectory.appending(path: "shell-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: mark) }
    Thread.detachNewThread { [host] in
      within(seconds: 60) { FileManager.default.fileExists(atPath: mark) }
      host.cancel()
      within(seconds: 60) { host.sleeperCount > 0 && FileManager.default.fileExists(atPath: mark + "-asked") }
      host.advance(by: .seconds(7))
    }
    defer { try? FileManager.default.removeItem(atPath: mark + "-asked") }
    await #expect(throws: CancellationError.self) {
      try await run(
        .string("trap 'touch \(mark)-asked' INT; touch \(mark); while :; do sleep 0.01; done"),
        ["stop": ["signal": "INT", "within": "7s"]])
    }
    #expect(host.logs.contains { $0.hasSuffix("had not ended 7s after SIGINT and was killed") }, "\(host.logs)")
  }

  /// Returns the process numbers that the command has written to files.
  private static func processes(in folder: String) -> [pid_t] {
    ["a", "c"].compactMap { name in
      (try? String(contentsOfFile: folder + "/" + name, encoding: .utf8)).flatMap {
        ListedProcess.number($0)
      }
    }
  }

  @Test func `does not wait for the rest of the grace period if the command ends earlier`() async throws {
    let mark = FileManager.default.temporaryDirectory.appending(path: "shell-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: mark) }
    Thread.detachNewThread { [host] in
      within(seconds: 60) { FileManager.default.fileExists(atPath: mark) }
      host.cancel()
    }
    await #expect(throws: CancellationError.self) {
      try await run(.string("trap 'exit 0' TERM; touch \(mark); sleep 600 & wait"))
    }
  }

  @Test func `searches for the program in the PATH set by env`() async throws {
    #expect(try await run(["true"], ["env": ["PATH": "/nowhere:/bin:/usr/bin"]])["status"] == 0)
    #expect(await failure(["true"], ["env": ["PATH": "/nowhere"]])?.code == "command-not-found")
  }

  @Test func `ends background processes of a command when it ends, and warns about them`() async throws {
    let outputs = try await run("sleep 600 > /dev/null 2>&1 & echo $!")
    let pid = try #require(ListedProcess.number(outputs["stdout"]?.stringValue ?? ""))
    #expect(await isGone(pid))
    #expect(host.logLines.last?.level == .warning)
  }

  @Test func `does not end a process that leaves its group shortly after the command has ended`() async throws {
    let number = FileManager.default.temporaryDirectory.appending(path: "shell-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: number) }
    // The process starts a new session some time after the command has ended.
    _ = try await run(
      .string("(sleep 0.1; exec setsid sh -c 'echo $$ >\(number); exec sleep 600') >/dev/null 2>&1 &"))
    var found: Int32?
    within(seconds: 30) {
      found = (try? String(contentsOfFile: number, encoding: .utf8)).flatMap { ListedProcess.number($0) }
      return found.flatMap(ListedProcess.program) == "sleep"
    }
    let process = try #require(found)
    #expect(ListedProcess.program(of: process) == "sleep")
    kill(process, SIGKILL)
  }

  @Test func `sends SIGTERM before SIGKILL to processes that outlive the command`() async throws {
    let mark = FileManager.default.temporaryDirectory.appending(path: "shell-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: mark) }
    _ = try await run(
      .string("sh -c 'trap \"touch \(mark); exit\" TERM; while :; do sleep 0.01; done' >/dev/null 2>&1 &"))
    #expect(FileManager.default.fileExists(atPath: mark))
  }

  @Test func `does not wait for a background process that keeps writing`() async throws {
    #expect(try await run("yes & echo done >&2")["stderr"] == "done\n")
    #expect(try await run("timeout 600 yes >&2 & echo done")["stdout"] == "done")
  }

  @Test func `does not wait for a background process that keeps the output open`() async throws {
    #expect(try await run("sleep 600 & echo done")["stdout"] == "done")
    #expect(host.logLines.last?.level == .warning)
  }

  #if os(Linux)
    @Test func `leaves no descriptors open, however a command ends`() async throws {
      _ = try await run("true")
      let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      for _ in 0..<20 {
        _ = try await run("true")
        _ = await failure("exit 1")
        _ = await failure(["no-such-program-anywhere"])
        _ = try await run("head -c 1048577 /dev/zero")
      }
      // Other tests run at the same time. A leak of one descriptor per command would add at least 80.
      #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count < before + 40)
    }
  #endif

  @Test func `passes a script as an argument after -c, and otherwise as a file`() async throws {
    #expect(try await run("echo $0; false; true", ["shell": "sh -c {0}"])["stdout"] == "sh")
    #expect(await failure("false; true", ["shell": "sh"])?.code == "command-failed")
    #expect(await failure("false | true", ["shell": "bash"])?.code == "command-failed")
    let path = try #require(try await run("echo $0", ["shell": "sh -e {0}"])["stdout"]?.stringValue)
    #expect(path.contains("/flowrun-") && !FileManager.default.fileExists(atPath: path))
    #expect(try await run("print(6 * 7)", ["shell": "python"])["stdout"] == "42")
    #expect(try await run(["echo", "a b"], ["shell": "sh"])["stdout"] == "a b")
    for shell in ["zsh", "{0}", "", "sh {0} {0}"] {
      #expect(RunShell.check(LiteralInput(["command": "true", "shell": .string(shell)])).map(\.keyPath) == ["shell"])
    }
  }

  @Test func `does not start a command if the step has already been cancelled`() async {
    host.cancel()
    await #expect(throws: CancellationError.self) { try await run(["/no/such/program"]) }
  }

  /// Waits up to 30 s until the process has ended, and returns false if it has not. A process whose status its parent
  /// has not read counts as ended.
  private func isGone(_ pid: pid_t) async -> Bool {
    // The limit is much longer than necessary.
    let limit = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < limit {
      if kill(pid, 0) != 0 { return true }
      if let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8), status.contains(") Z") {
        return true
      }
      await Task.yield()
    }
    return false
  }
}
