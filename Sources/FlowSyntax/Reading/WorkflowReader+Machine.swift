import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Reads the resources that a step requests.
extension WorkflowReader {
  /// Reads a mapping such as `{ cpus: 4, memory: 8GiB, gpus: 1 }`. Expressions get the number of the first attempt.
  mutating func machineResources(_ node: NodeID, _ owner: Owner) -> MachineResources? {
    guard tree.kind(node) == .mapping else {
      reportType(
        node, owner, expected: "a mapping of cpus, memory and gpus",
        help:
          "'resources' is the capacity that the step requests: { cpus: 4, memory: 8GiB }; to use what another step provides, "
          + "such as a database, name that step under 'needs'")
      return nil
    }
    if tree.elements(node).isEmpty {
      report(
        .missingKey, "\(owner.text(in: tree)) is empty", at: span(node),
        help: "write '{ cpus: 4 }', or leave 'resources' out")
    }
    return machineResources(node, owner, attempt: 1)
  }

  /// The number of repetitions after lost attempts for which requests are computed, even if `retry` has fewer attempts.
  private static let repetitionsOfLost = 3

  /// Returns the requests of all attempts after the first one, including repetitions of lost attempts. Returns an empty
  /// list if no request depends on the attempt, or if the request of an attempt that `retry` allows is invalid.
  mutating func laterRequests(_ location: StepLocation, attempts: Int) -> [MachineResources] {
    guard let member = tree.member(StepKey.resources.rawValue, of: location.value), tree.kind(member.value) == .mapping
    else { return [] }
    let owner = Owner.stepKey(.resources, location.key)
    let before = diagnostics.count
    guard let first = request(member.value, owner, location, attempt: 1), diagnostics.count == before else {
      // The error also occurred for the first attempt, so it has already been reported.
      diagnostics.removeSubrange(before...)
      return []
    }
    var requests: [MachineResources] = []
    for attempt in 1..<max(attempts, 1 + Self.repetitionsOfLost) {
      guard let request = request(member.value, owner, location, attempt: attempt + 1), diagnostics.count == before
      else {
        if attempt < attempts { return [] }
        // Attempts beyond `retry` occur only after lost ones, so their errors are not reported.
        diagnostics.removeSubrange(before...)
        break
      }
      requests.append(request)
    }
    return requests.allSatisfy { $0 == first } ? [] : requests
  }

  /// Reads the resources that an attempt requests, and the options of its job that differ from those of the first
  /// attempt.
  private mutating func request(
    _ node: NodeID, _ owner: Owner, _ location: StepLocation, attempt: Int
  ) -> MachineResources? {
    var request = machineResources(node, owner, attempt: attempt)
    request?.job = job(location, attempt: attempt)
    return request
  }

  private mutating func machineResources(_ node: NodeID, _ owner: Owner, attempt: Int) -> MachineResources? {
    var request = MachineResources()
    forEachKey(of: node, KeyTable<ResourcesKey>(), owner: owner, location: node) { reader, key, member in
      let part = Owner.part(key.rawValue, of: owner)
      let node = member.value
      if reader.tree.kind(node) == .scalar, Template.containsExpression(reader.tree.text(node)) {
        reader.evaluate(key, node, part, attempt, into: &request)
        return
      }
      switch key {
      case .cpus: request.cpus = reader.wholeCount(node, part) ?? 1
      case .memory: request.memoryBytes = reader.memory(node, part) ?? 0
      case .gpus: request.gpus = reader.wholeCount(node, part) ?? 0
      }
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
      do throws(MemoryText.MemoryProblem) {
        return try MemoryText.parse(tree.text(node))
      } catch {
        reportType(node, owner, expected: expected, help: error.help)
      }
    default: reportType(node, owner, expected: expected)
    }
    return nil
  }

  /// Returns the value of an expression that reads `attempt`, or nil after reporting an error.
  mutating func value(ofExpression node: NodeID, _ owner: Owner, _ attempt: Int) -> Value? {
    do throws(ExpressionError) {
      return try workflow.texts.template(tree.text(node), dialect: .resources).evaluate(
        in: FixedContext(["attempt": .integer(attempt)]))
    } catch {
      report(
        .expressionSyntax, "\(owner.text(in: tree)): \(error.message)", at: span(node),
        help: error.correction?.question
          ?? "it is fixed before the run starts: multiply 'attempt' (${{ attempt * 8 }}), or choose by it with case()")
      return nil
    }
  }

  /// Sets a resource to the value of an expression that reads `attempt`. The requests of all attempts are computed
  /// before the run, so that they can be checked.
  private mutating func evaluate(
    _ key: ResourcesKey, _ node: NodeID, _ owner: Owner, _ attempt: Int, into request: inout MachineResources
  ) {
    guard let value = value(ofExpression: node, owner, attempt) else { return }
    let isMemory = key == .memory
    let text = value.stringValue ?? value.numberValue.flatMap { Int(exactly: $0) }.map(String.init) ?? value.shortText
    func wrong(_ help: String?) {
      report(
        .outOfRange,
        "\(owner.text(in: tree)) must be \(isMemory ? "an amount of memory such as 8GiB" : "an integer from 1 to \(Limits.cpus)")"
          + ", and is '\(text)' at attempt \(attempt)", at: span(node), help: help)
    }
    if isMemory {
      do throws(MemoryText.MemoryProblem) {
        request.memoryBytes = try MemoryText.parse(text)
      } catch {
        wrong(error.help)
      }
      return
    }
    guard let count = Int(text), (1...Limits.cpus).contains(count) else { return wrong(nil) }
    if key == .cpus { request.cpus = count } else { request.gpus = count }
  }
}
