/// Cpus, memory and gpus: what a step takes of a machine while it runs, or what a machine has.
public struct MachineResources: Sendable, Hashable {
  /// Processors, whole ones.
  public var cpus: Int
  /// Memory.
  public var memoryBytes: Int
  /// Graphics processors.
  public var gpus: Int
  /// How the job of an attempt on a cluster differs from the job that the executor describes; nil: it does not.
  public var job: ClusterJob?

  /// A share; a step that says nothing of cpus takes one.
  public init(cpus: Int = 1, memoryBytes: Int = 0, gpus: Int = 0) {
    self.cpus = cpus
    self.memoryBytes = memoryBytes
    self.gpus = gpus
  }

  /// More than any step asks for.
  public static let unlimited = MachineResources(cpus: .max, memoryBytes: .max, gpus: .max)

  /// Whether as much of everything is there.
  public func fits(in other: MachineResources) -> Bool {
    cpus <= other.cpus && memoryBytes <= other.memoryBytes && gpus <= other.gpus
  }

  /// The larger of both, part by part.
  public func most(with other: MachineResources) -> MachineResources {
    MachineResources(
      cpus: max(cpus, other.cpus), memoryBytes: max(memoryBytes, other.memoryBytes), gpus: max(gpus, other.gpus))
  }

  /// What is left without this many times another one; a part of which it asks for nothing stays whole.
  public func without(_ other: MachineResources, times count: Int = 1) -> MachineResources {
    MachineResources(
      cpus: cpus - other.cpus * count, memoryBytes: memoryBytes - other.memoryBytes * count,
      gpus: gpus - other.gpus * count)
  }

  /// The number of times that it goes into another one.
  public func count(in other: MachineResources) -> Int {
    func count(_ part: Int, _ whole: Int) -> Int { part == 0 ? .max : max(0, whole / part) }
    return min(count(cpus, other.cpus), count(memoryBytes, other.memoryBytes), count(gpus, other.gpus))
  }

  /// What it is, for people: `4 cpus, 8GiB of memory and 1 gpu`; what is none is named where `isWhole`.
  public func text(isWhole: Bool = false) -> String {
    var parts = ["\(cpus) cpu\(cpus == 1 ? "" : "s")"]
    if memoryBytes > 0 || isWhole { parts.append("\(MemoryText.format(memoryBytes)) of memory") }
    if gpus > 0 || isWhole { parts.append("\(gpus == 0 ? "no" : "\(gpus)") gpu\(gpus == 1 ? "" : "s")") }
    let text =
      parts.count == 1 ? parts[0] : parts.dropLast().joined(separator: ", ") + " and " + parts[parts.count - 1]
    return text + (job?.text ?? "")
  }

  /// What there is too little of where it does not fit: `64 cpus, but there are 2`; nil: it fits.
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

/// The options of a job on a cluster that may change with the attempt.
public struct ClusterJob: Sendable, Hashable {
  /// The time limit; nil: the one of the executor.
  public var timeLimit: Duration?
  /// The partition; nil: the one of the executor.
  public var partition: String?

  /// A job with these options.
  public init(timeLimit: Duration? = nil, partition: String? = nil) {
    self.timeLimit = timeLimit
    self.partition = partition
  }

  /// The options for people, to follow a text: ` in the partition 'long' for at most 2h`.
  var text: String {
    (partition.map { " in the partition '\($0)'" } ?? "")
      + (timeLimit.map { " for at most \(DurationText.format($0))" } ?? "")
  }
}
