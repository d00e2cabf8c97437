import FlowModel

/// The keys of `executor` in its mapping form.
enum ExecutorKey: String, FormatKey {
  case slurm

  static let owner = "executor"

  static func remedy(for foreign: String, value: String?) -> String? {
    switch foreign {
    case ExecutorAddress.workers: return "write 'executor: workers=4'"
    case ExecutorAddress.local: return "write 'executor: local'"
    case "ssh", "dask": return "write 'executor: \(foreign)=…'"
    default: return SlurmKey(rawValue: foreign).map { "write 'executor: { slurm: { \($0.rawValue): … } }'" }
    }
  }

  var row: KeyRow { KeyRow(.map(SlurmKey.self), "The options of the step's jobs on Slurm") }
}

/// The keys of `executor: { slurm: … }`. They are also options of an address, as in `--on slurm=N,time=1h`.
enum SlurmKey: String, FormatKey {
  case slots, partition, time
  case perNode = "per-node"
  case account, qos, constraint, mem, gres, nodelist, exclude, reservation, wait, worker, options

  static let owner = "slurm"

  /// The keys whose values may contain `attempt` in a step's `executor`.
  static let changing: [SlurmKey] = [.time, .partition]

  /// The keys that can be options of an address.
  static let addressOptions = allCases.filter { $0 != .slots && $0 != .options }.map(\.rawValue)

  static func counterpart(of foreign: String) -> String? {
    let key: SlurmKey? =
      switch foreign {
      case "queue", "slurm_partition", "partitions": .partition
      case "walltime", "time-limit", "timelimit", "time_limit", "runtime": .time
      case "memory", "mem_mb": .mem
      case "project", "slurm_account": .account
      case "constraints", "features", "feature": .constraint
      case "nodes-list", "nodeList", "hosts": .nodelist
      case "extra", "args", "slurm_extra", "flags": .options
      case "jobs", "parallel": .slots
      case "per_node", "ntasks-per-node": .perNode
      default: nil
      }
    return key?.rawValue
  }

  static func remedy(for foreign: String, value: String?) -> String? {
    if let name = counterpart(of: foreign) { return "write '\(name)'" }
    switch foreign {
    case "cpus", "cpus-per-task", "gpus":
      return "what a step takes is its 'resources: { cpus: 4, memory: 8GiB, gpus: 1 }'"
    case "nodes", "ntasks", "array", "job-name": return "flowrun sets '--\(foreign)' itself"
    default: return nil
    }
  }

  var row: KeyRow {
    switch self {
    case .slots:
      KeyRow(
        .integer(1...ExecutorAddress.mostSlots),
        "How many run at once; without it as --on or defaults say, else one a step and `parallel` of a fan-out")
    case .partition: KeyRow(.name, "The partition; of a step it may read `attempt`")
    case .time:
      KeyRow(
        .name, proposals: ["30m", "1h", "12h", "2-00:00:00"],
        "The time limit, as 1h30m or as Slurm writes it: 1:30:00, 2-00:00:00; of a step it may read `attempt`")
    case .perNode: KeyRow(.integer(1...ExecutorAddress.mostSlots), "Slots in one allocation of steps without resources")
    case .account: KeyRow(.name, "The account that is charged")
    case .qos: KeyRow(.name, "The quality of service")
    case .constraint: KeyRow(.name, "Features that the node must have")
    case .mem:
      KeyRow(
        .name, proposals: ["4G", "16G"],
        "The memory of an allocation, such as 4G; a step's own `resources` say it as `memory`")
    case .gres: KeyRow(.name, proposals: ["gpu:1"], "Devices, such as gpu:2 or lustre:1")
    case .nodelist: KeyRow(.name, "Nodes that may be used, such as node[1-3,7]")
    case .exclude: KeyRow(.name, "Nodes that may not be used")
    case .reservation: KeyRow(.name, "The reservation")
    case .wait: KeyRow(.name, "How long a job may wait in Slurm's queue (1h)")
    case .worker: KeyRow(.name, "The path of flowrun on the nodes")
    case .options:
      KeyRow(
        .list(of: .name, isNonempty: true),
        "Other options, each as '--NAME=VALUE' or '--NAME', as srun and sbatch take them")
    }
  }
}
