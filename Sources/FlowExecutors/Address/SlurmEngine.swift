import FlowModel
import FlowPluginHost
import FlowSyntax
import FlowSystem

/// Starts workers with Slurm. For each node, `srun` creates an allocation in which a worker is the only task.
/// Allocation and worker end together, so a failed node affects no other node. A step with `resources` gets its own
/// allocation.
struct SlurmEngine {
  private(set) var address: ExecutorAddress
  let environment: [String: String]
  /// The nodes that allocations must not use.
  var excluded: [String] = []
  /// The maximum time to repeat a request while Slurm temporarily refuses requests, for example while its controller
  /// starts.
  var patience = Duration.seconds(120)
  /// Receives the standard error of successful Slurm commands.
  var tell: @Sendable (String) -> Void = { _ in }
  /// Pauses before a request to Slurm is repeated.
  var pause: @Sendable (Duration) -> Void = { duration in
    _ = poll(nil, 0, CInt(clamping: duration.nanoseconds / 1_000_000))
  }
  private let began = ContinuousClock.now

  /// Identifies the jobs of this run, as a part of their comments. With a number appended, it is the name of an
  /// allocation.
  let mark = "flowrun-" + String(UInt64.random(in: 0 ... .max), radix: 36)

  /// The default maximum time that an allocation waits in Slurm's queue.
  private static let usualWait = Duration.seconds(3600)

  init(address: ExecutorAddress, environment: [String: String]) {
    self.address = address
    self.environment = Self.outsideJob(environment).filter { !Self.isForUser($0.key) }
  }

  /// True if a variable sets defaults for the user's own calls to Slurm's commands, which would change the behavior or
  /// output of the calls made here. For example, with `SBATCH_WAIT` a submission would last as long as its job, and
  /// with `SQUEUE_STATES` jobs would be missing.
  static func isForUser(_ name: String) -> Bool {
    if ["SQUEUE_", "SCANCEL_", "SACCT_", "SINFO_", "SCONTROL_"].contains(where: name.hasPrefix) { return true }
    if ["SLURM_STDINMODE", "SLURM_STDOUTMODE", "SLURM_STDERRMODE", "SLURM_LABELIO"].contains(name) { return true }
    let prefix = ["SBATCH_", "SRUN_"].first { name.hasPrefix($0) }
    return prefix.map { statedOptions.contains(String(name.dropFirst($0.count))) } ?? false
  }

  /// The options of `srun` and `sbatch` that flowrun sets itself, as suffixes of the names of their variables.
  private static let statedOptions: Set<String> = [
    "INPUT", "OUTPUT", "ERROR", "ARRAY", "ARRAY_INX", "WAIT", "EXPORT", "EXPORT_ENV", "JOB_NAME", "NODES", "NNODES",
    "NTASKS",
    "CPUS_PER_TASK", "FORMAT", "REQUEUE", "NO_REQUEUE", "OPEN_MODE", "PARSABLE", "COMMENT", "CHDIR", "WORKING_DIR",
  ]

  /// Descriptions of the account, partition and quality of service that jobs get from variables because the address
  /// does not contain them.
  var defaults: [String] {
    ["account", "partition", "qos"].compactMap { option in
      let name = "SLURM_\(option.uppercased())"
      guard address[option] == nil, let value = environment[name] else { return nil }
      return "\(option) '\(value)' is that of the variable \(name)"
    }
  }

  /// The variables that users set to change defaults of `srun` or select the cluster. Of these, Slurm itself sets only
  /// `SLURM_CONF` in a job, and its value is the same everywhere.
  static let userVariables: Set<String> = [
    "SLURM_CONF", "SLURM_JWT", "SLURM_CLUSTERS", "SLURM_ACCOUNT", "SLURM_PARTITION", "SLURM_QOS", "SLURM_CONSTRAINT",
    "SLURM_RESERVATION", "SLURM_TIMELIMIT", "SLURM_WCKEY",
  ]

  /// Returns the environment without the variables that Slurm sets in a job. With them, `srun` would create a step in
  /// the user's own job instead of requesting an allocation, and the worker would get the size of that job.
  static func outsideJob(_ environment: [String: String]) -> [String: String] {
    guard environment["SLURM_JOB_ID"] != nil || environment["SLURM_JOBID"] != nil else { return environment }
    return environment.filter { name, _ in
      userVariables.contains(name) || !["SLURM", "SRUN_", "PMI"].contains { name.hasPrefix($0) }
    }
  }

