import FlowModel
import FlowPluginHost
import FlowSyntax
import FlowSystem

/// Slurm as an engine of workers: one allocation a node, whose only task is the worker that `srun` carries. So both end
/// together, and a node that dies takes no healthy one with it. A step with `resources` has an allocation of its own.
struct SlurmEngine {
  let address: ExecutorAddress
  let environment: [String: String]
  /// The nodes that no allocation may be on.
  var excluded: [String] = []

  /// The comment of all jobs of this run, and of no others; with a number behind it the name of an allocation.
  private let mark = "flowrun-" + String(UInt64.random(in: 0 ... .max), radix: 36)

  /// How long Slurm may take to answer a question.
  private static let answerTime = Duration.seconds(10)
  /// How long an allocation may wait in Slurm's queue by default.
  private static let usualWait = Duration.seconds(3600)

  init(address: ExecutorAddress, environment: [String: String]) {
    self.address = address
    self.environment = Self.outsideJob(environment)
  }

  /// What a user sets as a default for `srun`, or to reach Slurm. In a job Slurm sets none of it but `SLURM_CONF`, which is
  /// the same everywhere.
  private static let userVariables: Set<String> = [
    "SLURM_CONF", "SLURM_JWT", "SLURM_CLUSTERS", "SLURM_ACCOUNT", "SLURM_PARTITION", "SLURM_QOS", "SLURM_CONSTRAINT",
    "SLURM_RESERVATION", "SLURM_TIMELIMIT", "SLURM_WCKEY",
  ]

  /// An environment without what Slurm sets in a job. With it `srun` would make a step of the user's own job instead of asking
  /// for an allocation, and would take that job's sizes for the worker's.
  static func outsideJob(_ environment: [String: String]) -> [String: String] {
    guard environment["SLURM_JOB_ID"] != nil || environment["SLURM_JOBID"] != nil else { return environment }
    return environment.filter { name, _ in
      userVariables.contains(name) || !["SLURM", "SRUN_", "PMI"].contains { name.hasPrefix($0) }
    }
  }

  private var wait: Duration { address["wait"].flatMap { try? DurationText.parse($0) } ?? Self.usualWait }

  /// The workers that so many slots take.
  func starts(_ worker: [String], perNode: Int) -> [WorkerStart] {
    let count = (address.slots + perNode - 1) / perNode
    return (0..<count).map { index in
      let slots = address.slots / count + (index < address.slots % count ? 1 : 0)
      return start("allocation \(index + 1)", named: name(index), MachineResources(cpus: slots), slots: slots, worker)
    }
  }

  /// The workers of steps with `resources`, each a job that bears the name of the body.
  func sized(_ worker: @escaping @Sendable (ResultFile?) -> [String]) -> SizedWorkers {
    SizedWorkers(
      slots: address.slots,
      start: { request, body, result in start("job \(body)", named: body, request, slots: 1, worker(result)) },
      lackRoom: lackRoom)
  }

  private func start(
    _ name: String, named job: String, _ request: MachineResources, slots: Int, _ worker: [String]
  ) -> WorkerStart {
    WorkerStart(
      name: name, command: command(request, worker, job), environment: environment, slots: slots, startLimit: wait,
      exitSigns: ["task 0:"], endSigns: ["srun: Job step aborted", "srun: Force Terminated"],
      endCheck: ["/bin/sh", "-c", Self.endCheck, "flowrun-look", job, mark], release: Self.release([job]))
  }

  private func name(_ index: Int) -> String { "\(mark).\(index + 1)" }

  /// Gives back allocations that there are, or are still waited for: Slurm keeps one whose `srun` is killed in its queue, and
  /// one of a node that died and came back.
  private static func release(_ names: [String]) -> [String] {
    let script = #"user=$(id -u); for name; do scancel --quiet --user="$user" --name="$name"; done"#
    return ["/bin/sh", "-c", script, "flowrun-release"] + names
  }

  /// Gives back all of them.
  func release(_ starts: [WorkerStart]) -> [String] { Self.release(starts.indices.map(name)) }

  /// Only what a program needs to be found travels by itself: whatever else steps are to see they state.
  private static let exported = "PATH,HOME,USER,LOGNAME,SHELL,LANG,LC_ALL,TZ,SLURM_CONF"

  /// Ends the allocation when the worker ended without being asked to: with `srun` killed, nothing else would. A job of another
  /// name is not flowrun's to end. The comment says that nothing of the worker runs any more, also where Slurm's own daemon
  /// died. A worker that has lost its run, or its guard by ``WorkerWatch/holderVariable``, takes along what the run still
  /// waits for: flowrun may have been killed with all that it had started.
  private static let holder = """
    name=$1 mark=$2 lost=
    shift 2
    trap 'lost=1' USR1
    export \(WorkerWatch.holderVariable)=$$
    "$@"
    status=$?
    [ $status = 0 ] && exit
    [ $status = \(Worker.lostStatus) ] && lost=1
    [ "$SLURM_JOB_NAME" = "$name" ] || exit $status
    scontrol --quiet update JobId="$SLURM_JOB_ID" Comment="$mark \(ended)"
    if [ "$lost" ]; then
      squeue --noheader --me --states=PENDING --format='%A %k' | while read -r job comment; do
        [ "$comment" = "$mark" ] && scancel --quiet "$job"
      done
    fi
    scancel --quiet --name="$name" "$SLURM_JOB_ID"
    exit $status
    """

