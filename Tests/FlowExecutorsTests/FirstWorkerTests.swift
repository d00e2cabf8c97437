import FlowModel
import FlowTestKit
import Foundation
import TestSupport
import Testing

@testable import FlowExecutors
@testable import FlowPluginHost

/// The time for which a run waits for its first worker.
@Suite(.timeLimit(.minutes(10))) struct FirstWorkerTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-first-\(UUID().uuidString)"

  @Test func `a run waits for its first worker until the limit, and then continues`() async throws {
    let clock = SteppedClock()
    let pool = WorkerPool(
      name: "workers",
      starts: [
        WorkerStart(
          name: "worker 1", command: ["sleep", "1000"], environment: ["PATH": "/usr/bin:/bin"], slots: 1,
          startLimit: .seconds(1000))
      ], needs: ExecutorConformance.needs, workflowFolder: "/")
    let opening = Task { try await pool.open(waitingAtMost: .seconds(5), clock: clock) }
    await clock.sleeper()
    clock.advance(to: .seconds(5) - .nanoseconds(1))
    #expect(pool.opening.value == nil)
    clock.advance(to: .seconds(5))
    #expect(try await opening.value == false)
    await pool.close()
  }

  @Test func `if no worker is ready after 5 s, a message is printed, and steps run once a worker is ready`() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try "name: x\nsteps: { a: { run: 'echo here' } }\n"
      .write(toFile: "\(folder)/flow.yaml", atomically: true, encoding: .utf8)
    try "#!/bin/sh\nwhile [ ! -e go ]; do sleep 0.1; done\nexec '\(FlowrunProcess.path)' \"$@\"\n"
      .write(toFile: "\(folder)/worker", atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/worker")
    let process = try FlowrunProcess(
      ["flow.yaml", "--verbose", "--on", "workers=1,worker=\(folder)/worker"], in: folder)
    #expect(process.waitForErrors("flowrun: --on workers: no worker is ready after 5 s; steps wait for one\n"))
    #expect(process.waitForOutput("x started"))
    #expect(!process.outputSoFar.contains("a: here") && !process.outputSoFar.contains("a started on workers"))
    _ = FileManager.default.createFile(atPath: "\(folder)/go", contents: nil)
    let result = process.result()
    #expect(result.exitCode == 0 && result.output.contains("a: here"), "\(result)")
    let lines = result.output.split(separator: "\n").map(String.init)
    let start = try #require(lines.firstIndex { $0.hasSuffix("a started on workers") })
    #expect(lines[start...].contains { $0.hasSuffix("a: here") }, "\(result)")
    try FileManager.default.removeItem(atPath: folder)
  }
}
