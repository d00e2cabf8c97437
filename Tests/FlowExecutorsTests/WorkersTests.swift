import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FlowExecutors
@testable import FlowPluginHost

/// Runs workers that are processes on this machine.
@Suite(.serialized, .timeLimit(.minutes(10))) struct WorkersTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-workers-\(UUID().uuidString)"

  private func starts(_ slots: [Int]) -> [WorkerStart] {
    slots.enumerated().map { index, count in
      WorkerStart(
        name: "worker \(index + 1)", command: [FlowrunProcess.path, "worker", "--stdio"],
        environment: ProcessInfo.processInfo.environment, slots: count, isLocal: true)
    }
  }

  private func pool(_ slots: [Int], scale: Double = 1, _ needs: WorkerRequirements = ExecutorConformance.needs) throws
    -> WorkerPool
  {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return WorkerPool(
      name: "workers", starts: starts(slots), needs: needs, workflowFolder: folder, pulse: PulseRhythm(scale: scale))
  }

  @Test func `workers with one slot each meet the requirements for executors`() async throws {
    let pool = try pool([1, 1])
    try await pool.open(waitingAtMost: .seconds(20))
    try await ExecutorConformance(pool: pool, folder: folder).run()
    await pool.close()
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `a worker with several slots meets the requirements for executors`() async throws {
    let pool = try pool([3])
    try await pool.open(waitingAtMost: .seconds(20))
    try await ExecutorConformance(pool: pool, folder: folder).run()
    await pool.close()
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `a frozen worker counts as lost, and its command is killed`() async throws {
    let pool = try pool([1], scale: 0.5)
    try await pool.open(waitingAtMost: .seconds(20))
    let shell = try #require(ExecutorConformance.registry.declaration(named: "shell.run"))
    let file = folder + "/numbers"
    let inputs: ValueObject = [
      "command": .string("echo $$ > \(file); kill -STOP $PPID; sleep 600"), "env": [:], "successStatuses": [0],
    ]
    let start = ContinuousClock.now
    await #expect(throws: ExecutorLost.self) {
      _ = try await pool.run(shell, inputs, taking: nil, files: nil, TestHost().context())
    }
    #expect(ContinuousClock.now - start < .seconds(120))
    let process = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    let isGone = within(seconds: 60) {
      let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
      return state?.contains(") Z") ?? true
    }
    #expect(isGone)
    await pool.close()
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `a worker that receives no pings ends, and its running action is reported as lost`() async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let pulse = PulseRhythm(scale: 0.5)
    let terms = WorkerTerms(workflowFolder: folder, pulse: pulse)
    var limits = PluginLimits()
    limits.grace = .seconds(5)
    let session = try PluginSession(
      PluginCommand(starts([1])[0].command, environment: ProcessInfo.processInfo.environment), name: "worker",
      version: "1", folder: folder, limits: limits, worker: terms)
    guard case .answered = await session.initialize() else {
      Issue.record("the worker did not introduce itself")
      return
    }
    // Pings are not started for this session, so the worker receives none.
    let shell = try #require(ExecutorConformance.registry.declaration(named: "shell.run"))
    let start = ContinuousClock.now
    let outcome = await session.run(
      CallableAction(shell), ["command": "sleep 600", "env": [:], "successStatuses": [0]], TestHost().context())
    guard case .lost = outcome else {
      Issue.record("it went on: \(outcome)")
      return
    }
    #expect(ContinuousClock.now - start < .seconds(120))
    await session.stop()
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `a worker whose program for an action differs is not used, and both programs are reported`()
    async throws
  {
    var needs = ExecutorConformance.needs
    needs.digest = { _ in "flowrun 99" }
    let pool = try pool([1], needs)
    await #expect {
      try await pool.open(waitingAtMost: .seconds(20))
    } throws: { error in
      let text = (error as? ExecutorProblem)?.message ?? ""
      return text.contains("is of flowrun \(Release.version)") && text.contains("here it is of flowrun 99")
    }
    await pool.close()
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test(.timeLimit(.minutes(10)))
  func `a worker that always ends after its greeting is not started again after three consecutive starts`() async throws
  {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let greeting =
      #"{"jsonrpc":"2.0","id":0,"result":{"name":"flowrun-worker","uses":["ping","capabilities"],"actions":{},"mark":"0-0"}}"#
    let script = "read -r line; echo start >>'\(folder)/starts'; echo '\(greeting)'"
    let told = Mutex<[String]>([])
    let isLeftOut = OneShot<Void>()
    let pool = WorkerPool(
      name: "workers",
      starts: [
        WorkerStart(
          name: "worker 1", command: ["/bin/sh", "-c", script], environment: ["PATH": "/usr/bin:/bin"], slots: 1,
          isLocal: true)
      ],
      needs: WorkerRequirements(actions: [], digest: { _ in "" }), workflowFolder: "/",
      tell: { line in
        told.withLock { $0.append(line) }
        if line.contains("is left out") { isLeftOut.finish(()) }
      })
    try await pool.open(waitingAtMost: .seconds(20))
    await isLeftOut.wait()
    await pool.close()
    let starts = try String(contentsOfFile: "\(folder)/starts", encoding: .utf8)
    #expect(starts == "start\nstart\nstart\n")
    let words = told.withLock { $0.map { $0.contains("is started again") ? "again" : "left out" } }
    #expect(words == ["again", "again", "left out"])
    let last = try #require(told.withLock { $0.last })
    #expect(
      last.hasPrefix(
        "workers: worker 1 is left out: it was started 3 times in a row without finishing a call; the last time 'worker 1 of "
          + "workers' ended with exit status 0 before it answered"))
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `a step whose worker always ends early fails with the worker's name, starts and last lines`()
    throws
  {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try "name: w\nsteps: { a: { run: 'echo hello' } }\n"
      .write(toFile: "\(folder)/w.yaml", atomically: true, encoding: .utf8)
    // The program forwards the greeting of a real worker, and ends without reading a call.
    try """
    #!/usr/bin/env python3
    import os, subprocess, sys
    with open('starts', 'a') as starts: starts.write('start\\n')
    first = sys.stdin.buffer.readline()
    worker = subprocess.Popen(['\(FlowrunProcess.path)'] + sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    worker.stdin.write(first); worker.stdin.flush()
    line = worker.stdout.readline()
    sys.stderr.write('the node is being drained\\n'); sys.stderr.flush()
    sys.stdin.close(); sys.stdout.buffer.write(line); sys.stdout.buffer.flush()
    worker.kill(); worker.wait(); os._exit(0)
    """.write(toFile: "\(folder)/worker", atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/worker")
    let result = try FlowrunProcess(
      ["w.yaml", "--no-history", "--on", "workers=1,worker=\(folder)/worker"], in: folder
    ).result()
    #expect(result.exitCode == 1, "\(result)")
    let text = result.output + result.errors
    #expect(text.contains("worker 1: it was started 3 times in a row without finishing a call"), "\(result)")
    #expect(text.contains("the node is being drained"), "\(result)")
    #expect(try String(contentsOfFile: "\(folder)/starts", encoding: .utf8) == "start\nstart\nstart\n")
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `a program that is not a worker is reported as an error`() async throws {
    let pool = WorkerPool(
      name: "workers",
      starts: [WorkerStart(name: "worker 1", command: ["false"], environment: ["PATH": "/usr/bin:/bin"], slots: 1)],
      needs: ExecutorConformance.needs, workflowFolder: "/")
    await #expect(throws: ExecutorProblem.self) { try await pool.open(waitingAtMost: .seconds(20)) }
    await pool.close()
  }
}