  private static let ended = "ended"
  /// Succeeds when the holder of the newest job of a name has said that its worker ended.
  private static let endCheck = """
    last=$(squeue --noheader --me --states=all --name="$1" --sort=i --format=%k | tail -n 1)
    [ "$last" = "$2 \(ended)" ]
    """

  private func command(_ request: MachineResources, _ worker: [String], _ name: String) -> [String] {
    var words = [
      "srun", "--nodes=1", "--ntasks=1", "--cpus-per-task=\(request.cpus)", "--job-name=\(name)", "--comment=\(mark)",
      "--mpi=none", "--export=\(Self.exported)",
    ]
    let memory = request.memoryBytes > 0 ? "\(request.memoryBytes >> 10)K" : address.memory
    if let memory { words.append("--mem=\(memory)") }
    let devices = gres(request)
    if !devices.isEmpty { words.append("--gres=\(devices.joined(separator: ","))") }
    for option in ["partition", "account", "qos", "constraint", "reservation"] {
      if let value = address[option] { words.append("--\(option)=\(value)") }
    }
    if !excluded.isEmpty { words.append("--exclude=\(excluded.joined(separator: ","))") }
    if let time = address.timeLimit { words.append("--time=\(Self.text(of: time))") }
    words += address.passedThrough
    return words + ["/bin/sh", "-c", Self.holder, "flowrun-worker", name, mark] + worker
  }

  /// The devices of an allocation: those of the address, but the gpus of a step that says how many it takes.
  private func gres(_ request: MachineResources) -> [String] {
    let devices = address["gres"].map { $0.split(separator: ",").map(String.init) } ?? []
    guard request.gpus > 0 else { return devices }
    return devices.filter { $0.prefix { $0 != ":" } != "gpu" } + ["gpu:\(request.gpus)"]
  }

  /// As Slurm writes times: `1:00:00`.
  static func text(of time: Duration) -> String {
    let seconds = max(1, (time.nanoseconds + 999_999_999) / 1_000_000_000)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
  }

  // MARK: What there is

  /// What Slurm has for the address.
  func cluster() throws(ExecutorProblem) -> SlurmNodes {
    let known = try ask(["sinfo", "--noheader", "--format=%R %a"]).map { $0.split(separator: " ").map(String.init) }
    let partitions = known.compactMap(\.first)
    let partition = address["partition"]
    if let partition, !partitions.contains(partition) {
      let others = partitions.isEmpty ? "there are none" : "there are \(partitions.joined(separator: ", "))"
      throw ExecutorProblem("Slurm has no partition '\(partition)'; \(others)")
    }
    if let state = known.first(where: { $0.first == partition })?.last, state != "up" {
      throw ExecutorProblem("Slurm's partition '\(partition ?? "")' is \(state)")
    }
    let nodes = ["sinfo", "--noheader", "--Node", "--format=\(SlurmNodes.format)"]
    var cluster = SlurmNodes(try ask(nodes + (partition.map { ["--partition=\($0)"] } ?? [])), of: address)
    if let names = try names(of: "nodelist") { try cluster.keep(names) }
    if let names = try names(of: "exclude") { try cluster.remove(names) }
    return cluster
  }

  /// The nodes that an option names, as `node[1-3]`; nil: it is not given.
  private func names(of option: String) throws(ExecutorProblem) -> [String]? {
    guard let list = address[option] else { return nil }
    return try ask(["scontrol", "show", "hostnames", list])
  }

  /// The jobs of this run that wait in Slurm's queue, each with its reason, such as `Resources`.
  @Sendable func waiting() -> [(job: String, reason: String)] {
    let lines = try? ask(["squeue", "--noheader", "--me", "--states=PENDING", "--format=%k %j %r"])
    return lines?.compactMap { line in
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      return words.count == 3 && words[0] == mark ? (words[1], words[2]) : nil
    } ?? []
  }

  /// Whether a job of these names waits until others give something back.
  @Sendable private func lackRoom(_ names: [String]) -> Bool {
    waiting().contains { names.contains($0.job) && ["Resources", "Priority"].contains($0.reason) }
  }

  /// The lines that a command of Slurm prints.
  private func ask(_ words: [String]) throws(ExecutorProblem) -> [String] {
    let answer: FinishedProgram
    do throws(SystemError) {
      answer = try FinishedProgram(
        PluginCommand(words, environment: environment), directory: "/", deadline: .now + Self.answerTime)
    } catch {
      throw ExecutorProblem("Slurm cannot be reached: \(error)")
    }
    let lines = answer.output.split(separator: "\n").map(String.init)
    guard case .exited(code: 0) = answer.status else {
      throw ExecutorProblem("Slurm cannot be reached: \(lines.last ?? "'\(words[0])' \(answer.status)")")
    }
    return lines
  }
}
