import FlowModel
import FlowSyntax
import Foundation
import TestSupport
import Testing

@testable import FlowExecutors

/// Runs steps with `resources` on a real Slurm cluster, which has two nodes with two processors each. The first node
/// has a GPU.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: SlurmCluster.isInstalled))
final class SizedSlurmTests {
  private let cluster: SlurmCluster
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-sized-\(UUID().uuidString)"

  init() throws {
    cluster = try SlurmCluster()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private var on: String { "slurm=4,worker=\(FlowrunProcess.path)" }

  private func write(_ steps: String) throws {
    try "name: x\nsteps:\n\(steps)\n".write(toFile: "\(folder)/flow.yaml", atomically: true, encoding: .utf8)
  }

  private func run(_ arguments: String...) throws -> FlowrunProcess.Result {
    try FlowrunProcess.run(arguments, in: folder, environment: cluster.environment)
  }

  private func lines(_ name: String) -> [String] {
    let text = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    return text?.split(separator: "\n").map(String.init) ?? []
  }

  private func isFree() throws -> Bool { try within(seconds: 15) { try cluster.ask("squeue -h").isEmpty } }

  @Test(.enabled(if: TestExtent.isFull))
  func `Slurm workers for single steps meet the requirements for executors`() async throws {
    var environment = ProcessInfo.processInfo.environment
    environment.merge(cluster.environment) { $1 }
    var request = ExecutorRequest(
      address: try ExecutorAddress(on), needs: ExecutorConformance.needs, workflowFolder: folder, pluginFolders: [],
      plugins: [], environment: environment)
    request.requests = [(StepID(unchecked: "a"), MachineResources())]
    request.hasPlainSteps = false
    let pool = try request.pool()
    #expect(pool.slots == 4)
    try await pool.open(waitingAtMost: .seconds(30))
    try await ExecutorConformance(pool: pool, folder: folder, request: MachineResources()).run()
    await pool.close()
    #expect(try isFree())
  }

  @Test func `the Slurm job of a step has the requested processors, memory, GPUs and name`() throws {
    try write(
      """
        small: { run: 'echo "$(nproc) $SLURM_CPUS_ON_NODE" > small', resources: { cpus: 1 } }
        large:
          run: |
            echo "$(nproc) $SLURM_CPUS_ON_NODE ${CUDA_VISIBLE_DEVICES-}" > large
            squeue -h -j $SLURM_JOB_ID -o '%m %j' >> large
          resources: { cpus: 2, memory: 65537KiB, gpus: 1 }
      """)
    let result = try run("flow.yaml", "--on", on, "--json")
    #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
    #expect(lines("small") == ["1 1"])
    #expect(lines("large").first == "2 2 0")
    let job = try #require(lines("large").last)
    #expect(job.hasPrefix("65M ") && job.hasSuffix(".large.1"), "\(job)")
    #expect(try isFree())
  }

  @Test func `the Slurm job of a second attempt uses the time limit and partition of that attempt`() throws {
    try write(
      """
        a:
          run: squeue -h -j $SLURM_JOB_ID -o '%l %P' >> log; [ "$(wc -l < log)" = 2 ]
          resources: { cpus: 1 }
          retry: { attempts: 2, delay: 1ms }
          executor:
            slurm: { time: "${{ attempt * 30 }}m", partition: "${{ case(attempt == 1, 'main', 'short') }}" }
      """)
    let result = try run("flow.yaml", "--on", on, "--json")
    #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
    #expect(lines("log") == ["30:00 main", "1:00:00 short"])
    #expect(try isFree())
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `srun in a command starts a process in the command's own slot, job or array task`() throws {
    try write(
      """
        slot: { run: 'srun hostname > slot', deadline: 60s }
        job: { run: 'srun hostname > job', resources: { cpus: 1 }, deadline: 60s }
        task: { run: 'srun hostname > task', foreach: [1], resources: { cpus: 1 }, deadline: 60s }
      """)
    let result = try run("flow.yaml", "--on", on)
    #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
    for name in ["slot", "job", "task"] { #expect(lines(name).count == 1, "\(name): \(lines(name))") }
    #expect(try isFree())
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `a resource request that no node can satisfy is reported before the run starts`() throws {
    for (resources, asked) in [
      ("cpus: 3", "3 cpus"), ("memory: 1GiB", "1 cpu and 1GiB of memory"), ("gpus: 2", "1 cpu and 2 gpus"),
    ] {
      try write("  a: { run: 'touch ran' }\n  b: { run: 'true', resources: { \(resources) } }")
      let result = try run("flow.yaml", "--on", on)
      #expect(result.exitCode == 2)
      let most = resources == "gpus: 2" ? "1 gpu" : "1000MiB of memory"
      #expect(
        result.errors.hasPrefix(
          "flowrun: step 'b' asks for \(asked), and no node of Slurm has as much; the largest has 2 cpus"),
        "\(result.errors)")
      #expect(result.errors.contains(most), "\(result.errors)")
    }
    try write("  b: { run: 'true', resources: { cpus: 3 } }")
    let partition = try run("flow.yaml", "--on", on + ",partition=short")
    #expect(partition.errors.contains("no node of the partition 'short' has as much"), "\(partition.errors)")
    #expect(lines("ran") == [] && !FileManager.default.fileExists(atPath: "\(folder)/ran"))
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `steps never exceed a node's capacity, and idle workers release allocations that other steps need`() throws {
    // Each body locks one file for each processor that it uses, so that too many bodies on a node are detected.
    let body = """
      take() { for n in 1 2; do exec 9>"lock-$SLURMD_NODENAME-$n"; flock -n 9 && return; done; echo over >> over; }
      take; echo "$SLURMD_NODENAME" >> ran
      """
    let whole = """
      exec 8>"lock-$SLURMD_NODENAME-1" 9>"lock-$SLURMD_NODENAME-2"
      flock -n 8 && flock -n 9 || echo over >> over
      echo "$SLURMD_NODENAME" >> ran; sleep 0.3
      """
    try body.write(toFile: "\(folder)/body", atomically: true, encoding: .utf8)
    try whole.write(toFile: "\(folder)/whole", atomically: true, encoding: .utf8)
    try write(
      """
        plain: { run: 'bash body; sleep 0.2', foreach: "${{ fromJSON('[1,2,3,4,5,6,7,8]') }}" }
        whole: { run: 'bash whole', foreach: "${{ fromJSON('[1,2,3]') }}", resources: { cpus: 2 } }
        gpu: { run: 'bash whole', resources: { cpus: 2, gpus: 1 }, needs: plain }
        last: { run: 'bash body', needs: gpu }
      """)
    let result = try run("flow.yaml", "--on", on, "--report", "report.json")
    #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
    #expect(lines("over") == [])
    #expect(lines("ran").count == 13)
    #expect(try isFree())
    let analysis = try run("analyze", "report.json")
    #expect(analysis.exitCode == 0, "\(analysis.errors)")
    #expect(analysis.output.contains("executor"), "\(analysis.output)")
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `cancellation and deadlines stop a step on Slurm and release its job`() throws {
    try write(
      """
        late: { run: 'echo $$ > late; sleep 60', resources: { cpus: 1 }, deadline: 500ms, optional: true }
        last: { run: 'echo $$ > last; sleep 60', resources: { cpus: 2 }, needs: late }
      """)
    let process = try FlowrunProcess(["flow.yaml", "--on", on], in: folder, environment: cluster.environment)
    #expect(within(seconds: 60) { lines("last").count == 1 })
    process.send(SIGINT)
    let result = process.result(limitSeconds: 60)
    #expect(result.exitCode == 130, "\(result.output) \(result.errors)")
    #expect(lines("late").count == 1)
    #expect(try isFree())
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `after flowrun is killed, no Slurm jobs of steps are running or waiting`() throws {
    try write(
      """
        a: { run: 'echo $$ > number; sleep 60', resources: { gpus: 1 } }
        b: { run: 'echo $$ > number; sleep 60', resources: { gpus: 1 } }
      """)
    let process = try FlowrunProcess(["flow.yaml", "--on", on], in: folder, environment: cluster.environment)
    #expect(within(seconds: 60) { lines("number").count == 1 })
    #expect(try within(seconds: 30) { try cluster.ask("squeue -h -t PENDING").contains("(Resources)") })
    process.send(SIGKILL)
    _ = process.result(limitSeconds: 20)
    #expect(try isFree())
    let number = try #require(lines("number").first)
    #expect(
      within(seconds: 5) {
        (try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)).map { $0.contains(") Z") } ?? true
      })
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `the result of a remote step is not written to a file if the run has secrets`() throws {
    // The command counts the `--result` options of its parent process, which is the worker.
    let body = #"run: 'tr "\0" "\n" < /proc/$PPID/cmdline | grep -c -- --result || true', resources: { cpus: 1 }"#
    for (head, count) in [("", "1"), ("secrets: { token: { env: TOKEN } }\n", "0")] {
      try "\(head)name: x\nsteps: { a: { \(body) } }\noutputs: { count: '${{ steps.a.outputs.stdout }}' }\n".write(
        toFile: "\(folder)/flow.yaml", atomically: true, encoding: .utf8)
      let result = try FlowrunProcess.run(
        ["flow.yaml", "--on", on, "--report", "report.json"], in: folder,
        environment: cluster.environment.merging(["TOKEN": "hidden-value"]) { $1 })
      #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
      let report = try String(contentsOfFile: "\(folder)/report.json", encoding: .utf8)
      #expect(report.contains("\"count\": \"\(count)\""), "\(report)")
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/.flowrun/x/results"))
    }
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `a step on Slurm whose worker was killed runs again as the next attempt`() throws {
    try write(
      """
        a:
          run: |
            echo "try $FLOWRUN_ATTEMPT" >> log
            [ "$FLOWRUN_ATTEMPT" = 2 ] || { kill -9 $PPID; sleep 60; }
          resources: { cpus: 2 }
      """)
    let result = try run("flow.yaml", "--on", on)
    #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
    #expect(lines("log") == ["try 1", "try 2"])
    #expect(try isFree())
  }
}
