/// Cpus, memory and gpus: the request of a step or the capacity of a machine.
public struct MachineResources: Sendable, Hashable {
  /// The number of processors.
  public var cpus: Int
  /// The memory in bytes.
  public var memoryBytes: Int
  /// The number of graphics processors.
  public var gpus: Int
  /// The options in which an attempt's cluster job differs from the job that the executor describes, or nil.
  public var job: ClusterJob?

  /// Creates a request; cpus default to one.
  public init(cpus: Int = 1, memoryBytes: Int = 0, gpus: Int = 0) {
    self.cpus = cpus
    self.memoryBytes = memoryBytes
    self.gpus = gpus
  }

  /// More than any request.
  public static let unlimited = MachineResources(cpus: .max, memoryBytes: .max, gpus: .max)

  /// True if `other` has at least as much of each part.
  public func fits(in other: MachineResources) -> Bool {
    cpus <= other.cpus && memoryBytes <= other.memoryBytes && gpus <= other.gpus
  }

  /// Returns the maximum of each part.
  public func most(with other: MachineResources) -> MachineResources {
    MachineResources(
      cpus: max(cpus, other.cpus), memoryBytes: max(memoryBytes, other.memoryBytes), gpus: max(gpus, other.gpus))
  }

  /// Returns these resources minus `count` times `other`.
  public func without(_ other: MachineResources, times count: Int = 1) -> MachineResources {
    MachineResources(
      cpus: cpus - other.cpus * count, memoryBytes: memoryBytes - other.memoryBytes * count,
      gpus: gpus - other.gpus * count)
  }

  /// Returns how many times these resources fit into `other`.
  public func count(in other: MachineResources) -> Int {
    func count(_ part: Int, _ whole: Int) -> Int { part == 0 ? .max : max(0, whole / part) }
    return min(count(cpus, other.cpus), count(memoryBytes, other.memoryBytes), count(gpus, other.gpus))
  }

  /// Formats the resources for people: `4 cpus, 8GiB of memory and 1 gpu`. Parts that are zero appear only if
  /// `isWhole`.
  public func text(isWhole: Bool = false) -> String {
    var parts = ["\(cpus) cpu\(cpus == 1 ? "" : "s")"]
    if memoryBytes > 0 || isWhole { parts.append("\(MemoryText.format(memoryBytes)) of memory") }
    if gpus > 0 || isWhole { parts.append("\(gpus == 0 ? "no" : "\(gpus)") gpu\(gpus == 1 ? "" : "s")") }
    let text =
      parts.count == 1 ? parts[0] : parts.dropLast().joined(separator: ", ") + " and " + parts[parts.count - 1]
    return text + (job?.text ?? "")
  }

  /// Describes the part that exceeds `capacity`, as in `64 cpus, but there are 2`, or returns nil if all fit.
  public func shortage(in capacity: MachineResources) -> String? {
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

/// The options of a cluster job that may differ between attempts.
public struct ClusterJob: Sendable, Hashable {
  /// The time limit, or nil to use the executor's.
  public var timeLimit: Duration?
  /// The partition, or nil to use the executor's.
  public var partition: String?

  /// Creates a job with these options.
  public init(timeLimit: Duration? = nil, partition: String? = nil) {
    self.timeLimit = timeLimit
    self.partition = partition
  }

  /// The options for people, to append to a text: ` in the partition 'long' for at most 2h`.
  var text: String {
    (partition.map { " in the partition '\($0)'" } ?? "")
      + (timeLimit.map { " for at most \(DurationText.format($0))" } ?? "")
  }
}
