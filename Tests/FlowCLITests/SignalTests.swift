import FlowTestKit
import Foundation
import TestSupport
import Testing

/// A signal at any time neither leaves processes behind nor loses data.
@Suite(.timeLimit(.minutes(20)), .serialized) struct SignalTests {
  private let tool: CommandLineTool

  init() throws { tool = try CommandLineTool() }

  /// The number of random times for each signal. `FLOWRUN_LONG_TESTS=1` increases it to 200, and `FLOWRUN_SEED` selects
  /// other times.
  private static let rounds = ProcessInfo.processInfo.environment["FLOWRUN_LONG_TESTS"] == nil ? 6 : 200

  @Test(arguments: [SIGKILL, SIGHUP, SIGQUIT, SIGPIPE, SIGTERM, SIGINT])
  func `no command survives when a signal ends flowrun at a random time`(_ signal: Int32) throws {
    defer { tool.remove() }
    let seed = SeededGenerator.environmentSeed ?? UInt64(signal)
    var random = SeededGenerator(seed: seed)
    for round in 0..<Self.rounds {
      // Each command sleeps for a unique time, so that its process can be distinguished from those of concurrent tests.
      let mark = "\(80_000_000 + Int.random(in: 0..<10_000_000, using: &random)).\(getpid())"
      var text = "name: killed\nsteps:\n"
      for step in 0..<8 {
        text += "  s\(step): { uses: shell.run, with: { command: 'sleep 0.01; sleep \(mark) & sleep \(mark)' } }\n"
      }
      text +=
        "  apart: { uses: shell.run, with: { command: 'setsid sleep \(mark) >/dev/null 2>&1 & sleep \(mark)' } }\n"
      text += "  left: { uses: shell.run, with: { command: 'setsid sleep \(mark) >/dev/null 2>&1 & sleep 0.01' } }\n"
      text += "  group: { uses: shell.run, with: { command: 'timeout \(mark) sleep \(mark); true' } }\n"
      try tool.write(text, to: "killed.yaml")
      let process = try FlowrunProcess(["run", "killed.yaml"], in: tool.folder.path)
      usleep(UInt32.random(in: 0..<150_000, using: &random))
      process.send(signal)
      if signal == SIGPIPE {
        usleep(UInt32.random(in: 0..<20_000, using: &random))
        process.send(SIGKILL)
      }
      let code = process.result(limitSeconds: 20).exitCode
      let expected = signal == SIGPIPE ? [128 + SIGPIPE, 128 + SIGKILL] : [128 + signal]
      #expect(expected.contains(code), "seed \(seed), round \(round): exit code \(code)")
      let survivors = Self.awaitEnd(of: mark)
      #expect(survivors.isEmpty, "seed \(seed), round \(round): \(survivors)")
    }
  }

  @Test(arguments: [(SIGHUP, 129), (SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func `after the first signal, a cancelled run still cleans up and writes its report`(_ signal: Int32, _ code: Int32)
    throws
  {
    defer { tool.remove() }
    try tool.write(
      """
      name: cancelled
      cleanup: 1m
      steps:
        long: { uses: shell.run, with: { command: sleep 600 } }
        cleanup: { uses: shell.run, needs: long, if: always(), with: { command: touch cleaned } }
      """, to: "w.yaml")
    let process = try FlowrunProcess(["w.yaml", "--verbose", "--report", "report.json"], in: tool.folder.path)
    #expect(process.waitForOutput("long started"))
    // Signals arrive in pairs, as from `timeout`, which signals the process and its process group.
    process.send(signal)
    process.send(signal)
    #expect(process.result(limitSeconds: 20).exitCode == code)
    #expect(FileManager.default.fileExists(atPath: tool.folder.path + "/cleaned"))
    let report = try String(contentsOfFile: tool.folder.path + "/report.json", encoding: .utf8)
    #expect(report.contains(#""conclusion": "cancelled""#))
  }

  @Test func `a cancellation stops only running steps whose condition has become false`() throws {
    defer { tool.remove() }
    let wait = "touch began-$0; while ! test -e go; do sleep 0.01; done; touch finished-$0"
    func step(_ name: String, _ more: String) -> String {
      "  \(name): { run: [sh, -c, '\(wait)', \(name)], \(more) }\n"
    }
    try tool.write(
      "name: cancelled\ncleanup: 1m\nsteps:\n" + step("always", "if: always()")
        + step("either", "if: success() || cancelled()")
        + step("not", "if: '!cancelled()'") + step("plain", "if: success()")
        + step("each", "if: always(), foreach: [1]") + step("item", "if: always() && item == 1, foreach: [1]"),
      to: "w.yaml")
    let names = ["always", "either", "not", "plain", "each", "item"]
    func are(_ prefix: String) -> [String] {
      names.filter { FileManager.default.fileExists(atPath: "\(tool.folder.path)/\(prefix)-\($0)") }
    }
    let process = try FlowrunProcess(["w.yaml", "--report", "report.json"], in: tool.folder.path)
    #expect(within(seconds: 20) { are("began") == names })
    process.send(SIGTERM)
    #expect(process.waitForOutput("not cancelled") && process.waitForOutput("plain cancelled"))
    try tool.write("", to: "go")
    #expect(process.result(limitSeconds: 20).exitCode == 143)
    #expect(are("finished") == ["always", "either", "each", "item"])
    let report = try String(contentsOfFile: tool.folder.path + "/report.json", encoding: .utf8)
    #expect(report.contains(#""conclusion": "cancelled""#))
  }

  @Test func `a second signal ends everything at once and removes the outputs of an earlier run`() throws {
    defer { tool.remove() }
    for name in ["report.json", "trace.json"] { try tool.write("old", to: name) }
    let mark = "71000001.\(getpid())"
    try tool.write(
      """
      name: deaf
      cleanup: 1m
      steps:
        deaf: { uses: shell.run, with: { command: "trap '' INT TERM; echo deaf; while true; do sleep \(mark); done" } }
        later: { uses: shell.run, needs: deaf, if: always(), with: { command: "trap '' TERM; echo cleaning; sleep \(mark); sleep \(mark)" } }
      """, to: "w.yaml")
    let process = try FlowrunProcess(
      ["w.yaml", "--report", "report.json", "--trace", "trace.json"], in: tool.folder.path)
    #expect(process.waitForOutput("deaf: deaf"))
    process.send(SIGINT)
    // The cleanup begins when the command has been killed, after 2 s. Signals within half a second of the first one
    // would belong to that one.
    #expect(process.waitForOutput("later: cleaning"))
    process.send(SIGINT)
    let result = process.result(limitSeconds: 20)
    #expect(result.exitCode == 130)
    // If the run had waited for its cleanup, which may take a minute, it would have printed a summary.
    #expect(!result.output.contains("deaf: cancelled"), "\(result.output)")
    #expect(Self.awaitEnd(of: mark).isEmpty)
    for name in ["report.json", "trace.json"] {
      #expect(!FileManager.default.fileExists(atPath: "\(tool.folder.path)/\(name)"), "\(name)")
    }
  }

  @Test func `a signal in the first milliseconds is not lost`() throws {
    defer { tool.remove() }
    try tool.write("name: early\nsteps:\n  a: { uses: flow.sleep, with: { for: 60s } }\n", to: "w.yaml")
    let seed = SeededGenerator.environmentSeed ?? 1
    var random = SeededGenerator(seed: seed)
    for round in 0..<(Self.rounds * 4) {
      let process = try FlowrunProcess(["w.yaml"], in: tool.folder.path)
      usleep(UInt32.random(in: 0..<60_000, using: &random))
      process.send(SIGTERM)
      #expect(process.result(limitSeconds: 30).exitCode == 143, "seed \(seed), round \(round)")
    }
  }

  @Test func `a signal interrupts the reading of a long workflow, and the report and trace are still written`() throws {
    defer { tool.remove() }
    var text = "name: long\nsteps:\n"
    for step in 0..<200_000 { text += "  step-\(step): { uses: flow.noop, if: '${{ launch.first || true }}' }\n" }
    try tool.write(text, to: "w.yaml")
    // The time until `main` depends on the machine. Reading the workflow takes much longer.
    for milliseconds in [100, 200, 400, 800, 1600, 3200, 6400] as [UInt32] {
      try tool.write("old", to: "trace.json")
      let process = try FlowrunProcess(
        ["w.yaml", "--report", "report.json", "--trace", "trace.json"], in: tool.folder.path)
      usleep(milliseconds * 1000)
      process.send(SIGINT)
      let result = process.result()
      #expect(result.exitCode == 130)
      guard result.errors.contains("interrupted before the run started") else { continue }
      let report = try String(contentsOfFile: tool.folder.path + "/report.json", encoding: .utf8)
      #expect(report.contains(#""conclusion": "cancelled""#) && report.contains("signal 2"))
      let trace = try String(contentsOfFile: tool.folder.path + "/trace.json", encoding: .utf8)
      #expect(trace.contains("traceEvents") && trace != "old", "\(trace)")
      return
    }
    Issue.record("no signal came while the workflow was read")
  }

  @Test func `nohup protects a run from a hangup`() throws {
    defer { tool.remove() }
    try tool.write(
      "name: w\nsteps:\n  a: { uses: shell.run, with: { command: kill -HUP $PPID; sleep 0.1 } }\n", to: "w.yaml")
    let script = "trap '' HUP; exec '\(FlowrunProcess.path)' w.yaml > out"
    #expect(try shell(script) == 0)
  }

  @Test func `a signal that the parent process ignores stays ignored, as in background processes`() throws {
    defer { tool.remove() }
    try tool.write(
      "name: w\nsteps: { a: { run: 'kill -INT $PPID; kill -QUIT $PPID; sleep 0.1; touch done' } }\n", to: "w.yaml")
    #expect(try shell("trap '' INT QUIT; exec '\(FlowrunProcess.path)' w.yaml > out") == 0)
    #expect(FileManager.default.fileExists(atPath: tool.folder.path + "/done"))
  }

  private static let isIsolated = (try? Shell.run("unshare --pid --fork --mount-proc true"))?.status == 0

  @Test(.enabled(if: isIsolated || TestExtent.isFull, "there are no namespaces of processes"))
  func `as process 1, flowrun collects orphans, and a run that a signal cancels still cleans up`() throws {
    defer { tool.remove() }
    try tool.write(
      """
      name: w
      cleanup: 1m
      steps:
        orphans: { run: 'for n in 1 2 3; do (setsid touch "ended-$n" &); done' }
        ended: { run: 'until [ -e ended-1 ] && [ -e ended-2 ] && [ -e ended-3 ]; do sleep 0.01; done', needs: orphans }
        # One that is not collected stays.
        check: { run: 'n=0; while grep -l ") Z" /proc/[0-9]*/stat; do n=$((n + 1)); [ $n -lt 500 ]; sleep 0.05; done', needs: ended }
        end: { run: 'kill -TERM 1; sleep 60', needs: check }
        cleanup: { run: touch cleaned, needs: end, if: always() }
      """, to: "w.yaml")
    #expect(
      try shell("exec unshare --pid --fork --kill-child --mount-proc '\(FlowrunProcess.path)' w.yaml > out 2>&1") == 143
    )
    let output = try tool.text(of: "out")
    #expect(FileManager.default.fileExists(atPath: tool.folder.path + "/cleaned"), "\(output)")
    #expect(!output.contains("check failed"), "\(output)")
  }

  @Test func `an output that exceeds the file size limit causes an error and does not kill flowrun`() throws {
    defer { tool.remove() }
    try tool.write("name: w\nsteps:\n  a: { uses: flow.noop }\n", to: "w.yaml")
    let code = try shell("ulimit -f 0; exec '\(FlowrunProcess.path)' w.yaml --report r.json > /dev/null 2>&1")
    #expect(code == 74 || code == 64)
  }

  /// Returns the exit code of a script that runs in the tool's folder.
  private func shell(_ script: String) throws -> Int32 {
    try Shell.run(script, in: tool.folder.path).status
  }

  /// Returns the processes with `mark` in their arguments that have not ended after a while. The guard kills them only
  /// after flowrun has ended, so this function waits.
  static func awaitEnd(of mark: String) -> [String] {
    var found: [String] = []
    _ = within(seconds: 60) {
      found = processes(with: mark)
      return found.isEmpty
    }
    return found
  }

  private static func processes(with mark: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.filter { Int($0) != nil }.compactMap { process in
      guard let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline"), !words.isEmpty else {
        return nil
      }
      let line = String(decoding: words, as: UTF8.self).replacing("\0", with: " ")
      return line.contains(mark) ? "\(process): \(line)" : nil
    }
  }
}
