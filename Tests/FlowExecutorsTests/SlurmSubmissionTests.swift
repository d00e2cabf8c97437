import FlowModel
import FlowPluginHost
import FlowSyntax
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FlowExecutors

/// Submits jobs and parses the output of Slurm's commands, which fake commands replace.
final class SlurmSubmissionTests {
  private let slurm: FakeSlurm
  private let engine: SlurmEngine
  private let pauses = Pauses()
  private let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
  private let batch = ArrayBatch(name: "run.s.1", request: MachineResources(cpus: 1), indices: [0, 1, 2], atOnce: 2)

  private final class Pauses: Sendable {
    let all = Mutex<[Duration]>([])
    let told = Mutex<[String]>([])
  }

  init() throws {
    slurm = try FakeSlurm()
    var engine = SlurmEngine(address: try ExecutorAddress("slurm=2"), environment: slurm.environment)
    engine.pause = { [pauses] pause in pauses.all.withLock { $0.append(pause) } }
    engine.tell = { [pauses] line in pauses.told.withLock { $0.append(line) } }
    self.engine = engine
    // Programs are searched for in the PATH of this process.
    setenv("PATH", slurm.environment["PATH"] ?? "", 1)
  }

  deinit {
    setenv("PATH", path, 1)
    slurm.remove()
  }

  private func calls(of name: String) -> [String] {
    slurm.calls.compactMap { call in
      let words = call.split(separator: " ").map(String.init)
      // Skip lines of scripts that were passed to other commands, because they have no process id.
      guard words.count > 1, words[0] == name, Int(words[1]) != nil else { return nil }
      return ([name] + words.dropFirst(2)).joined(separator: " ")
    }
  }

  @Test(arguments: [
    ("1234\n", 1234), ("1234;cluster\n", 1234), ("Welcome!\n1234\n", 1234), ("1234\nno partition given\n", 1234),
    ("7 jobs are waiting\n1234;c\nthank you; goodbye 5\n", 1234), ("", nil), ("Submitted batch job 12\n", nil),
    ("-5\n", nil),
    ("0\n", nil), ("12x\n", nil),
  ])
  func `a Slurm job's id is parsed from its line, and other lines are ignored`(output: String, number: Int?) {
    #expect(SlurmAnswers.jobNumber(output) == number)
  }

  @Test func `the error output of sbatch is shown but not parsed`() throws {
    try slurm.set("sbatch", "echo 'sbatch: 99' >&2; echo banner; echo 42; echo 'sbatch: using partition main' >&2")
    #expect(try engine.submit(batch, known: [], mayExist: false) == 42)
    #expect(pauses.told.withLock { $0 } == ["slurm: sbatch: 99", "slurm: sbatch: using partition main"])
  }

  @Test func `a Slurm job of a later attempt uses the time limit and partition of that attempt`() throws {
    let engine = SlurmEngine(
      address: try ExecutorAddress("slurm=2,partition=short,time=30m"), environment: slurm.environment)
    try slurm.set("sbatch", "echo 42")
    let jobs = [nil, ClusterJob(timeLimit: .seconds(3600)), ClusterJob(timeLimit: .seconds(5400), partition: "long")]
    for (number, job) in jobs.enumerated() {
      var request = MachineResources(cpus: 1)
      request.job = job
      let batch = ArrayBatch(name: "run.s.\(number + 1)", request: request, indices: [0], atOnce: 1)
      _ = try engine.submit(batch, known: [], mayExist: false)
    }
    func options(_ words: [String]) -> [String] {
      words.filter { $0.hasPrefix("--partition") || $0.hasPrefix("--time") }
    }
    let expected = [
      ["--partition=short", "--time=0:30:00"], ["--partition=short", "--time=1:00:00"],
      ["--partition=long", "--time=1:30:00"],
    ]
    #expect(calls(of: "sbatch").map { options($0.split(separator: " ").map(String.init)) } == expected)
    // The jobs of steps without items are started by srun.
    let commands = jobs.map { job in
      var request = MachineResources(cpus: 1)
      request.job = job
      return engine.sized { _ in ["flowrun"] }.start(request, "run.s.1", nil).command
    }
    #expect(commands.map(options) == expected)
  }

