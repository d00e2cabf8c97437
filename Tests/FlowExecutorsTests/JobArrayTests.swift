import Foundation
import TestSupport
import Testing

/// Runs fan-outs of steps with `resources` as job arrays on a real Slurm cluster, which has two nodes with two
/// processors each.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: SlurmCluster.isInstalled))
final class JobArrayTests {
  private let cluster: SlurmCluster
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-array-\(UUID().uuidString)"

  init() throws {
    cluster = try SlurmCluster()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private var on: String { "slurm=3,worker=\(FlowrunProcess.path)" }

  /// Writes a workflow with a step `s` that runs a command for each item.
  private func write(_ items: Int, _ command: String, _ options: String = "") throws {
    let list = (0..<items).map(String.init).joined(separator: ",")
    try """
    name: x
    steps:
      s:
        foreach: "${{ fromJSON('[\(list)]') }}"
        run: |
          \(command.replacing("\n", with: "\n      "))
        resources: { cpus: 1 }
        \(options)

    """.write(toFile: "\(folder)/flow.yaml", atomically: true, encoding: .utf8)
  }

  private func lines(_ name: String) -> [String] {
    let text = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    return text?.split(separator: "\n").map(String.init) ?? []
  }

  private func start(_ arguments: String...) throws -> FlowrunProcess {
    try FlowrunProcess(["flow.yaml", "--on", on] + arguments, in: folder, environment: cluster.environment)
  }

  /// Returns the indices of the tasks of each array.
  private func arrays() throws -> [[Int]] {
    let listed = try cluster.ask("squeue -h -r --states=all -o '%F %K'").split(separator: "\n").map {
      $0.split(separator: " ")
    }
    var arrays: [Int: [Int]] = [:]
    for words in listed {
      guard words.count == 2, let array = Int(words[0]), let index = Int(words[1]) else { continue }
      arrays[array, default: []].append(index)
    }
    return arrays.sorted { $0.key < $1.key }.map { $0.value.sorted() }
  }

  private func isFree() throws -> Bool { try within(seconds: 15) { try cluster.ask("squeue -h").isEmpty } }

  @Test func `items run as tasks of one job array, and lost items are submitted individually`() throws {
    // The worker of item 3 is killed once.
    try write(
      8,
      """
      echo "${{ item }} $SLURM_ARRAY_TASK_ID $FLOWRUN_ATTEMPT" >> ran
      [ "${{ item }} $FLOWRUN_ATTEMPT" != "3 1" ] || { kill -9 $PPID; sleep 60; }
      """)
    let result = try start("--report", "report.json").result(limitSeconds: 120)
    #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
    #expect(lines("ran").sorted() == (0..<8).map { "\($0) \($0) 1" }.inserting("3 3 2"))
    #expect(try arrays() == [Array(0..<8), [3]])
    #expect(try isFree())
    let report = try String(contentsOfFile: "\(folder)/report.json", encoding: .utf8)
    #expect(report.contains("Slurm keeps no accounting here"), "\(report)")
    // A task ends on its own after its item has run. If a busy machine detects the end too late, the task is cancelled.
    let states = Set(try cluster.ask("squeue -h -r --states=all -o %T").split(separator: "\n"))
    #expect(states.isSubset(of: ["COMPLETED", "CANCELLED", "FAILED"]), "\(states)")
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `an item whose array task is cancelled counts as lost, not as failed, and runs again`() throws {
    try write(
      9, #"[ "$FLOWRUN_ATTEMPT" != 1 ] || { echo $SLURM_ARRAY_JOB_ID >> begun; sleep 30; }; echo "${{ item }}" >> ran"#)
    let process = try start()
    for count in [3, 6, 9] {
      #expect(within(seconds: 60) { lines("begun").count >= count })
      _ = try cluster.ask("scancel --state=RUNNING \(try #require(lines("begun").first))")
    }
    let result = process.result(limitSeconds: 120)
    #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
    #expect(lines("ran").sorted().joined(separator: " ") == "0 1 2 3 4 5 6 7 8")
    #expect(try isFree())
  }

  @Test func `temporary refusals by the Slurm controller do not count as attempts`() throws {
    try write(3, #"echo "$FLOWRUN_ATTEMPT" >> ran"#)
    let (_, path) = try Shell.run("command -v sbatch")
    let commands = "\(folder)/commands"
    try FileManager.default.createDirectory(atPath: commands, withIntermediateDirectories: true)
    try """
    #!/bin/sh
    echo x >>'\(folder)/asked'
    [ $(wc -l <'\(folder)/asked') -gt 2 ] || { echo 'sbatch: error: Socket timed out on send/recv operation' >&2; exit 1; }
    '\(path.trimmingCharacters(in: .newlines))' "$@"; status=$?
    echo 'sbatch: thank you' >&2
    exit $status

    """.write(toFile: "\(commands)/sbatch", atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(commands)/sbatch")
    let ownPath = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let result = try FlowrunProcess.run(
      ["flow.yaml", "--on", on], in: folder,
      environment: cluster.environment.merging([
        "PATH": "\(commands):\(ownPath)", "SQUEUE_STATES": "COMPLETED", "SBATCH_WAIT": "1",
      ]) { $1 })
    #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
    #expect(lines("ran") == ["1", "1", "1"])
    #expect(result.errors.contains("sbatch: thank you") || result.output.contains("sbatch: thank you"), "\(result)")
    #expect(try isFree())
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `flowrun does not send signals to unrelated processes if items end immediately`() throws {
    let bystander = try BackgroundProgram(["sleep", "600"], log: "\(folder)/log")
    try write(40, "true")
    let result = try start().result(limitSeconds: 240)
    #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
    #expect(ListedProcess.program(of: bystander.number) == "sleep")
    #expect(try isFree())
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `after flowrun is killed, no commands of its job arrays run and no tasks wait`() throws {
    try write(20, "echo $$ >> numbers; sleep 60")
    let process = try start()
    #expect(within(seconds: 60) { lines("numbers").count == 3 })
    process.send(SIGKILL)
    _ = process.result(limitSeconds: 20)
    #expect(try isFree())
    for number in lines("numbers") {
      #expect(
        within(seconds: 10) {
          (try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)).map { $0.contains(") Z") } ?? true
        })
    }
    #expect(lines("numbers").count == 3)
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `flowrun cancels only its own job arrays`() throws {
    try write(20, "echo $$ >> numbers; sleep 60")
    let other = try cluster.ask("sbatch --parsable --hold --array=0-3 --output=/dev/null --wrap='sleep 60'")
    let process = try start()
    #expect(within(seconds: 60) { lines("numbers").count == 3 })
    process.send(SIGINT)
    #expect(process.result(limitSeconds: 60).exitCode == 130)
    let left = other.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(
      try within(seconds: 15) { Set(try cluster.ask("squeue -h -o %F").split(separator: "\n")) == [Substring(left)] })
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `if a node fails, only its own items are lost, and they are submitted individually`() throws {
    try write(
      6,
      """
      echo "${{ item }} $SLURMD_NODENAME $FLOWRUN_ATTEMPT" >> ran
      [ $FLOWRUN_ATTEMPT != 1 ] || while [ ! -e go ]; do sleep 0.1; done
      """)
    let process = try start()
    #expect(within(seconds: 60) { lines("ran").count == 3 })
    try cluster.killNode("node2")
    let lost = lines("ran").filter { $0.contains("node2") }.compactMap {
      $0.split(separator: " ").first.map(String.init)
    }
    _ = FileManager.default.createFile(atPath: "\(folder)/go", contents: nil)
    let result = process.result(limitSeconds: 200)
    #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
    let again = lines("ran").filter { $0.hasSuffix(" 2") }.compactMap {
      $0.split(separator: " ").first.map(String.init)
    }
    // More items may have started on the failed node before Slurm detected the failure.
    #expect(Set(again).isSuperset(of: lost) && !lost.isEmpty)
    let all = try arrays()
    #expect(all.first == Array(0..<6))
    #expect(all.dropFirst().flatMap(\.self).sorted() == again.compactMap { Int($0) }.sorted(), "\(all)")
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `job arrays are split at the maximum size that the cluster allows`() throws {
    let (status, output) = try Shell.run(
      "echo MaxArraySize=5 >> '\(cluster.folder)/slurm.conf'; SLURM_CONF='\(cluster.folder)/slurm.conf' scontrol reconfigure"
    )
    #expect(status == 0, "\(output)")
    try write(12, #"echo "${{ item }} $SLURM_ARRAY_TASK_ID" >> ran"#)
    let result = try start().result(limitSeconds: 120)
    #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
    #expect(lines("ran").count == 12)
    for line in lines("ran") {
      let numbers = line.split(separator: " ").compactMap { Int($0) }
      #expect(numbers[0] % 5 == numbers[1])
    }
    #expect(try arrays() == [Array(0..<5), Array(0..<5), [0, 1]])
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `if a file changes, only its item of an included workflow runs again, and others keep their outputs`() throws {
    for name in ["part", "part/raw"] {
      try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
    }
    func write(_ text: String, to name: String) throws {
      try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }
    for name in ["a", "b", "c"] { try write("1\n", to: "part/raw/\(name).txt") }
    try write(
      "name: x\nsteps: { part: { uses: ./part/part.yaml, with: { from: raw } } }\noutputs: { all: '${{ steps.part.outputs.all }}' }\n",
      to: "flow.yaml")
    try write(
      """
      name: part
      inputs: { from: { type: string } }
      steps:
        s:
          foreach: { files: "${{ inputs.from }}/*.txt" }
          inputs-from: ["${{ item.path }}"]
          produces: ["made-${{ item.stem }}"]
          run: |
            echo "${{ item.stem }}" >> ran
            cp "${{ item.path }}" "made-${{ item.stem }}"
            echo "size=$(wc -l < "${{ item.path }}")" >> "$FLOWRUN_OUTPUT"
          outputs: { size: { type: integer } }
          resources: { cpus: 1 }
      outputs: { all: "${{ join(steps.s.outputs.size, '-') }}" }

      """, to: "part/part.yaml")
    func run() throws -> String {
      let result = try start("--report", "report.json").result(limitSeconds: 120)
      #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
      return try String(contentsOfFile: "\(folder)/report.json", encoding: .utf8).filter { !$0.isWhitespace }
    }
    #expect(try run().contains(#""all":"1-1-1""#))
    try write("1\n2\n", to: "part/raw/b.txt")
    #expect(try run().contains(#""all":"1-2-1""#))
    #expect(lines("part/ran").sorted() == ["a", "b", "b", "c"])
    #expect(try arrays() == [[0, 1, 2], [1]])
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `a workflow in a Slurm job submits job arrays outside that job, and the user's job continues`() throws {
    try write(4, #"echo "${{ item }} $SLURM_ARRAY_TASK_ID" >> ran"#)
    try """
    #!/bin/bash
    #SBATCH --nodes=1 --ntasks=1 --cpus-per-task=1 --job-name=mine --array=7 --output=\(folder)/output
    cd '\(folder)'
    '\(FlowrunProcess.path)' flow.yaml --on '\(on)'
    echo $? > status
    sleep 60

    """.write(toFile: "\(folder)/job", atomically: true, encoding: .utf8)
    _ = try cluster.ask("sbatch '\(folder)/job'")
    #expect(within(seconds: 90) { lines("status") == ["0"] }, "\(lines("output"))")
    #expect(lines("ran").sorted() == (0..<4).map { "\($0) \($0)" })
    #expect(try within(seconds: 10) { try cluster.ask("squeue -h -o '%j %T'") == "mine RUNNING\n" })
  }
}

/// Reads Slurm's accounting of a run, with a real slurmdbd and MariaDB.
@Suite(.timeLimit(.minutes(10)), .enabled(if: SlurmCluster.hasAccounting && TestExtent.isFull))
struct SlurmAccountingTests {
  @Test func `the report contains the resource usage of jobs, and analyze suggests requests`() throws {
    let cluster = try SlurmCluster(hasAccounting: true)
    let folder = FileManager.default.temporaryDirectory.path + "/flowrun-accounting-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try """
    import time
    held = bytearray(150 << 20)
    for index in range(0, len(held), 4096): held[index] = 1
    end = time.process_time() + 1.5
    while time.process_time() < end: pass
    time.sleep(3)
    """.write(toFile: "\(folder)/take.py", atomically: true, encoding: .utf8)
    try """
    name: x
    steps:
      much: { foreach: [a, b], run: python3 take.py, resources: { cpus: 2, memory: 900MiB } }
      little: { run: python3 take.py, resources: { cpus: 1, memory: 170MiB } }

    """.write(toFile: "\(folder)/flow.yaml", atomically: true, encoding: .utf8)
    let result = try FlowrunProcess.run(
      ["flow.yaml", "--on", "slurm=3,worker=\(FlowrunProcess.path)", "--report", "report.json"], in: folder,
      environment: cluster.environment)
    #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/report.json"))
    let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let jobs = try #require(report["jobs"] as? [[String: Any]])
    #expect(report["accounting"] == nil, "\(report["accounting"] ?? "")")
    #expect(jobs.map { $0["step"] as? String } == ["little", "much", "much"])
    for job in jobs {
      #expect(job["state"] as? String == "COMPLETED")
      let memory = try #require(job["memoryBytes"] as? Int)
      #expect((150 << 20..<600 << 20).contains(memory), "\(job)")
      #expect((job["cpuMilliseconds"] as? Int ?? 0) >= 1000, "\(job)")
      #expect((job["elapsedMilliseconds"] as? Int ?? 0) >= 2000, "\(job)")
    }
    #expect((jobs[2]["job"] as? String)?.hasSuffix("_1") == true)
    let analysis = try FlowrunProcess.run(["analyze", "report.json"], in: folder, environment: [:])
    #expect(analysis.output.contains("'little' asks for 170MiB of memory and took"), "\(analysis.output)")
    #expect(analysis.output.contains("'much' asks for 900MiB of memory and took"), "\(analysis.output)")
    #expect(analysis.output.contains("'much' asks for 2 cpus and kept at most 1 busy (2 jobs); write 'cpus: 1'"))
  }
}

extension [String] {
  /// Returns these lines and `line` in sorted order.
  fileprivate func inserting(_ line: String) -> [String] { (self + [line]).sorted() }
}
