import FlowModel

/// Job arrays, whose tasks are jobs that wait for the workers of items.
extension SlurmEngine {
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
  @Sendable func submit(_ batch: ArrayBatch) throws(ExecutorProblem) -> Int {
    let words =
      [
        "sbatch", "--parsable", "--array=\(batch.list)", "--no-requeue", "--output=/dev/null", "--error=/dev/null",
        "--chdir=/",
      ]
      + job(batch.request, batch.name) + passedThrough(toSteps: false) + ["--wrap=mark=\(mark)\n\(SlurmScripts.keeper)"]
    let lines = try ask(words, submittingEnvironment)
    guard let last = lines.last, let number = Int(last.prefix { $0 != ";" }) else {
      throw ExecutorProblem("sbatch answered '\(lines.last ?? "")' instead of the number of a job")
    }
    return number
  }

  /// The tasks of arrays that have not ended.
  @Sendable func list(_ arrays: [Int]) throws(ExecutorProblem) -> ArrayListing {
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
  func start(
    _ task: ArrayTask, _ job: Int, _ name: String, _ request: MachineResources, _ worker: [String]
  ) -> WorkerStart {
    let words =
      ["srun", "--jobid=\(job)", "--overlap", "--mpi=none"] + shape(request, name) + passedThrough(toSteps: true)
      + ["/bin/sh", "-c", SlurmScripts.holder, "flowrun-worker", name, mark, task.text]
    let endCheck = #"[ "$(squeue --noheader --states=all --jobs="$1" --format=%k)" = "$2 \#(SlurmScripts.ended)" ]"#
    return WorkerStart(
      name: "job \(task.text)", command: words + worker, environment: environment, slots: 1,
      startLimit: wait,
      exitSigns: ["task 0:"], endSigns: Self.endSigns,
      endCheck: ["/bin/sh", "-c", endCheck, "flowrun-look", task.text, mark],
      release: ["scancel", "--quiet", task.text])
  }

  /// The number of indices that an array may have; 0: there are no arrays.
  func arrayIndices() throws(ExecutorProblem) -> Int {
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
}
