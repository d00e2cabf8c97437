import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FlowExecutors
@testable import FlowPluginHost

/// Runs steps with `resources` on an engine that counts them. Processes on this machine stand in for its jobs.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SizedWorkersTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-sized-\(UUID().uuidString)"

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  private func start(_ name: String, _ result: ResultFile? = nil, isLocal: Bool = true, transport: [String] = [])
    -> WorkerStart
  {
    WorkerStart(
      name: name,
      command: transport + [FlowrunProcess.path, "worker", "--stdio"] + (result.map { ["--result", $0.path] } ?? []),
      environment: ProcessInfo.processInfo.environment, slots: 1, isLocal: isLocal)
  }

  private func pool(_ plain: Int, _ sized: SizedWorkers) async throws -> WorkerPool {
    let pool = WorkerPool(
      name: "jobs", starts: (0..<plain).map { start("allocation \($0 + 1)") }, needs: ExecutorConformance.needs,
      workflowFolder: folder, sized: sized)
    try await pool.open(waitingAtMost: .seconds(20))
    return pool
  }

  private func shell(_ pool: WorkerPool, _ command: String, _ request: MachineResources?) async throws -> String? {
    let action = try #require(ExecutorConformance.registry.declaration(named: "shell.run"))
    let inputs: ValueObject = ["command": .string(command), "env": [:], "successStatuses": [0]]
    let context = TestHost(dataFolder: folder, workflowFolder: folder).context()
    return try await pool.run(action, inputs, taking: request, files: nil, context)["stdout"]?.stringValue
  }

  @Test func `a step's own worker gets the requested resources and the step's name, and leaves no files behind`()
    async throws
  {
    let asked = Mutex<[String]>([])
    let pool = try await pool(
      0,
      SizedWorkers(
        slots: 3,
        start: { request, body, result in
          asked.withLock { $0.append("\(body): \(request.text())") }
          return start("job", result)
        }, lackRoom: { _ in false }))
    #expect(pool.slots == 3)
    #expect(!pool.isHere)
    #expect(try await shell(pool, "echo out", MachineResources(cpus: 2, memoryBytes: 1 << 20)) == "out")
    await pool.close()
    let run = TestHost().run.id
    let step = TestHost().context().stepID
    #expect(asked.withLock { $0 } == ["\(run).\(step).1: 2 cpus and 1MiB of memory"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
  }

  @Test func `a step whose worker is lost after writing its result does not run again`() async throws {
    // The transport ends as soon as it receives the response, as `srun` does if its network fails.
    let transport = [
      "/bin/sh", "-c", #""$@" | sed -u '/"outputs"/Q; /"command-failed"/Q'"#, "transport",
    ]
    let pool = try await pool(
      0,
      SizedWorkers(
        slots: 1, start: { _, _, result in start("job", result, isLocal: false, transport: transport) },
        lackRoom: { _ in false }))
    #expect(try await shell(pool, "echo ran >> runs; echo out", MachineResources()) == "out")
    await #expect { try await shell(pool, "echo ran >> runs; exit 3", MachineResources()) } throws: { error in
      (error as? ActionError)?.code == "command-failed"
    }
    #expect(try String(contentsOfFile: "\(folder)/runs", encoding: .utf8) == "ran\nran\n")
    await pool.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["runs"])
  }

  @Test func `a result file keeps the first result, and accepts none after it was claimed`() throws {
    let lost = ResultFile(path: "\(folder)/lost")
    #expect(lost.claim() == nil)
    lost.write("late")
    #expect(lost.claim() == nil)
    let kept = ResultFile(path: "\(folder)/kept")
    kept.write("first")
    kept.write("second")
    #expect(kept.claim() == "first")
  }

  @Test func `workers release their allocations for a step with resources, and start again for later steps`()
    async throws
  {
    // The job can start only after an allocation was released, that is, after the process of that allocation has ended.
    let gate = "\(folder)/room"
    let hasAsked = OneShot<Void>()
    let pool = try await pool(
      1,
      SizedWorkers(
        slots: 2,
        start: { _, _, result in
          start(
            "job", result,
            transport: ["/bin/sh", "-c", "while [ ! -e '\(gate)' ]; do sleep 0.05; done; exec \"$@\"", "transport"])
        },
        lackRoom: { _ in
          hasAsked.finish(())
          return true
        }, patience: .milliseconds(20)))
    let worker = try await shell(pool, "echo $PPID", nil)
    let number = try #require(worker).trimmingCharacters(in: .whitespacesAndNewlines)
    // The running body is not interrupted. Its worker gives up the allocation after the body has ended.
    let plain = Task { try await shell(pool, "while [ ! -e go ]; do sleep 0.02; done; echo done", nil) }
    #expect(within(seconds: 20) { pool.state.withLock { $0.members[0].taken == 1 } })
    let sized = Task { try await shell(pool, "echo sized", MachineResources()) }
    await hasAsked.wait()
    #expect(within(seconds: 20) { pool.state.withLock { $0.members[0].isLeaving } })
    #expect(pool.state.withLock { $0.members[0].session != nil })
    _ = FileManager.default.createFile(atPath: "\(folder)/go", contents: nil)
    #expect(try await plain.value == "done")
    #expect(within(seconds: 20) { pool.state.withLock { $0.members[0].rest != nil } })
    _ = FileManager.default.createFile(atPath: gate, contents: nil)
    #expect(try await sized.value == "sized")
    let again = try await shell(pool, "echo $PPID", nil)
    #expect(again != nil && again != number)
    await pool.close()
  }

  @Test func `a step that is cancelled while it waits for its worker never runs`() async throws {
    let hasBegun = OneShot<Void>()
    let pool = try await pool(
      0,
      SizedWorkers(
        slots: 1,
        start: { _, _, result in
          hasBegun.finish(())
          return start("job", result, transport: ["/bin/sh", "-c", "sleep 60", "transport"])
        }, lackRoom: { _ in false }))
    let task = Task { try await shell(pool, "touch ran", MachineResources()) }
    await hasBegun.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await pool.close()
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/ran"))
  }
}
