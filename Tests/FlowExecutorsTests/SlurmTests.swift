import FlowModel
import FlowPluginKit
import FlowSyntax
import FlowTestKit
import Foundation
import TestSupport
import Testing

@testable import FlowExecutors
@testable import FlowPluginHost

/// Runs workers in allocations of a real Slurm cluster, which has two nodes with two processors each.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: SlurmCluster.isInstalled))
final class SlurmTests {
  private let cluster: SlurmCluster
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-on-slurm-\(UUID().uuidString)"

  init() throws {
    cluster = try SlurmCluster()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func run(_ arguments: String...) throws -> FlowrunProcess.Result {
    try FlowrunProcess.run(arguments, in: folder, environment: cluster.environment)
  }

  private var on: String { "slurm=4,worker=\(FlowrunProcess.path)" }

  private func write(_ text: String) throws {
    try text.write(toFile: "\(folder)/flow.yaml", atomically: true, encoding: .utf8)
  }

  @Test func `workers on Slurm meet the requirements for executors and release their allocations`() async throws {
    var environment = ProcessInfo.processInfo.environment
    environment.merge(cluster.environment) { $1 }
    let request = ExecutorRequest(
      address: try ExecutorAddress(on), needs: ExecutorConformance.needs, workflowFolder: folder, pluginFolders: [],
      plugins: [], environment: environment)
    let pool = try request.pool()
    #expect(pool.slots == 4)
    try await pool.open(waitingAtMost: .seconds(30))
    try await ExecutorConformance(pool: pool, folder: folder).run()
    await pool.close()
    let isFree = try within(seconds: 5) { try cluster.ask("squeue -h").isEmpty }
    #expect(isFree)
  }

  @Test func `requests that Slurm cannot satisfy are reported before any step runs`() throws {
    try write("name: x\nsteps: { a: { run: 'touch ran' } }\n")
    let partition = try run("flow.yaml", "--on", on + ",partition=big")
    #expect(partition.exitCode == 2)
    #expect(partition.errors == "flowrun: Slurm has no partition 'big'; there are main, short\n")
    let program = try run("flow.yaml", "--on", "slurm=2,worker=/no/flowrun")
    #expect(program.exitCode == 2)
    #expect(program.errors.contains("/no/flowrun"))
    let large = try run("flow.yaml", "--on", on + ",per-node=3")
    #expect(large.exitCode == 2)
    #expect(large.errors == "flowrun: no node has 3 processors, as per-node=3 asks for; the largest has 2\n")
    _ = try cluster.ask("scontrol update NodeName=node1,node2 State=DRAIN Reason=test")
    let drained = try run("flow.yaml", "--on", on)
    #expect(drained.exitCode == 2)
    #expect(
      drained.errors == "flowrun: no node of Slurm can be used: node1 is drain, node2 is drain\n", "\(drained.errors)")
    _ = try cluster.ask("scontrol update PartitionName=short State=DOWN")
    let down = try run("flow.yaml", "--on", on + ",partition=short")
    #expect(down.exitCode == 2)
    #expect(down.errors == "flowrun: Slurm's partition 'short' is down\n")
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/ran"))
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `a Slurm controller that does not respond is reported`() throws {
    try write("name: x\nsteps: { a: { run: 'true' } }\n")
    let result = try FlowrunProcess.run(
      ["flow.yaml", "--on", on], in: folder, environment: ["SLURM_CONF": "/no/slurm.conf"])
    #expect(result.exitCode == 2)
    #expect(result.errors.contains("Slurm cannot be reached"))
  }

  @Test func `no Slurm job and no command is left after flowrun is killed`() throws {
    try write("name: x\nsteps: { a: { run: 'echo $$ > number; sleep 60' } }\n")
    let process = try FlowrunProcess(["flow.yaml", "--on", on], in: folder, environment: cluster.environment)
    let hasBegun = within(seconds: 30) { FileManager.default.fileExists(atPath: "\(folder)/number") }
    #expect(hasBegun)
    process.send(SIGKILL)
    _ = process.result(limitSeconds: 20)
    let isOver = try within(seconds: 15) { try cluster.ask("squeue -h").isEmpty }
    #expect(isOver)
    let number = try String(contentsOfFile: "\(folder)/number", encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let isGone = within(seconds: 5) {
      (try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)).map { $0.contains(") Z") } ?? true
    }
    #expect(isGone)
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `the allocation of a worker that does not stop in time is released`() throws {
    try write(
      """
      name: x
      steps:
        a: { run: "true" }
        b: { run: "touch begun; until [ -e stop ]; do sleep 0.05; done", needs: a, executor: local }

      """)
    let process = try FlowrunProcess(["flow.yaml", "--on", on], in: folder, environment: cluster.environment)
    #expect(within(seconds: 30) { FileManager.default.fileExists(atPath: "\(folder)/begun") })
    let (_, listed) = try Shell.run(
      """
      for p in $(pgrep -f -- 'worker --stdio'); do
        [ "$(readlink /proc/$p/cwd)" = '\(folder)' ] && case $(ps -o comm= -p $p) in flowrun*) echo $p ;; esac
      done; true
      """
    )
    let workers = ListedProcess.numbers(listed)
    #expect(!workers.isEmpty)
    for worker in workers { kill(worker, SIGSTOP) }
    _ = FileManager.default.createFile(atPath: "\(folder)/stop", contents: nil)
    let result = process.result(limitSeconds: 60)
    #expect(result.exitCode == 0, "\(result)")
    // The transports have already been killed. The workers now end as requested, without contacting Slurm.
    for worker in workers { kill(worker, SIGCONT) }
    #expect(try within(seconds: 20) { try cluster.ask("squeue -h").isEmpty })
  }

  @Test(.enabled(if: TestExtent.isFull), arguments: [false, true])
  func `an allocation that Slurm has not granted yet is released together with the others`(isKilled: Bool) throws {
    try write("name: x\nsteps: { a: { run: 'sleep \(isKilled ? 60 : 1)' } }\n")
    let process = try FlowrunProcess(
      ["flow.yaml", "--on", on.replacing("slurm=4", with: "slurm=12")], in: folder, environment: cluster.environment)
    #expect(try within(seconds: 30) { try cluster.ask("squeue -h -t PENDING").contains("(Resources)") })
    if isKilled { process.send(SIGKILL) }
    _ = process.result(limitSeconds: 60)
    #expect(try within(seconds: 15) { try cluster.ask("squeue -h").isEmpty })
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `random workflows have the same result on Slurm as locally`() throws {
    try TimelessReport.compare(
      FaultScene.isLong ? 20 : 2, in: folder, on: ["--on", on], environment: cluster.environment)
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `a missing flowrun on Slurm nodes is reported with a remedy`() throws {
    try write("name: x\nsteps: { a: { run: 'true' } }\n")
    let result = try run("flow.yaml", "--on", "slurm=2")
    #expect(result.exitCode == 2)
    #expect(result.errors.contains("; name the path that flowrun has there with 'worker=PATH'"), "\(result.errors)")
  }

  @Test func `neither a Slurm node nor srun receives a variable that contains a secret`() throws {
    let scene = SecretVariable(folder: folder, transport: "srun --nodes=1")
    try scene.write()
    try scene.check(["--on", on], cluster.environment)
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `a step of an included file runs on Slurm in that file's folder, with and without items`() throws {
    try FileManager.default.createDirectory(atPath: "\(folder)/lib", withIntermediateDirectories: true)
    let files = [
      "a.txt": "main-1\n", "lib/a.txt": "lib-1\n",
      "flow.yaml": "name: m\nsteps: { flat: { uses: ./lib/l.yaml }, fan: { uses: ./lib/l.yaml, foreach: [1] } }\n",
      "lib/l.yaml":
        "name: l\nsteps: { s: { run: 'basename $(pwd); cat a.txt', inputs-from: [a.txt] } }\n",
    ]
    for (name, text) in files { try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8) }
    let result = try run("flow.yaml", "--verbose", "--on", on.replacing("slurm=4", with: "slurm=2"))
    #expect(result.exitCode == 0 && result.output.contains("s started on slurm"), "\(result)")
    for line in ["flat/s: lib\n", "flat/s: lib-1\n", "fan[0]: s: lib\n", "fan[0]: s: lib-1\n"] {
      #expect(result.output.contains(line), "\(line)\(result)")
    }
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `a short step takes less than 15 ms longer on Slurm than on a local worker`() throws {
    var steps = "  s0: { run: 'echo hi; sleep 0.012' }\n"
    for index in 1..<30 { steps += "  s\(index): { run: 'echo hi; sleep 0.012', needs: s\(index - 1) }\n" }
    try write("name: chain\nsteps:\n\(steps)")
    func median(_ on: String) throws -> Double {
      let result = try run("flow.yaml", "--no-history", "--report", "report.json", "--on", on)
      #expect(result.exitCode == 0, "\(result)")
      let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/report.json"))
      let report = try JSONSerialization.jsonObject(with: data) as? [String: Any]
      let steps = try #require(report?["steps"] as? [String: [String: Any]])
      let ends = steps.values.compactMap { $0["endedAt"] as? Double }.sorted()
      return zip(ends.dropFirst(), ends).map { $0 - $1 }.sorted()[15]
    }
    let (here, away) = (try median("workers=1"), try median("slurm=1,worker=\(FlowrunProcess.path)"))
    print("a step of 12 ms takes \(here) ms on a worker here and \(away) ms on Slurm")
    #expect(away < here + 15)
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `the reason why a Slurm allocation waits is reported in Slurm's words`() throws {
    try write("name: x\nsteps: { a: { run: 'true' } }\n")
    let process = try FlowrunProcess(
      ["flow.yaml", "--verbose", "--on", on + ",partition=short,time=3h"], in: folder, environment: cluster.environment)
    #expect(
      process.waitForErrors(
        "flowrun: --on slurm: no worker is ready after 5 s (2 jobs wait in the queue: PartitionTimeLimit); steps wait for one\n"
      ))
    #expect(!process.outputSoFar.contains("a started"))
    process.send(SIGTERM)
    #expect(process.result().exitCode == 143)
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `the options of an executor's address determine the Slurm allocations`() throws {
    try write(
      """
      name: x
      steps: { a: { run: 'echo "$SLURMD_NODENAME"; squeue -h -j $SLURM_JOB_ID -o "%m %v %b %u"' } }

      """)
    for (options, lines) in [
      ("nodelist=node[2]", ["a: node2"]), ("exclude=node2", ["a: node1"]), ("srun.nice=5", ["a: node"]),
      ("mem=123M,gres=gpu:1", ["a: node1", "a: 123M (null) gres:gpu:1"]), ("reservation=kept", ["a: node2"]),
    ] {
      // The reservation keeps all other jobs away from the node.
      if options.hasPrefix("reservation") {
        _ = try cluster.ask(
          "scontrol create reservation=kept users=$(id -un) nodes=node2 starttime=now duration=10 flags=ignore_jobs")
      }
      let result = try run("flow.yaml", "--no-history", "--on", "slurm=1,worker=\(FlowrunProcess.path),\(options)")
      #expect(result.exitCode == 0, "\(options): \(result)")
      for line in lines { #expect(result.output.contains(line), "\(options): \(result)") }
    }
    let unknown = try run("flow.yaml", "--on", on + ",nodelist=node9")
    #expect(unknown.exitCode == 2)
    #expect(unknown.errors == "flowrun: nodelist=node9: Slurm has no node 'node9'\n", "\(unknown.errors)")
    let refused = try run("flow.yaml", "--on", on + ",srun.nodes=2")
    #expect(refused.exitCode == 64)
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `of two concurrent resumes, only the one that takes over the run starts Slurm jobs`() throws {
    try write(StandbyTests.handedOn)
    let first = try FlowrunProcess(["flow.yaml"], in: folder)
    #expect(within(seconds: 30) { FileManager.default.fileExists(atPath: "\(folder)/begun") })
    let standbys = try (0..<2).map { _ in
      try FlowrunProcess(
        ["resume", "last", "--wait", "--on", on.replacing("slurm=4", with: "slurm=2")], in: folder,
        environment: cluster.environment)
    }
    for standby in standbys { #expect(standby.waitForErrors("waiting\n")) }
    #expect(try cluster.ask("squeue -h").isEmpty)
    first.send(SIGKILL)
    _ = first.result()
    #expect(try within(seconds: 30) { try !cluster.ask("squeue -h").isEmpty })
    usleep(2_000_000)
    #expect(try Set(cluster.ask("squeue -h -o %k").split(separator: "\n")).count == 1)
    _ = FileManager.default.createFile(atPath: "\(folder)/go", contents: nil)
    for standby in standbys { #expect(standby.result().exitCode == 0) }
    #expect(try within(seconds: 5) { try cluster.ask("squeue -h").isEmpty })
  }

  /// Runs a script as a user at a terminal would, with flowrun in the `PATH`.
  private func script(_ text: String) throws -> (status: Int32, output: String) {
    let programs = URL(fileURLWithPath: FlowrunProcess.path).deletingLastPathComponent().path
    return try Shell.run(
      """
      set -e
      cd '\(folder)'
      export HOME="$PWD" NO_COLOR=1 PATH='\(programs)':"$PATH" SLURM_CONF='\(cluster.folder)/slurm.conf'
      \(text)
      """)
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `the commands in the Slurm guide work as written`() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../docs/scale.md")
    let page = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
    let section = try #require(page.components(separatedBy: "## From one machine to Slurm").dropFirst().first)
    func block(_ language: String) throws -> String {
      let rest = try #require(section.components(separatedBy: "```\(language)\n").dropFirst().first)
      return try #require(rest.components(separatedBy: "```").first)
    }
    try block("yaml").write(toFile: "\(folder)/build.yaml", atomically: true, encoding: .utf8)
    let (status, output) = try script(try block("sh"))
    #expect(status == 0, "\(output)")
    #expect(output.components(separatedBy: "pack: packed").count == 4, "\(output)")
    #expect(output.contains("pack started on slurm"), "\(output)")
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `an exported workflow runs as dependent Slurm jobs, and steps that cannot be exported are reported`() throws {
    try write(
      """
      name: x
      env: { WHO: "it's me" }
      steps:
        second: { run: 'echo "second $WHO" >> log', needs: first }
        first: { run: 'echo first >> log' }
        fails: { run: 'echo try >> tries; exit 1', optional: true, retry: { attempts: 2, delay: 1s } }
        last: { run: 'echo last >> log', needs: [second, fails], deadline: 1m }
        inside: { uses: flow.noop }
        behind: { run: 'echo behind >> log', needs: inside }

      """)
    let exported = try run("export", "flow.yaml", "--format", "slurm")
    #expect(exported.exitCode == 4)
    #expect(
      exported.errors == """
        flowrun: step 'inside' is left out: 'flow.noop' is not a command
        flowrun: step 'behind' needs 'inside', which is left out

        """)
    try exported.output.write(toFile: "\(folder)/jobs.sh", atomically: true, encoding: .utf8)
    let (status, output) = try script("bash jobs.sh")
    #expect(status == 0, "\(output)")
    #expect(try within(seconds: 60) { try cluster.ask("squeue -h").isEmpty })
    #expect(try String(contentsOfFile: "\(folder)/log", encoding: .utf8) == "first\nsecond it's me\nlast\n")
    #expect(try String(contentsOfFile: "\(folder)/tries", encoding: .utf8) == "try\ntry\n")
  }

  @Test func `a step whose Slurm node fails runs again within 16 s, and its first attempt does not continue`() throws {
    try write(
      """
      name: x
      steps:
        a:
          run: |
            echo "start $SLURMD_NODENAME $FLOWRUN_ATTEMPT" >> log
            [ "$FLOWRUN_ATTEMPT" = 2 ] || sleep 60
            echo "end $FLOWRUN_ATTEMPT" >> log
      """)
    let process = try FlowrunProcess(["flow.yaml", "--on", on], in: folder, environment: cluster.environment)
    func log() -> [String] {
      let text = try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)
      return text?.split(separator: "\n").map(String.init) ?? []
    }
    #expect(within(seconds: 30) { log().count == 1 })
    let node = String(try #require(log().first).split(separator: " ")[1])
    let start = ContinuousClock.now
    try cluster.killNode(node)
    let result = process.result(limitSeconds: 60)
    #expect(ContinuousClock.now - start < .seconds(16))
    #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
    #expect(log().count == 3)
    #expect(log().last == "end 2")
  }
}