  @Test func `the request of a later attempt is checked against the nodes of its partition`() throws {
    try slurm.set(
      "sinfo",
      """
      case "$*" in
      *--Node*--partition=long*) echo '8 1000 (null) idle long node2' ;;
      *--Node*) echo '2 1000 (null) idle short* node1' ;;
      *) echo 'short up'; echo 'long up' ;;
      esac
      """)
    let engine = SlurmEngine(address: try ExecutorAddress("slurm=2,partition=short"), environment: slurm.environment)
    func check(cpus: Int, _ partition: String?) throws {
      var request = MachineResources(cpus: cpus)
      request.job = partition.map { ClusterJob(partition: $0) }
      try engine.check([(StepID(unchecked: "a"), request)], on: try engine.cluster())
    }
    try check(cpus: 2, nil)
    try check(cpus: 8, "long")
    let problem = #expect(throws: ExecutorProblem.self) { try check(cpus: 9, "long") }
    #expect(
      problem?.message.contains("no node of the partition 'long' has as much") == true, "\(problem?.message ?? "")")
    let unknown = #expect(throws: ExecutorProblem.self) { try check(cpus: 1, "lnog") }
    #expect(unknown?.message == "Slurm has no partition 'lnog'; there are short, long")
  }

  @Test func `the request of a later attempt is not checked against nodes that its job must not use`() throws {
    // node2 is in both partitions, node3 only in the second one.
    try slurm.set(
      "sinfo",
      """
      case "$*" in
      *--Node*--partition=long*) echo '8 1000 (null) idle long node2'; echo '4 1000 (null) idle long node3' ;;
      *--Node*) echo '2 1000 (null) idle short* node1'; echo '8 1000 (null) idle short* node2' ;;
      *) echo 'short up'; echo 'long up' ;;
      esac
      """)
    try slurm.set("scontrol", "echo \"$3\"")
    for option in ["exclude=node2", "nodelist=node1"] {
      var engine = SlurmEngine(
        address: try ExecutorAddress("slurm=2,partition=short,\(option)"), environment: slurm.environment)
      let cluster = try engine.cluster()
      engine.excluded = cluster.excluded
      func check(cpus: Int) throws {
        var request = MachineResources(cpus: cpus)
        request.job = ClusterJob(partition: "long")
        #expect(engine.job(request, "run.s.1").contains("--exclude=node2"))
        try engine.check([(StepID(unchecked: "a"), request)], on: cluster)
      }
      try check(cpus: 4)
      let problem = #expect(throws: ExecutorProblem.self) { try check(cpus: 8) }
      #expect(problem?.message.contains("the largest has 4 cpus") == true, "\(problem?.message ?? "")")
    }
  }

  private static let timeout =
    "echo 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' >&2; exit 1"

  @Test(arguments: [timeout, "echo no number here", ":"])
  func `a job array whose id was not received is found by its name`(sbatch: String) throws {
    try slurm.set("sbatch", sbatch)
    try slurm.set("squeue", "echo '41 0-2%2 someone-else'; echo '42 0 \(engine.mark)'; echo '42 1-2%2 \(engine.mark)'")
    #expect(try engine.submit(batch, known: [], mayExist: false) == 42)
    #expect(calls(of: "squeue") == ["squeue --noheader --me --name=run.s.1 --format=%F %K %k"])
    #expect(calls(of: "scancel") == [])
    // After its number was lost, the array is found and not submitted again.
    #expect(try engine.submit(batch, known: [], mayExist: true) == 42)
    #expect(calls(of: "sbatch").count == 1)
  }

  @Test func `a job array with the same name but other items is cancelled, unless it is already known`() throws {
    try slurm.set("sbatch", Self.timeout)
    try slurm.set("squeue", "echo '41 0-3%2 \(engine.mark)'; echo '40 0-2%2 \(engine.mark)'")
    let problem = #expect(throws: ExecutorProblem.self) { try engine.submit(batch, known: [40], mayExist: false) }
    #expect(problem?.isPassing == true)
    #expect(problem?.message == "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation")
    #expect(calls(of: "scancel") == ["scancel --quiet 41"])
  }

  @Test func `if Slurm refuses a job array permanently, flowrun does not search for it`() throws {
    try slurm.set("sbatch", "echo 'sbatch: error: invalid partition specified: x' >&2; exit 1")
    let problem = #expect(throws: ExecutorProblem.self) { try engine.submit(batch, known: [], mayExist: false) }
    #expect(problem?.isPassing == false)
    #expect(calls(of: "squeue") == [])
  }

  private func refuse(times: Int, _ message: String) throws {
    try slurm.set(
      "sinfo",
      """
      echo x >>'\(slurm.folder)/asked'
      [ $(wc -l <'\(slurm.folder)/asked') -gt \(times) ] || { echo 'sinfo: error: \(message)' >&2; exit 1; }
      case "$*" in *--Node*) echo '2 1000 (null) idle main* node1' ;; *) echo 'main up' ;; esac
      """)
  }

  @Test func `calls to Slurm that fail temporarily are repeated with growing pauses`() throws {
    try refuse(times: 6, "Unable to contact slurm controller (connect failure)")
    #expect(try engine.cluster().excluded == [])
    let seconds = pauses.all.withLock {
      $0.map { Double($0.components.attoseconds) / 1e18 + Double($0.components.seconds) }
    }
    #expect(seconds == [0.5, 1, 2, 4, 8, 10])
    #expect(pauses.told.withLock { $0.count } == 1)
  }

  @Test func `a permanent error of Slurm is reported immediately, and a temporary one after the time limit`() throws {
    try refuse(times: 99, "slurm_load_partitions: Invalid node name specified")
    #expect(throws: ExecutorProblem.self) { try engine.cluster() }
    #expect(pauses.all.withLock { $0.isEmpty })
    try refuse(times: 99, "Socket timed out on send/recv operation")
    var hasty = engine
    hasty.patience = .zero
    let problem = #expect(throws: ExecutorProblem.self) { try hasty.cluster() }
    #expect(problem?.message == "Slurm cannot be reached: sinfo: error: Socket timed out on send/recv operation")
  }

  @Test func `pauses between calls to Slurm double in length, and the last one ends at the time limit`() {
    let start = ContinuousClock.now
    var pauses = GrowingPauses(limit: .seconds(20), from: start)
    var (now, taken) = (start, [Duration]())
    while let pause = pauses.next(at: now) {
      taken.append(pause)
      now += pause
    }
    #expect(taken == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8), .milliseconds(4500)])
  }

  @Test(arguments: [
    ("KillWait                = 30 sec", [30], nil),
    ("KillWait                = 30 sec", [], nil),
    ("KillWait2               = 1 sec", [60], nil),
    (
      "KillWait                = 30 sec", [2, 60],
      "slurm: step 's1' has 1m to stop ('within'), but commands in a job that Slurm itself ends have only 30s (KillWait)"
    ),
    (
      "MaxArraySize = 1001\nKillWait = 5 sec", [60, 90, 6, 5],
      "slurm: step 's1' has 1m30s to stop ('within'), but commands in a job that Slurm itself ends have only 5s (KillWait); "
        + "so do 2 other steps"
    ),
  ])
  func `a warning names a step whose time to stop exceeds Slurm's limit`(
    configuration: String, seconds: [Int], warning: String?
  ) throws {
    try slurm.set("scontrol", "echo '\(configuration)'")
    let times = seconds.enumerated().map { index, seconds in
      (step: StepID(unchecked: "s\(index)"), time: Duration.seconds(seconds))
    }
    #expect(try engine.killWaitWarning(for: times) == warning)
    #expect(calls(of: "scontrol").count == (seconds.isEmpty ? 0 : 1))
  }

  @Test func `the output of a run warns about a step whose time to stop exceeds Slurm's limit`() throws {
    try slurm.set("scontrol", "echo 'KillWait = 30 sec'")
    let steps = "steps: { a: { run: 'true' }, b: { run: 'true', stop: { within: 40s } } }"
    try "name: x\ndefaults: { stop: { within: 20s } }\n\(steps)\n"
      .write(toFile: "\(slurm.folder)/flow.yaml", atomically: true, encoding: .utf8)
    let result = try FlowrunProcess.run(
      ["flow.yaml", "--on", "slurm=1,worker=\(FlowrunProcess.path)"], in: slurm.folder, environment: slurm.environment)
    #expect(result.exitCode == 0, "\(result)")
    #expect(result.output.contains("warning: slurm: step 'b' has 40s to stop"), "\(result)")
  }

  @Test func `of the user's Slurm variables, only defaults such as the account and partition are kept`() throws {
    let kept = [
      "PATH", "SLURM_ACCOUNT", "SBATCH_ACCOUNT", "SBATCH_QOS", "SBATCH_PARTITION", "SLURM_CONF", "SRUN_CPU_BIND",
    ]
    let removed = [
      "SQUEUE_STATES", "SQUEUE_PARTITION", "SQUEUE_FORMAT", "SCANCEL_STATE", "SACCT_FORMAT", "SBATCH_WAIT",
      "SBATCH_OUTPUT",
      "SBATCH_ARRAY_INX", "SBATCH_EXPORT", "SBATCH_JOB_NAME", "SRUN_EXPORT_ENV", "SLURM_STDOUTMODE",
    ]
    let environment = Dictionary(uniqueKeysWithValues: (kept + removed).map { ($0, "x") })
    let engine = SlurmEngine(address: try ExecutorAddress("slurm=2,account=y"), environment: environment)
    #expect(engine.environment.keys.sorted() == kept.sorted())
    #expect(engine.defaults == [])
    let plain = SlurmEngine(address: try ExecutorAddress("slurm=2"), environment: environment)
    #expect(plain.defaults == ["account 'x' is that of the variable SLURM_ACCOUNT"])
  }
}
