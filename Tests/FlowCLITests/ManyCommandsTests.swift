import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(20)), .serialized) struct ManyCommandsTests {
  private let tool: CommandLineTool

  init() throws { tool = try CommandLineTool() }

  /// Writes a workflow whose commands print `up` with flowrun's process id and `more`, and then wait for a line from a
  /// pipe. Returns the path of the pipe.
  private func writeWaiting(_ count: Int, _ more: String = "") throws -> String {
    let gate = tool.folder.appendingPathComponent("gate").path
    #expect(mkfifo(gate, 0o600) == 0)
    var text = "name: many\nsteps:\n"
    for step in 0..<count { text += "  s\(step): { run: 'echo up $PPID\(more); read line < gate; echo down' }\n" }
    try tool.write(text, to: "many.yaml")
    return gate
  }

  private func open(_ gate: String, for count: Int) -> CInt {
    let file = Foundation.open(gate, O_RDWR)
    _ = Array(String(repeating: "\n", count: count).utf8).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    return file
  }

  @Test func `300 concurrent commands share a few threads while they wait`() throws {
    defer { tool.remove() }
    let gate = try writeWaiting(300)
    let process = try FlowrunProcess(["run", "many.yaml"], in: tool.folder.path)
    within(seconds: 300) { process.outputSoFar.components(separatedBy: "up ").count == 301 }
    let output = process.outputSoFar
    #expect(output.components(separatedBy: "up ").count == 301)
    #if os(Linux)
      let number = try #require(output.components(separatedBy: "up ").last?.prefix { $0.isNumber })
      // Idle threads end only after a while.
      var threads = 300
      within(seconds: 60) {
        threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(number)/task").count) ?? 300
        return threads <= 40
      }
      #expect(threads <= 40)
    #endif
    let file = open(gate, for: 300)
    let result = process.result(limitSeconds: 300)
    close(file)
    #expect(result.exitCode == 0 && result.output.contains("300 succeeded"), "\(result.output.suffix(1000))")
    #expect(!result.output.contains("waited for a thread"))
  }

  @Test func `exit statuses of many short commands are neither lost nor mixed up`() throws {
    defer { tool.remove() }
    var text = "name: short\nsteps:\n"
    for step in 0..<400 {
      let status = step % 250 + 1
      text += "  s\(step): { uses: shell.run, with: { command: 'exit \(status)', success-statuses: [\(status)] } }\n"
    }
    try tool.write(text, to: "short.yaml")
    let output = try tool.run("short.yaml").standardOutput
    #expect(output.contains("400 succeeded"), "\(output.suffix(1000))")
  }

  @Test func `commands that wait without a thread end when flowrun is killed`() throws {
    defer { tool.remove() }
    let gate = try writeWaiting(50, ",$$,")
    let process = try FlowrunProcess(["run", "many.yaml"], in: tool.folder.path)
    within(seconds: 300) { process.outputSoFar.components(separatedBy: "up ").count == 51 }
    let numbers = process.outputSoFar.components(separatedBy: "\n").compactMap { line in
      line.contains("up ") ? line.split(separator: ",").dropFirst().first.flatMap { pid_t($0) } : nil
    }
    #expect(numbers.count == 50)
    process.send(SIGKILL)
    #expect(process.result().exitCode == 128 + SIGKILL)
    #expect(within(seconds: 60) { numbers.allSatisfy { kill($0, 0) != 0 || isZombie($0) } })
    unlink(gate)
  }

  private func isZombie(_ process: pid_t) -> Bool {
    (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8))?.contains(") Z ") ?? false
  }

  #if os(Linux)
    @Test func `100 services run on a few threads, before and after they are ready`() throws {
      defer { tool.remove() }
      var text = "name: many\nkeep: services\nsteps:\n"
      for step in 0..<100 {
        let condition = step % 2 == 0 ? ", ready-when: { run: test -e go, every: 1s, within: 9m }" : ""
        text += "  s\(step): { service: true, run: 'echo up $PPID; exec sleep 600'\(condition) }\n"
      }
      try tool.write(text, to: "many.yaml")
      let process = try FlowrunProcess(["run", "many.yaml"], in: tool.folder.path)
      within(seconds: 300) { process.outputSoFar.components(separatedBy: "up ").count == 101 }
      let output = process.outputSoFar
      let number = try #require(output.components(separatedBy: "up ").last?.prefix { $0.isNumber })
      func threads() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(number)/task").count) ?? 0
      }
      // Idle threads end only after a while.
      #expect(within(seconds: 60) { threads() <= 40 })
      try tool.write("", to: "go")
      #expect(within(seconds: 120) { process.outputSoFar.components(separatedBy: " ready in ").count == 101 })
      #expect(within(seconds: 60) { threads() <= 40 })
      process.send(SIGINT)
      let result = process.result(limitSeconds: 300)
      #expect(result.exitCode == 0 && result.output.contains("100 succeeded"), "\(result.output.suffix(1000))")
    }

    @Test func `100 concurrent commands that flow.on calls share a few threads while they wait`() throws {
      defer { tool.remove() }
      let gate = tool.folder.appendingPathComponent("gate").path
      #expect(mkfifo(gate, 0o600) == 0)
      var text = "name: many\nevents: { tick: { repeats: true } }\nsteps:\n"
      let call = "action: shell.run, with: { command: 'echo up $PPID; read line < gate; echo down' }, timeout: 9m"
      for step in 0..<100 { text += "  on\(step): { uses: flow.on, with: { event: tick, \(call) } }\n" }
      text += "  post: { uses: flow.post, with: { event: tick } }\n"
      text += "  look: { needs: post, run: 'until test -e go; do sleep 0.1; done' }\n"
      try tool.write(text, to: "many.yaml")
      let process = try FlowrunProcess(["run", "many.yaml"], in: tool.folder.path)
      within(seconds: 300) { process.outputSoFar.components(separatedBy: "up ").count == 101 }
      let output = process.outputSoFar
      let number = try #require(output.components(separatedBy: "up ").last?.prefix { $0.isNumber })
      within(seconds: 60) {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(number)/task").count) ?? 100 <= 40
      }
      let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(number)/task").count) ?? 100
      #expect(threads <= 40)
      let file = open(gate, for: 100)
      #expect(within(seconds: 120) { process.outputSoFar.components(separatedBy: ": down").count == 101 })
      try tool.write("", to: "go")
      let result = process.result(limitSeconds: 300)
      close(file)
      #expect(result.exitCode == 0, "\(result.output.suffix(1000))")
    }

    @Test func `300 commands with child processes are cancelled on a few threads`() throws {
      defer { tool.remove() }
      var text = "name: many\nsteps:\n"
      for step in 0..<300 { text += "  s\(step): { run: 'echo up $PPID; sleep 600; :' }\n" }
      try tool.write(text, to: "many.yaml")
      let process = try FlowrunProcess(["run", "many.yaml"], in: tool.folder.path)
      within(seconds: 300) { process.outputSoFar.components(separatedBy: "up ").count == 301 }
      let output = process.outputSoFar
      let number = try #require(output.components(separatedBy: "up ").last?.prefix { $0.isNumber })
      func threads() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(number)/task").count) ?? 0
      }
      #expect(within(seconds: 60) { threads() <= 40 })
      process.send(SIGINT)
      var most = 0
      within(seconds: 300) {
        most = max(most, threads())
        return process.hasEnded
      }
      #expect(process.result(limitSeconds: 300).exitCode == 130)
      #expect(most <= 40)
    }

    @Test func `a limit on open files that cannot be raised is reported, and fewer commands run at once`() throws {
      defer { tool.remove() }
      try runUnderLimit("ulimit -n 64; exec", "open files (ulimit -n)", commands: 60)
    }

    @Test(.enabled(if: getuid() == 0, "only root can become a user who has no other processes"))
    func `a process limit is reported, and fewer commands run at once`() throws {
      defer { tool.remove() }
      try runUnderLimit(
        "ulimit -u 60; exec setpriv --regid 61873 --reuid 61873 --clear-groups", "processes (ulimit -u", commands: 100)
    }

    /// Runs commands that wait until flowrun has warned that others wait for them. All of them must succeed.
    private func runUnderLimit(_ prefix: String, _ limit: String, commands: Int) throws {
      let gate = try writeWaiting(commands)
      chmod(gate, 0o666)
      chmod(tool.folder.path, 0o777)
      let (status, output) = try Shell.run(
        """
        (\(prefix) '\(FlowrunProcess.path)' many.yaml --no-history) >log 2>&1 & process=$!
        until grep -q 'others wait for them' log || ! kill -0 $process; do sleep 0.05; done
        exec 3<>gate
        for line in $(seq \(commands)); do echo; done >&3
        wait $process; status=$?; cat log; exit $status
        """, in: tool.folder.path)
      #expect(status == 0 && output.contains("\(commands) succeeded"), "\(output.suffix(1000))")
      #expect(output.contains("commands run at once, and others wait for them:"), "\(output.suffix(1000))")
      #expect(output.contains("raise the limit of \(limit)"), "\(output.suffix(1000))")
    }

    @Test func `a suspended command continues when it receives SIGCONT`() throws {
      defer { tool.remove() }
      try tool.write(
        "name: stopped\nsteps:\n  s: { run: 'echo number $$; kill -STOP $$; echo continued' }\n", to: "stopped.yaml")
      let process = try FlowrunProcess(["run", "stopped.yaml"], in: tool.folder.path)
      #expect(process.waitForOutput("number ", limitSeconds: 60))
      let number = try #require(process.outputSoFar.components(separatedBy: "number ").last?.prefix { $0.isNumber })
      let isStopped = within(seconds: 60) {
        let stat = (try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)) ?? ""
        return stat.contains(") T ")
      }
      #expect(isStopped)
      kill(try #require(pid_t(number)), SIGCONT)
      let result = process.result()
      #expect(result.exitCode == 0 && result.output.contains("s: continued"), "\(result)")
    }

    @Test func `a low limit on open files is raised for flowrun, but not for commands`() throws {
      defer { tool.remove() }
      let gate = try writeWaiting(60, " $(ulimit -n)")
      let file = open(gate, for: 60)
      defer { close(file) }
      let (status, output) = try Shell.run(
        "ulimit -S -n 64; exec '\(FlowrunProcess.path)' many.yaml", in: tool.folder.path)
      #expect(status == 0, "\(output.suffix(500))")
      #expect(output.components(separatedBy: " 64\n").count == 61, "\(output.suffix(2000))")
      #expect(!output.contains("others wait"))
    }
  #endif
}
