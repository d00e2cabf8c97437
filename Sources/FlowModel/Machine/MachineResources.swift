/// The cpus, memory and gpus that a step requests or a machine has.
package struct MachineResources: Sendable, Hashable {
  package var cpus: Int
  /// The amount of memory, in bytes.
  package var memoryBytes: Int
  package var gpus: Int
  /// The options of the attempt's cluster job that differ from those of the executor, or nil if none do.
  package var job: ClusterJob?

  /// Creates resources. By default, these are one cpu and nothing else.
  package init(cpus: Int = 1, memoryBytes: Int = 0, gpus: Int = 0) {
    self.cpus = cpus
    self.memoryBytes = memoryBytes
    self.gpus = gpus
  }

  /// A capacity in which every request fits.
  package static let unlimited = MachineResources(cpus: .max, memoryBytes: .max, gpus: .max)

  /// True if `other` has at least as much of each resource as this value.
  package func fits(in other: MachineResources) -> Bool {
    cpus <= other.cpus && memoryBytes <= other.memoryBytes && gpus <= other.gpus
  }

  /// Returns the larger of the two amounts for each resource.
  package func most(with other: MachineResources) -> MachineResources {
    MachineResources(
      cpus: max(cpus, other.cpus), memoryBytes: max(memoryBytes, other.memoryBytes), gpus: max(gpus, other.gpus))
  }

  /// Returns these resources minus `count` times `other`.
  package func without(_ other: MachineResources, times count: Int = 1) -> MachineResources {
    MachineResources(
      cpus: cpus - other.cpus * count, memoryBytes: memoryBytes - other.memoryBytes * count,
      gpus: gpus - other.gpus * count)
  }

  /// Returns the number of times that these resources fit in `other`.
  package func count(in other: MachineResources) -> Int {
    func count(_ part: Int, _ whole: Int) -> Int { part == 0 ? .max : max(0, whole / part) }
    return min(count(cpus, other.cpus), count(memoryBytes, other.memoryBytes), count(gpus, other.gpus))
  }

  /// Returns the resources, and the options of the cluster job, as text such as `4 cpus, 8GiB of memory and 1 gpu`.
  /// Memory and gpus of amount zero are mentioned only if `isWhole` is true.
  package func text(isWhole: Bool = false) -> String {
    var parts = ["\(cpus) cpu\(cpus == 1 ? "" : "s")"]
    if memoryBytes > 0 || isWhole { parts.append("\(MemoryText.format(memoryBytes)) of memory") }
    if gpus > 0 || isWhole { parts.append("\(gpus == 0 ? "no" : "\(gpus)") gpu\(gpus == 1 ? "" : "s")") }
    let text =
      parts.count == 1 ? parts[0] : parts.dropLast().joined(separator: ", ") + " and " + parts[parts.count - 1]
    return text + (job?.text ?? "")
  }

  /// Describes the first resource that exceeds `capacity`, as in `64 cpus, but there are 2`. Returns nil if none does.
  package func shortage(in capacity: MachineResources) -> String? {
    func many(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }
    func verb(_ count: Int) -> String { count == 1 ? "is" : "are" }
    if cpus > capacity.cpus { return "\(many(cpus, "cpu")), but there \(verb(capacity.cpus)) \(capacity.cpus)" }
    if memoryBytes > capacity.memoryBytes {
      return "\(MemoryText.format(memoryBytes)) of memory, but there is \(MemoryText.format(capacity.memoryBytes))"
    }
    guard gpus > capacity.gpus else { return nil }
    return "\(many(gpus, "gpu")), but there \(verb(capacity.gpus)) \(capacity.gpus == 0 ? "none" : "\(capacity.gpus)")"
  }
}

/// Options of a cluster job that may differ between attempts.
package struct ClusterJob: Sendable, Hashable {
  /// The time limit of the job. Nil means the executor's time limit.
  package var timeLimit: Duration?
  /// The partition of the job. Nil means the executor's partition.
  package var partition: String?

  package init(timeLimit: Duration? = nil, partition: String? = nil) {
    self.timeLimit = timeLimit
    self.partition = partition
  }

  /// The options as the end of a sentence, such as ` in the partition 'long' for at most 2h`.
  var text: String {
    (partition.map { " in the partition '\($0)'" } ?? "")
      + (timeLimit.map { " for at most \(DurationText.format($0))" } ?? "")
  }
}
