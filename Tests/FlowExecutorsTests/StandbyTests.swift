import Foundation
import TestSupport
import Testing

/// Resumes runs on an engine. Allocations are requested only after a resume has taken over the run.
@Suite(.serialized, .timeLimit(.minutes(10))) struct StandbyTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-standby-\(UUID().uuidString)"

  private func write(_ text: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try text.write(toFile: "\(folder)/flow.yaml", atomically: true, encoding: .utf8)
  }

  /// A workflow with a local step that waits for the file `go`, and a step that may run remotely.
  static let handedOn = """
    name: handed-on
    durable: true
    steps:
      a: { run: "touch begun; until [ -e go ]; do sleep 0.05; done", executor: local }
      b: { run: "echo b", needs: a }

    """

  private func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(folder)/\(name)") }

  private let on = "slurm=2,worker=\(FlowrunProcess.path)"

  @Test func `of two standby processes, only the one that takes over the run requests allocations`() throws {
    try write(Self.handedOn)
    let slurm = try FakeSlurm()
    defer { slurm.remove() }
    let first = try FlowrunProcess(["flow.yaml"], in: folder)
    #expect(within(seconds: 30) { exists("begun") })
    let standbys = try (0..<2).map { _ in
      try FlowrunProcess(
        ["resume", "last", "--wait", "--on", on], in: folder, environment: slurm.environment)
    }
    for standby in standbys { #expect(standby.waitForErrors("waiting\n")) }
    #expect(slurm.calls == [], "a standby that waits asks for nothing")
    first.send(SIGKILL)
    _ = first.result()
    #expect(within(seconds: 30) { !slurm.askers.isEmpty })
    // The other process has failed to take over the run and continues to wait, or has not tried.
    _ = FileManager.default.createFile(atPath: "\(folder)/go", contents: nil)
    for standby in standbys { #expect(standby.result().exitCode == 0) }
    #expect(slurm.askers.count == 1, "\(slurm.calls)")
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `a resume requests allocations after taking over the run, and releases the run if it gets none`()
    throws
  {
    try write("name: fails\nsteps: { a: { run: 'echo a' }, b: { run: '[ -e go ]', needs: a } }\n")
    #expect(try FlowrunProcess.run(["flow.yaml"], in: folder).exitCode == 1)
    func shown() throws -> String { try FlowrunProcess.run(["runs", "export", "last"], in: folder).output }
    let before = try shown()
    // The fake srun lists the runs as another process would, and then reports that there is no node.
    let look = "'\(FlowrunProcess.path)' runs --in '\(folder)' --json > '\(folder)/seen'"
    let slurm = try FakeSlurm(srun: "\(look); echo 'srun: error: no' >&2; exit 1")
    defer { slurm.remove() }
    let resumed = try FlowrunProcess.run(
      ["resume", "last", "--from", "a", "--on", "slurm=1,worker=\(FlowrunProcess.path)"], in: folder,
      environment: slurm.environment)
    #expect(resumed.exitCode == 2 && resumed.errors.contains("srun: error: no"), "\(resumed)")
    let seen = try String(contentsOfFile: "\(folder)/seen", encoding: .utf8)
    #expect(seen.contains("\"running\""), "\(seen)")
    #expect(try shown() == before, "nothing of the run has changed")
    _ = FileManager.default.createFile(atPath: "\(folder)/go", contents: nil)
    let again = try FlowrunProcess.run(["resume", "last"], in: folder)
    #expect(again.exitCode == 0 && again.output.contains(" b succeeded in "), "\(again)")
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `a signal during the request for allocations releases the run unchanged`() throws {
    try write("name: fails\nsteps: { a: { run: '[ -e go ]' } }\n")
    #expect(try FlowrunProcess.run(["flow.yaml"], in: folder).exitCode == 1)
    let before = try FlowrunProcess.run(["runs", "export", "last"], in: folder).output
    let slurm = try FakeSlurm(srun: "exec sleep 60")
    defer { slurm.remove() }
    let resumed = try FlowrunProcess(
      ["resume", "last", "--on", on], in: folder, environment: slurm.environment)
    #expect(within(seconds: 30) { !slurm.askers.isEmpty })
    resumed.send(SIGTERM)
    #expect(resumed.result().exitCode == 143)
    #expect(try FlowrunProcess.run(["runs", "export", "last"], in: folder).output == before)
    try FileManager.default.removeItem(atPath: folder)
  }
}
