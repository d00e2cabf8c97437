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
  private let began = ContinuousClock.now

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

  /// The number of workers for this many slots.
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
      lackRoom: lackRoom, account: account)
  }

  /// Job arrays for the items of fan-outs; nil: this Slurm has none.
  func arrays(_ worker: @escaping @Sendable (ResultFile?) -> [String]) throws(ExecutorProblem) -> JobArrays? {
    let indices = try arrayIndices()
    guard indices > 0 else { return nil }
    return JobArrays(
      ArrayEngine(
        indices: indices, wait: wait, submit: submit, list: list,
        cancel: { _ = try? self.ask(["scancel", "--quiet"] + $0) },
        limit: { _ = try? self.ask(["scontrol", "--quiet", "update", "JobId=\($0)", "ArrayTaskThrottle=\($1)"]) },
        release: ["/bin/sh", "-c", Self.releaseAll, "flowrun-release", mark], environment: environment,
        start: { start($0, $1, $2, $3, worker($4)) }),
      slots: address.slots)
  }

  private func start(
    _ name: String, named job: String, _ request: MachineResources, slots: Int, _ worker: [String]
  ) -> WorkerStart {
    WorkerStart(
      name: name, command: command(request, worker, job), environment: environment, slots: slots, startLimit: wait,
      exitSigns: ["task 0:"], endSigns: Self.endSigns,
      endCheck: ["/bin/sh", "-c", Self.endCheck, "flowrun-look", job, mark], release: Self.release([job]))
  }

  private static let endSigns = ["srun: Job step aborted", "srun: Force Terminated"]

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
  ///
  /// A task of an array, `$3`, is held by the script of its job, which is told when the worker has ended as it was asked to.
  private static let holder = """
    name=$1 mark=$2 task=$3 lost=
    shift 3
    [ "$task" ] && export SLURM_ARRAY_JOB_ID="${task%_*}" SLURM_ARRAY_TASK_ID="${task#*_}"
    trap 'lost=1' USR1
    export \(WorkerWatch.holderVariable)=$$
    "$@"
    status=$?
    if [ $status = 0 ]; then
      [ "$task" ] && for look in 1 2 3 4; do
        # The script may start later than the worker, and takes the signal once it waits for a program of its own.
        script=$(scontrol listpids "$SLURM_JOB_ID" "$SLURMD_NODENAME" | {
          isReady=
          while read -r number job step local others; do
            case "$step $local" in "batch 0") script=$number ;; "batch -") isReady=1 ;; esac
          done
          [ "$isReady" ] && echo "$script"
        })
        [ "$script" ] && kill -USR1 "$script" && break
        sleep 0.3
      done
      exit 0
    fi
    [ $status = \(Worker.lostStatus) ] && lost=1
    [ "$SLURM_JOB_NAME" = "$name" ] || exit $status
    job=${task:-$SLURM_JOB_ID}
    scontrol --quiet update JobId="$job" Comment="$mark \(ended)"
    if [ "$lost" ]; then
      \(cancelWaiting)
    fi
    scancel --quiet --name="$name" "$job"
    exit $status
    """

  /// Cancels what the run waits for: of an array the tasks that have not started.
  private static let cancelWaiting = """
    squeue --noheader --me --states=PENDING --format='%A %k' | while read -r number comment; do
        [ "$comment" = "$mark" ] && scancel --quiet --state=PENDING "$number"
      done
    """

  /// Holds the allocation of an array's task until the worker there has ended. Where none comes, flowrun was killed with all that
  /// it had started: nothing that it waits for is of use.
  private static let keeper = """
    trap 'kill $! 2>/dev/null; exit 0' USR1
    missing=0
    while [ $missing -lt 3 ]; do
      sleep 10 &
      wait $!
      list=$(scontrol listpids "$SLURM_JOB_ID" "$SLURMD_NODENAME" 2>/dev/null)
      case $list in
        *" batch "*) ;;
        # Slurm does not say what runs here.
        *) missing=0; continue ;;
      esac
      if echo "$list" | grep -q "^[0-9]* *$SLURM_JOB_ID *[0-9]"; then missing=0; else missing=$((missing + 1)); fi
    done
    \(cancelWaiting)
    exit 1
    """

  /// Cancels all arrays of the run, whose comment is the first word.
  private static let releaseAll = """
    squeue --noheader --me --format='%F %K %k' | while read -r number index comment; do
      [ "$index" != N/A ] && [ "${comment% \(ended)}" = "$1" ] && echo "$number"
    done | sort -u | xargs -r scancel --quiet
    """

  private static let ended = "ended"
  /// Succeeds when the holder of the newest job of a name has said that its worker ended.
  private static let endCheck = """
    last=$(squeue --noheader --me --states=all --name="$1" --sort=i --format=%k | tail -n 1)
    [ "$last" = "$2 \(ended)" ]
    """

  private func command(_ request: MachineResources, _ worker: [String], _ name: String) -> [String] {
    let words = ["srun"] + job(request, name) + ["--mpi=none"] + address.passedThrough
    return words + ["/bin/sh", "-c", Self.holder, "flowrun-worker", name, mark, ""] + worker
  }

  /// What a job is, as `srun` and `sbatch` take it.
  private func job(_ request: MachineResources, _ name: String) -> [String] {
    var words = shape(request, name) + ["--comment=\(mark)"]
    let memory = request.memoryBytes > 0 ? "\(request.memoryBytes >> 10)K" : address.memory
    if let memory { words.append("--mem=\(memory)") }
    let devices = gres(request)
    if !devices.isEmpty { words.append("--gres=\(devices.joined(separator: ","))") }
    for option in ["partition", "account", "qos", "constraint", "reservation"] {
      if let value = address[option] { words.append("--\(option)=\(value)") }
    }
    if !excluded.isEmpty { words.append("--exclude=\(excluded.joined(separator: ","))") }
    if let time = address.timeLimit { words.append("--time=\(Self.text(of: time))") }
    return words
  }

  private func shape(_ request: MachineResources, _ name: String) -> [String] {
    [
      "--nodes=1", "--ntasks=1", "--cpus-per-task=\(request.cpus)", "--job-name=\(name)", "--export=\(Self.exported)",
    ]
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

  /// The jobs of this run that wait in Slurm's queue for something that flowrun did not ask for, each with its reason, such as
  /// `Resources`.
  @Sendable func waiting() -> [(job: String, reason: String)] {
    let lines = try? ask(["squeue", "--noheader", "--me", "--states=PENDING", "--format=%k %j %r"])
    return lines?.compactMap { line in
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      return words.count == 3 && words[0] == mark && words[2] != "JobArrayTaskLimit" ? (words[1], words[2]) : nil
    } ?? []
  }

  /// Whether a job of these names waits until others give something back.
  @Sendable private func lackRoom(_ names: [String]) -> Bool {
    waiting().contains { job, reason in
      names.contains(String(job.prefix { $0 != "+" })) && ["Resources", "Priority"].contains(reason)
    }
  }

  // MARK: Arrays

  /// Options of `srun` that are those of a step in a job, not of the job; `sbatch` does not know them.
  private static let stepOptions: Set<String> = [
    "accel-bind", "compress", "cpu-bind", "disable-status", "epilog", "exact", "immediate", "kill-on-bad-exit",
    "mem-bind",
    "msg-timeout", "preserve-env", "prolog", "relative", "resv-ports", "send-libs", "slurmd-debug", "task-epilog",
    "task-prolog", "threads", "unbuffered", "whole",
  ]

  private func passedThrough(toSteps: Bool) -> [String] {
    address.passedThrough.filter { Self.stepOptions.contains(String($0.dropFirst(2).prefix { $0 != "=" })) == toSteps }
  }

  /// What a user sets as a default for `srun`, for `sbatch`.
  private var submittingEnvironment: [String: String] {
    var environment = environment
    for name in Self.userVariables where name != "SLURM_CONF" && name != "SLURM_JWT" {
      let own = "SBATCH_\(name.dropFirst("SLURM_".count))"
      if environment[own] == nil { environment[own] = environment[name] }
    }
    return environment
  }

  /// Submits an array whose tasks wait for their workers.
  @Sendable private func submit(_ batch: ArrayBatch) throws(ExecutorProblem) -> Int {
    let words =
      [
        "sbatch", "--parsable", "--array=\(batch.list)", "--no-requeue", "--output=/dev/null", "--error=/dev/null",
        "--chdir=/",
      ]
      + job(batch.request, batch.name) + passedThrough(toSteps: false) + ["--wrap=mark=\(mark)\n\(Self.keeper)"]
    let lines = try ask(words, submittingEnvironment)
    guard let last = lines.last, let number = Int(last.prefix { $0 != ";" }) else {
      throw ExecutorProblem("sbatch answered '\(lines.last ?? "")' instead of the number of a job")
    }
    return number
  }

  /// The tasks of arrays that have not ended.
  @Sendable private func list(_ arrays: [Int]) throws(ExecutorProblem) -> ArrayListing {
    var environment = environment
    environment["SLURM_BITSTR_LEN"] = "0"
    let numbers = arrays.map(String.init).joined(separator: ",")
    do throws(ExecutorProblem) {
      return ArrayListing(
        try ask(["squeue", "--noheader", "--jobs=\(numbers)", "--format=\(ArrayListing.format)"], environment))
    } catch {
      // Slurm has forgotten the only one.
      if error.message.contains("Invalid job id") { return ArrayListing() }
      throw error
    }
  }

  /// How the worker of a task is started, in the task's allocation.
  private func start(
    _ task: ArrayTask, _ job: Int, _ name: String, _ request: MachineResources, _ worker: [String]
  ) -> WorkerStart {
    let words =
      ["srun", "--jobid=\(job)", "--overlap", "--mpi=none"] + shape(request, name) + passedThrough(toSteps: true)
      + ["/bin/sh", "-c", Self.holder, "flowrun-worker", name, mark, task.text]
    let endCheck = #"[ "$(squeue --noheader --states=all --jobs="$1" --format=%k)" = "$2 \#(Self.ended)" ]"#
    return WorkerStart(
      name: "job \(task.text)", command: words + worker, environment: environment, slots: 1,
      startLimit: wait,
      exitSigns: ["task 0:"], endSigns: Self.endSigns,
      endCheck: ["/bin/sh", "-c", endCheck, "flowrun-look", task.text, mark],
      release: ["scancel", "--quiet", task.text])
  }

  /// The number of indices that an array may have; 0: there are no arrays.
  private func arrayIndices() throws(ExecutorProblem) -> Int {
    var most = 0
    for line in try ask(["scontrol", "show", "config"]) {
      let words = line.split(whereSeparator: { " =,".contains($0) }).map(String.init)
      if words.first == "MaxArraySize", let size = words.last.flatMap({ Int($0) }) { most = size }
      if words.first == "SchedulerParameters", let name = words.firstIndex(of: "max_array_tasks"),
        name + 1 < words.count,
        let size = Int(words[name + 1])
      {
        most = min(most, size)
      }
    }
    return most
  }

  // MARK: Accounting

  /// The number of jobs `sacct` that is asked about at once: its answer must fit into 64 KiB.
  private static let jobsAtOnce = 100

  /// What the accounting says of the run's jobs, which are given by their numbers or by their names.
  @Sendable private func account(_ jobs: [String], _ names: [String]) throws(ExecutorProblem) -> [AccountingLine] {
    var lines: [AccountingLine] = []
    for (option, words) in [("jobs", jobs), ("name", names)] {
      var rest = words[...]
      while !rest.isEmpty {
        lines += try account("--\(option)=\(rest.prefix(Self.jobsAtOnce).joined(separator: ","))")
        rest = rest.dropFirst(Self.jobsAtOnce)
      }
    }
    return lines
  }

  private func account(_ option: String) throws(ExecutorProblem) -> [AccountingLine] {
    let seconds = (ContinuousClock.now - began).components.seconds + 60
    do throws(ExecutorProblem) {
      return try ask([
        "sacct", "--noheader", "--parsable2", "--noconvert", "--starttime=now-\(seconds)", option,
        "--format=\(AccountingLine.format)",
      ]).compactMap { AccountingLine($0) }
    } catch {
      guard error.message.contains("accounting storage is disabled") else { throw error }
      throw ExecutorProblem("Slurm keeps no accounting here (AccountingStorageType)")
    }
  }

  /// The lines that a command of Slurm prints.
  private func ask(
    _ words: [String], _ environment: [String: String]? = nil
  ) throws(ExecutorProblem) -> [String] {
    let answer: FinishedProgram
    do throws(SystemError) {
      answer = try FinishedProgram(
        PluginCommand(words, environment: environment ?? self.environment), directory: "/",
        deadline: .now + Self.answerTime)
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