  var wait: Duration { address["wait"].flatMap { try? DurationText.parse($0) } ?? Self.usualWait }

  /// Returns the starts of workers with the number of slots that the address requests, spread evenly over the nodes.
  func starts(_ worker: [String], perNode: Int) -> [WorkerStart] {
    let count = (address.slots + perNode - 1) / perNode
    return (0..<count).map { index in
      let slots = address.slots / count + (index < address.slots % count ? 1 : 0)
      return start("allocation \(index + 1)", named: name(index), MachineResources(cpus: slots), slots: slots, worker)
    }
  }

  /// Returns the settings for steps with `resources`. Each of their workers runs in its own job, which is named after
  /// the body.
  func sized(_ worker: @escaping @Sendable (ResultFile?) -> [String]) -> SizedWorkers {
    SizedWorkers(
      slots: address.slots,
      start: { request, body, result in start("job \(body)", named: body, request, slots: 1, worker(result)) },
      lackRoom: lackRoom, account: account)
  }

  /// Returns job arrays for the items of fan-outs, or nil if this Slurm does not support them.
  func arrays(_ worker: @escaping @Sendable (ResultFile?) -> [String]) throws(ExecutorProblem) -> JobArrays? {
    let indices = try arrayIndices()
    guard indices > 0 else { return nil }
    return JobArrays(
      ArrayEngine(
        indices: indices, wait: wait, patience: patience, submit: submit, list: list,
        cancel: { _ = try? self.ask(["scancel", "--quiet"] + $0) },
        limit: { _ = try? self.ask(["scontrol", "--quiet", "update", "JobId=\($0)", "ArrayTaskThrottle=\($1)"]) },
        release: ["/bin/sh", "-c", SlurmScripts.releaseAll, "flowrun-release", mark], environment: environment,
        tell: tell, start: { start($0, $1, $2, $3, worker($4)) }),
      slots: address.slots)
  }

  private func start(
    _ name: String, named job: String, _ request: MachineResources, slots: Int, _ worker: [String]
  ) -> WorkerStart {
    var start = WorkerStart(
      name: name, command: command(request, worker, job), environment: environment, slots: slots, startLimit: wait,
      exitSigns: ["task 0:"], endSigns: Self.endSigns,
      endCheck: ["/bin/sh", "-c", SlurmScripts.endCheck, "flowrun-look", job, mark],
      release: SlurmScripts.release([job]))
    start.passingSigns = SlurmAnswers.passingSigns
    start.patience = patience
    return start
  }

  static let endSigns = ["srun: Job step aborted", "srun: Force Terminated"]

  private func name(_ index: Int) -> String { "\(mark).\(index + 1)" }

  /// Returns the command that cancels the allocations of these workers.
  func release(_ starts: [WorkerStart]) -> [String] { SlurmScripts.release(starts.indices.map(name)) }

  /// The variables exported to jobs: only those needed to find programs. Steps declare all others.
  private static let exported = "PATH,HOME,USER,LOGNAME,SHELL,LANG,LC_ALL,TZ,SLURM_CONF"

  private func command(_ request: MachineResources, _ worker: [String], _ name: String) -> [String] {
    // With --overlap, a step that a command creates with `srun` can share the resources of the worker.
    let words = ["srun"] + job(request, name) + ["--mpi=none", "--overlap"] + address.passedThrough
    return words + ["/bin/sh", "-c", SlurmScripts.holder, "flowrun-worker", name, mark, ""] + worker
  }

  /// Returns the options of a job, for `srun` and `sbatch`.
  func job(_ request: MachineResources, _ name: String) -> [String] {
    var words = shape(request, name) + ["--comment=\(mark)"]
    let memory = request.memoryBytes > 0 ? "\(request.memoryBytes >> 10)K" : address.memory
    if let memory { words.append("--mem=\(memory)") }
    let devices = gres(request)
    if !devices.isEmpty { words.append("--gres=\(devices.joined(separator: ","))") }
    for option in ["partition", "account", "qos", "constraint", "reservation"] {
      let own = option == "partition" ? request.job?.partition : nil
      if let value = own ?? address[option] { words.append("--\(option)=\(value)") }
    }
    if !excluded.isEmpty { words.append("--exclude=\(excluded.joined(separator: ","))") }
    if let time = request.job?.timeLimit ?? address.timeLimit { words.append("--time=\(Self.text(of: time))") }
    return words
  }

