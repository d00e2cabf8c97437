import FlowDiagnostics
import FlowExpressions
import FlowModel

/// What a step takes of the machine.
extension WorkflowReader {
  /// `{ cpus: 4, memory: 8GiB, gpus: 1 }`.
  mutating func machineResources(_ node: NodeID, _ owner: Owner) -> MachineResources? {
    guard tree.kind(node) == .mapping else {
      reportType(
        node, owner, expected: "a mapping of cpus, memory and gpus",
        help:
          "'resources' is the capacity that the step requests: { cpus: 4, memory: 8GiB }; to use what another step provides, "
          + "such as a database, name that step under 'needs'")
      return nil
    }
    var request = MachineResources()
    var isEmpty = true
    forEachKey(of: node, KeyTable<ResourcesKey>(), owner: owner, location: node) { reader, key, member in
      let part = Owner.part(key.rawValue, of: owner)
      isEmpty = false
      switch key {
      case .cpus: request.cpus = reader.wholeCount(member.value, part) ?? 1
      case .memory: request.memoryBytes = reader.memory(member.value, part) ?? 0
      case .gpus: request.gpus = reader.wholeCount(member.value, part) ?? 0
      }
    }
    if isEmpty, tree.elements(node).isEmpty {
      report(
        .missingKey, "\(owner.text(in: tree)) is empty", at: span(node),
        help: "write '{ cpus: 4 }', or leave 'resources' out")
    }
    return request
  }

  private mutating func wholeCount(_ node: NodeID, _ owner: Owner) -> Int? {
    if tree.kind(node) == .scalar, case .number(let number)? = tree.scalarValue(node), number > 0 {
      reportType(
        node, owner, expected: "a whole number",
        help: "write \(Int(min(number.rounded(.up), 65_536))); a fraction of a processor cannot be requested")
      return nil
    }
    if reportExpression(node, owner) { return nil }
    return integer(node, 1...Limits.cpus, owner)
  }

  private mutating func memory(_ node: NodeID, _ owner: Owner) -> Int? {
    let expected = "an amount of memory such as 8GiB"
    guard tree.kind(node) == .scalar, let value = tree.scalarValue(node) else {
      reportType(node, owner, expected: expected)
      return nil
    }
    switch value {
    case .string, .integer, .number:
      if reportExpression(node, owner) { return nil }
      do throws(MemoryText.Problem) {
        return try MemoryText.parse(tree.text(node))
      } catch {
        reportType(node, owner, expected: expected, help: error.help)
      }
    default: reportType(node, owner, expected: expected)
    }
    return nil
  }

  /// Reports an expression, which cannot stand here: what a step takes is known before anything runs.
  private mutating func reportExpression(_ node: NodeID, _ owner: Owner) -> Bool {
    guard tree.kind(node) == .scalar, Template.containsExpression(tree.text(node)) else { return false }
    reportType(
      node, owner, expected: "a literal",
      help: "resources are fixed before the run starts; write the most that the step may take")
    return true
  }
}
