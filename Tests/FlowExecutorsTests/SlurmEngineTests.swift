import FlowModel
import FlowPluginKit
import FlowSyntax
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FlowExecutors

/// Checks how Slurm's commands are called, without a cluster.
struct SlurmEngineTests {
  private func engine(_ address: String, _ environment: [String: String] = [:]) throws -> SlurmEngine {
    SlurmEngine(address: try ExecutorAddress(address), environment: environment)
  }

  private func words(_ address: String) throws -> [String] { try engine(address).starts(["w"], perNode: 2)[0].command }

  @Test func `inside a Slurm job, srun gets the user's defaults but none of the job's variables`() {
    let job = [
      "PATH": "/bin", "HOME": "/root", "SLURM_CONF": "/etc/slurm.conf", "SLURM_ACCOUNT": "a", "SLURM_PARTITION": "p",
      "SLURM_QOS": "q", "SLURM_JOB_ID": "7", "SLURM_JOBID": "7", "SLURM_JOB_NAME": "mine", "SLURM_CPUS_PER_TASK": "8",
      "SLURM_MEM_PER_NODE": "100", "SLURM_NNODES": "2", "SLURM_STEP_ID": "0", "SLURMD_NODENAME": "node1",
      "PMI_RANK": "0",
      "SLURM_EXPORT_ENV": "NONE", "SLURM_TASKS_PER_NODE": "2", "SLURM_CPU_BIND": "quiet",
    ]
    let kept = ["PATH", "HOME", "SLURM_CONF", "SLURM_ACCOUNT", "SLURM_PARTITION", "SLURM_QOS"]
    #expect(SlurmEngine.outsideJob(job) == job.filter { kept.contains($0.key) })
    let outside = job.filter { !$0.key.hasPrefix("SLURM_JOB") }
    #expect(SlurmEngine.outsideJob(outside) == outside)
  }

  @Test func `options of an executor's address are passed to srun`() throws {
    let words = try words(
      "slurm=2,partition=a,mem=4G,gres=gpu:a100:1,lustre:2,reservation=r,srun.licenses=x:1,y:2,srun.contiguous")
    for word in [
      "--partition=a", "--mem=4G", "--gres=gpu:a100:1,lustre:2", "--reservation=r", "--licenses=x:1,y:2",
      "--contiguous",
    ] { #expect(words.contains(word), "\(words)") }
    let run = try #require(words.firstIndex(of: "/bin/sh"))
    #expect(words[..<run].dropFirst().allSatisfy { $0.hasPrefix("--") })
  }

  @Test func `a step's memory and GPUs override those of the executor's address`() throws {
    let sized = try engine("slurm=2,mem=4G,gres=gpu:a100:1,lustre:2").sized { _ in ["w"] }
    let words = sized.start(MachineResources(cpus: 1, memoryBytes: 1 << 20, gpus: 2), "run.a.1", nil).command
    #expect(words.contains("--mem=1024K") && words.contains("--gres=lustre:2,gpu:2"), "\(words)")
    let plain = sized.start(MachineResources(cpus: 1), "run.a.1", nil).command
    #expect(plain.contains("--mem=4G") && plain.contains("--gres=gpu:a100:1,lustre:2"), "\(plain)")
  }

  @Test func `the options nodelist and exclude restrict the nodes of allocations`() throws {
    let lines = ["node1", "node2", "node3"].map { "2 1000 (null) idle main* \($0)" }
    var nodes = SlurmNodes(lines, of: try ExecutorAddress("slurm=2,nodelist=node[1,3],exclude=node3"))
    try nodes.keep(["node1", "node3"])
    try nodes.remove(["node3"])
    #expect(nodes.excluded == ["node2", "node3"])
    #expect(throws: ExecutorProblem("nodelist=node[1,3]: Slurm has no node 'node4'")) { try nodes.keep(["node4"]) }
  }

  /// Runs the script that holds a job's allocation, with a worker that ends with `status` while another job of the run
  /// is waiting. Returns the Slurm commands that the script calls.
  private func calls(ofHolderIn name: String, status: Int32, _ end: String? = nil) throws -> [String] {
    let slurm = try FakeSlurm()
    defer { slurm.remove() }
    let waiting = """
      echo "${0##*/} $PPID $*" >> '\(slurm.folder)/calls'
      echo "8 $MARK"; echo "9 flowrun-other"
      """
    try "#!/bin/sh\n\(waiting)\n".write(toFile: "\(slurm.folder)/squeue", atomically: false, encoding: .utf8)
    let command = try engine("slurm=2").starts(["/bin/sh", "-c", end ?? "exit \(status)"], perNode: 2)[0].command
    let shell = try #require(command.firstIndex(of: "/bin/sh"))
    let line = command[shell...].map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
    let own = name == "own" ? command[shell + 4] : name
    let result = try Shell.run(
      "PATH='\(slurm.folder)':$PATH SLURM_JOB_ID=7 SLURM_JOB_NAME='\(own)' MARK='\(command[shell + 5])' \(line)")
    #expect(result.status == status)
    return slurm.calls.map { call in
      // Remove the process id of the caller, which differs between runs.
      let words = call.split(separator: " ").map(String.init)
      return (words.prefix(1) + words.dropFirst(2)).joined(separator: " ").replacing(command[shell + 5], with: "MARK")
    }
  }

  @Test func `a Slurm job whose worker ends as requested is not cancelled`() throws {
    #expect(try calls(ofHolderIn: "own", status: 0) == [])
  }

  @Test func `a Slurm job with another name is never cancelled`() throws {
    #expect(try calls(ofHolderIn: "mine", status: 1) == [])
    #expect(try calls(ofHolderIn: "mine", status: Worker.lostStatus) == [])
  }

  @Test func `the Slurm job of a worker that died is marked and cancelled`() throws {
    #expect(
      try calls(ofHolderIn: "own", status: 1) == [
        "scontrol --quiet update JobId=7 Comment=MARK ended", "scancel --quiet --name=MARK.1 7",
      ])
  }

