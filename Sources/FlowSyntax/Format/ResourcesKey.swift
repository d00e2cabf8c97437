import FlowDiagnostics
import FlowModel

/// The keys of `resources` in a step.
enum ResourcesKey: String, FormatKey {
  case cpus, memory, gpus

  static let owner = "resources"

  static func counterpart(of foreign: String) -> String? { ForeignKeys.resourceNames[foreign]?.rawValue }

  static func remedy(for foreign: String, value: String?) -> String? {
    if let name = counterpart(of: foreign) {
      let question = Correction(foreign, to: name).question
      return foreign.hasSuffix("_mb") || foreign.hasSuffix("_gb")
        ? question + " with the unit in the value: 'memory: 512MiB'"
        : question + " that is what '\(foreign)' is called here"
    }
    switch foreign {
    case "requests", "limits": return "there is one amount of each: write 'resources: { cpus: 4, memory: 8GiB }'"
    case "time", "runtime", "walltime", "time_min": return "how long a step may take is its 'deadline'"
    case "disk", "disk_mb", "ephemeral-storage", "storage":
      return "the keys are cpus, memory and gpus; disk is not counted"
    case "partition", "queue", "account", "nodes":
      return "where a step runs is its 'executor', such as { slurm: { partition: short } }"
    default: return nil
    }
  }

  /// A valid value of the key, for suggestions.
  var example: String {
    switch self {
    case .cpus: "4"
    case .memory: "8GiB"
    case .gpus: "1"
    }
  }

  var row: KeyRow {
    switch self {
    case .cpus: KeyRow(.count(1...Limits.cpus), default: "1", "How many processors, whole ones")
    case .memory: KeyRow(.memory, "How much memory, as a whole number with KiB, MiB, GiB or TiB: 8GiB")
    case .gpus: KeyRow(.count(1...Limits.cpus), "How many graphics processors")
    }
  }
}
