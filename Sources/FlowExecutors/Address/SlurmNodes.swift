import FlowModel
import FlowSyntax

/// The nodes of a partition, parsed from the output of `sinfo`. The type itself does not call Slurm.
struct SlurmNodes {
  private struct Node {
    var name: String
    var state: String
    var request: MachineResources
    /// True if the node was listed as a part of the default partition.
    var isOfDefault: Bool

    // Slurm appends an asterisk to the state of a node that does not respond.
    var isUsable: Bool {
      !state.hasSuffix("*") && !["down", "drain", "drng", "fail", "maint", "unk"].contains(state)
    }
  }

  /// The format to request from `sinfo`.
  static let format = "%c %m %G %t %P %N"

  private let address: ExecutorAddress
  private var nodes: [Node]
  /// The nodes that allocations must not use.
  private(set) var excluded: [String] = []

  /// Parses the output lines of `sinfo`.
  init(_ lines: [String], of address: ExecutorAddress) {
    self.address = address
    nodes = lines.compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 6, let cpus = Int(words[0]), let megabytes = Int(words[1]) else { return nil }
      return Node(
        name: words[5], state: words[3],
        request: MachineResources(cpus: cpus, memoryBytes: megabytes << 20, gpus: Self.gpus(words[2])),
        isOfDefault: words[4].hasSuffix("*"))
    }
    if address["partition"] == nil, nodes.contains(where: \.isOfDefault) { nodes.removeAll { !$0.isOfDefault } }
  }

  /// Restricts allocations to these nodes by excluding all others. `srun --nodelist` is not used, because it would
  /// request all of the listed nodes for each allocation.
  mutating func keep(_ names: [String]) throws(ExecutorProblem) {
    try check(names, of: "nodelist")
    exclude { !names.contains($0) }
  }

  mutating func remove(_ names: [String]) throws(ExecutorProblem) {
    try check(names.filter { !excluded.contains($0) }, of: "exclude")
    exclude { names.contains($0) }
  }

  private func check(_ names: [String], of option: String) throws(ExecutorProblem) {
    for name in names where !nodes.contains(where: { $0.name == name }) {
      throw ExecutorProblem("\(option)=\(address[option] ?? ""): \(place) has no node '\(name)'")
    }
  }

  /// Excludes nodes by name.
  mutating func exclude(_ isExcluded: (String) -> Bool) {
    var names: [String] = []
    for node in nodes where isExcluded(node.name) && !names.contains(node.name) { names.append(node.name) }
    excluded += names
    nodes.removeAll { isExcluded($0.name) }
  }

  /// Returns the number of GPUs in a list such as `gpu:a100:4(S:0,1),shard:8`.
  private static func gpus(_ text: String) -> Int {
    var depth = 0
    let plain = text.filter { character in
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      return depth == 0 && character != ")"
    }
    return plain.split(separator: ",").reduce(0) { sum, part in
      let words = part.split(separator: ":")
      return words.first == "gpu" ? sum + (words.last.flatMap { Int($0) } ?? 1) : sum
    }
  }

  private var place: String { address["partition"].map { "the partition '\($0)'" } ?? "Slurm" }

  /// Returns the number of slots per node: the one in the address, or the number of processors of the smallest usable
  /// node.
  func slotsPerNode() throws(ExecutorProblem) -> Int {
    let usable = nodes.filter(\.isUsable).map(\.request.cpus)
    guard let fewest = usable.min(), let most = usable.max() else {
      // A node is listed once for each of its partitions.
      let states = Set(nodes.map { "\($0.name) is \($0.state)" }).sorted()
      let text = states.isEmpty ? "it has none" : states.joined(separator: ", ")
      throw ExecutorProblem("no node of \(place) can be used: \(text)")
    }
    let perNode = address["per-node"].flatMap { Int($0) } ?? max(1, fewest)
    guard perNode <= max(1, most) else {
      throw ExecutorProblem(
        "no node has \(perNode) processors, as per-node=\(perNode) asks for; the largest has \(most)")
    }
    return perNode
  }

  /// Throws an error if a step requests more than any node has, because its job would wait forever. Unusable nodes
  /// count, because they may become usable.
  func check(_ requests: [(step: StepID, request: MachineResources)]) throws(ExecutorProblem) {
    for (step, request) in requests where !nodes.contains(where: { request.fits(in: $0.request) }) {
      let largest = nodes.map(\.request).max { left, right in
        if request.cpus > max(left.cpus, right.cpus) { return left.cpus < right.cpus }
        if request.memoryBytes > max(left.memoryBytes, right.memoryBytes) {
          return left.memoryBytes < right.memoryBytes
        }
        return (left.gpus, left.cpus) < (right.gpus, right.cpus)
      }
      throw ExecutorProblem(
        "step '\(step)' asks for \(request.text()), and no node of \(place) has as much; the largest has "
          + (largest?.text(isWhole: true) ?? "nothing"))
    }
  }
}