  func shape(_ request: MachineResources, _ name: String) -> [String] {
    [
      "--nodes=1", "--ntasks=1", "--cpus-per-task=\(request.cpus)", "--job-name=\(name)", "--export=\(Self.exported)",
    ]
  }

  /// Returns the devices of an allocation: those of the address, but with the number of GPUs that the step requests.
  private func gres(_ request: MachineResources) -> [String] {
    let devices = address["gres"].map { $0.split(separator: ",").map(String.init) } ?? []
    guard request.gpus > 0 else { return devices }
    return devices.filter { $0.prefix { $0 != ":" } != "gpu" } + ["gpu:\(request.gpus)"]
  }

  /// Formats a time in Slurm's notation, such as `1:00:00`.
  static func text(of time: Duration) -> String {
    let seconds = max(1, (time.nanoseconds + 999_999_999) / 1_000_000_000)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
  }

  /// Returns the nodes of another partition, without those that no job may use. The options `nodelist` and `exclude`
  /// name nodes of the address's partition, so they are not looked up in the other one.
  func cluster(inPartition name: String, without excluded: [String]) throws(ExecutorProblem) -> SlurmNodes {
    var other = self
    for index in other.address.options.indices where other.address.options[index].name == "partition" {
      other.address.options[index].value = name
    }
    other.address.options.removeAll { ["nodelist", "exclude"].contains($0.name) }
    var cluster = try other.cluster()
    cluster.exclude { excluded.contains($0) }
    return cluster
  }

  /// Throws an error if a job requests resources that no node of its partition has.
  func check(
    _ requests: [(step: StepID, request: MachineResources)], on cluster: SlurmNodes
  ) throws(ExecutorProblem) {
    try cluster.check(requests.filter { $0.request.job?.partition == nil })
    for partition in Set(requests.compactMap { $0.request.job?.partition }).sorted() {
      try self.cluster(inPartition: partition, without: cluster.excluded)
        .check(requests.filter { $0.request.job?.partition == partition })
    }
  }

  /// Returns the nodes on which the address allows allocations.
  func cluster() throws(ExecutorProblem) -> SlurmNodes {
    let known = try ask(["sinfo", "--noheader", "--format=%R %a"], isPatient: true).map {
      $0.split(separator: " ").map(String.init)
    }
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
    var cluster = SlurmNodes(
      try ask(nodes + (partition.map { ["--partition=\($0)"] } ?? []), isPatient: true), of: address)
    if let names = try names(of: "nodelist") { try cluster.keep(names) }
    if let names = try names(of: "exclude") { try cluster.remove(names) }
    return cluster
  }

  /// Returns the nodes in an option such as `nodelist=node[1-3]`, or nil if the address does not have the option.
  private func names(of option: String) throws(ExecutorProblem) -> [String]? {
    guard let list = address[option] else { return nil }
    return try ask(["scontrol", "show", "hostnames", list], isPatient: true)
  }

  /// Returns the jobs of this run that wait in Slurm's queue, each with its reason, such as `Resources`. Jobs that only
  /// wait because of flowrun's own limit on concurrent tasks are not included.
  @Sendable func waiting() -> [(job: String, reason: String)] {
    let lines = try? ask(["squeue", "--noheader", "--me", "--states=PENDING", "--format=%k %j %r"])
    return lines?.compactMap { line in
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      return words.count == 3 && words[0] == mark && words[2] != "JobArrayTaskLimit" ? (words[1], words[2]) : nil
    } ?? []
  }

  /// True if a job with one of these names waits because other jobs use the resources that it needs.
  @Sendable private func lackRoom(_ names: [String]) -> Bool {
    waiting().contains { job, reason in
      names.contains(String(job.prefix { $0 != "+" })) && ["Resources", "Priority"].contains(reason)
    }
  }

  /// The maximum number of jobs per call to `sacct`, whose output must fit into 64 KiB.
  private static let jobsAtOnce = 100

  /// Returns the accounting data of jobs, which are given by their numbers or, if these are unknown, by their names.
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
}
