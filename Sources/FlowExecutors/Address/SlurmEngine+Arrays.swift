import FlowModel

/// Job arrays for fan-outs. Each task of an array is a job that waits until the worker of its item starts in it.
extension SlurmEngine {
  /// The options that `srun` supports for a step in a job, but `sbatch` does not support.
  private static let stepOptions: Set<String> = [
    "accel-bind", "compress", "cpu-bind", "disable-status", "epilog", "exact", "immediate", "kill-on-bad-exit",
    "mem-bind",
    "msg-timeout", "preserve-env", "prolog", "relative", "resv-ports", "send-libs", "slurmd-debug", "task-epilog",
    "task-prolog", "threads", "unbuffered", "whole",
  ]

  private func passedThrough(toSteps: Bool) -> [String] {
    address.passedThrough.filter { Self.stepOptions.contains(String($0.dropFirst(2).prefix { $0 != "=" })) == toSteps }
  }

  /// The environment for `sbatch`, in which the user's default options for `srun` apply to `sbatch`, too.
  private var submittingEnvironment: [String: String] {
    var environment = environment
    for name in Self.userVariables where name != "SLURM_CONF" && name != "SLURM_JWT" {
      let own = "SBATCH_\(name.dropFirst("SLURM_".count))"
      if environment[own] == nil { environment[own] = environment[name] }
    }
    return environment
  }

  /// Submits an array whose tasks wait for their workers. Returns the job number of the array.
  ///
  /// - Parameters:
  ///   - known: The job numbers of this run's other arrays.
  ///   - mayExist: True if Slurm may have accepted the array although its number was not received.
  @Sendable func submit(_ batch: ArrayBatch, known: [Int], mayExist: Bool) throws(ExecutorProblem) -> Int {
    if mayExist, let number = try adopt(batch, known) { return number }
    let words =
      [
        "sbatch", "--parsable", "--array=\(batch.list)", "--no-requeue", "--output=/dev/null", "--error=/dev/null",
        "--chdir=/",
      ]
      + job(batch.request, batch.name) + passedThrough(toSteps: false) + ["--wrap=mark=\(mark)\n\(SlurmScripts.keeper)"]
    let answer = try run(words, submittingEnvironment)
    if case .exited(code: 0) = answer.status, let number = SlurmAnswers.jobNumber(answer.standardOutput) {
      for line in answer.standardError.split(separator: "\n") { tell("slurm: \(line)") }
      return number
    }
    var problem = ExecutorProblem(Self.refusal(words, answer))
    if case .exited(code: 0) = answer.status {
      problem.message = "sbatch answered '\(Self.lastLine(answer.output) ?? "")' instead of the number of a job"
      problem.isPassing = true
    } else {
      problem.isPassing = answer.isKilled || SlurmAnswers.isPassing(answer.output)
    }
    // The array may exist even if the answer cannot be read.
    if problem.isPassing, let number = try? adopt(batch, known) { return number }
    throw problem
  }

  /// Returns the job number of the array if Slurm has accepted it although its number was not received, or nil if it
  /// has not. Cancels arrays with the same name but other indices.
  private func adopt(_ batch: ArrayBatch, _ known: [Int]) throws(ExecutorProblem) -> Int? {
    let lines = try ask(
      ["squeue", "--noheader", "--me", "--name=\(batch.name)", "--format=%F %K %k"], environmentOfLists)
    var indices: [Int: Set<Int>] = [:]
    for line in lines {
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      guard words.count == 3, words[2] == mark, let number = Int(words[0]), !known.contains(number) else { continue }
      indices[number, default: []].formUnion(ArrayListing.indices(words[1]))
    }
    let found = indices.keys.sorted().first { indices[$0] == Set(batch.indices) }
    let others = indices.keys.sorted().filter { $0 != found }
    if !others.isEmpty { _ = try ask(["scancel", "--quiet"] + others.map(String.init)) }
    return found
  }

  /// The environment in which `squeue` does not shorten long lists of indices.
  private var environmentOfLists: [String: String] { environment.merging(["SLURM_BITSTR_LEN": "0"]) { $1 } }

  /// Returns the tasks of these arrays that have not ended.
  @Sendable func list(_ arrays: [Int]) throws(ExecutorProblem) -> ArrayListing {
    let numbers = arrays.map(String.init).joined(separator: ",")
    do throws(ExecutorProblem) {
      return ArrayListing(
        try ask(
          ["squeue", "--noheader", "--jobs=\(numbers)", "--format=\(ArrayListing.format)"],
          environmentOfLists))
    } catch {
      // Slurm no longer lists the only array, so all of its tasks have ended.
      if error.message.contains("Invalid job id") { return ArrayListing() }
      throw error
    }
  }

  /// Returns the command that starts an item's worker in the allocation of its task.
  func start(
    _ task: ArrayTask, _ job: Int, _ name: String, _ request: MachineResources, _ worker: [String]
  ) -> WorkerStart {
    let words =
      ["srun", "--jobid=\(job)", "--overlap", "--mpi=none"] + shape(request, name) + passedThrough(toSteps: true)
      + ["/bin/sh", "-c", SlurmScripts.holder, "flowrun-worker", name, mark, task.text]
    let endCheck = #"[ "$(squeue --noheader --states=all --jobs="$1" --format=%k)" = "$2 \#(SlurmScripts.ended)" ]"#
    var start = WorkerStart(
      name: "job \(task.text)", command: words + worker, environment: environment, slots: 1,
      startLimit: wait,
      exitSigns: ["task 0:"], endSigns: Self.endSigns,
      endCheck: ["/bin/sh", "-c", endCheck, "flowrun-look", task.text, mark],
      release: ["scancel", "--quiet", task.text])
    start.passingSigns = SlurmAnswers.passingSigns
    start.patience = patience
    // The allocation must not be released, because the item keeps its task even if its worker did not start.
    start.isReleasedBeforeRestart = false
    return start
  }

  /// Returns the maximum number of indices in an array, or 0 if arrays are not supported.
  func arrayIndices() throws(ExecutorProblem) -> Int {
    var most = 0
    for words in try configuration() {
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
}