  @Test func `if a worker has lost its run, the waiting jobs of the run are cancelled`() throws {
    let expected = [
      "scontrol --quiet update JobId=7 Comment=MARK ended", "squeue --noheader --me --states=PENDING --format=%A %k",
      "scancel --quiet --state=PENDING 8", "scancel --quiet --name=MARK.1 7",
    ]
    #expect(try calls(ofHolderIn: "own", status: Worker.lostStatus) == expected)
    // In this case, the guard kills the worker.
    let guarded = "kill -USR1 $FLOWRUN_HOLDER; kill -KILL $$"
    #expect(try calls(ofHolderIn: "own", status: 137, guarded) == expected)
  }

  private struct InstantClock: Clock {
    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .nanoseconds(1) }
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws { await Task.yield() }
  }

  private final class Answers: Sendable {
    let rest: Mutex<[[(job: String, reason: String)]]>
    let isOver = OneShot<Void>()

    init(_ answers: [[(job: String, reason: String)]]) { rest = Mutex(answers) }

    func next() -> [(job: String, reason: String)] {
      rest.withLock { rest in
        if !rest.isEmpty { return rest.removeFirst() }
        isOver.finish(())
        return []
      }
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `a new reason why Slurm jobs are waiting is reported`() async throws {
    let (full, limit) = (("b", "Resources"), ("a", "PartitionTimeLimit"))
    let answers = Answers([[full], [full], [full, limit, full], [], [full]])
    // The pool has a worker that never connects.
    let pool = WorkerPool(
      name: "slurm",
      starts: [WorkerStart(name: "allocation 1", command: ["true"], environment: [:], slots: 1)],
      needs: ExecutorConformance.needs, workflowFolder: "/", waiting: { answers.next() })
    let reports = Mutex<[String]>([])
    let watch = Task {
      await pool.watchQueue(last: "1 job waits in the queue: Resources", clock: InstantClock()) { text in
        reports.withLock { $0.append(text) }
      }
    }
    await answers.isOver.wait()
    await pool.close()
    await watch.value
    #expect(
      reports.withLock { $0 } == [
        "1 job waits in the queue: PartitionTimeLimit; 2 jobs wait in the queue: Resources",
        "1 job waits in the queue: Resources",
      ])
  }
}
