import FlowBytes
import FlowModel

extension Workflow: Compilable {
  func write(to writer: inout CompiledWriter) {
    name.write(to: &writer)
    description.write(to: &writer)
    inputs.write(to: &writer)
    secrets.write(to: &writer)
    environment.write(to: &writer)
    environmentFiles.write(to: &writer)
    gate.write(to: &writer)
    timeout.write(to: &writer)
    events.write(to: &writer)
    queues.write(to: &writer)
    concurrency.write(to: &writer)
    writer.write(byte: (isDurable ? 1 : 0) | (cleanup == nil ? 0 : 2) | (keepsServices ? 4 : 0))
    if let cleanup { cleanup.write(to: &writer) }
    // Both flags are in one byte, so that the encoding of workflows without a limit has not changed.
    let statesLimit = logLimitBytes != Limits.usualLogBytes
    writer.write(byte: (keepsHistory ? 1 : 0) | (statesLimit ? 2 : 0))
    if statesLimit { logLimitBytes.write(to: &writer) }
    budgets.write(to: &writer)
    executor.write(to: &writer)
    outputs.write(to: &writer)
    Self.write(steps, to: &writer)
    scopes.write(to: &writer)
    // Without included files, all scope numbers are 0 and are not written.
    if !scopes.isEmpty { for number in scopeOfStep { writer.write(count: Int(number)) } }
    includes.write(to: &writer)
    includeFolders.write(to: &writer)
    itemWorkflows.write(to: &writer)
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    self.init(name: try reader.text(), description: try String?(from: &reader), steps: [])
    try inputs.add(from: &reader)
    try secrets.add(from: &reader)
    try environment.add(from: &reader)
    try environmentFiles.add(from: &reader)
    gate = try GateDeadline?(from: &reader)
    timeout = try Duration?(from: &reader)
    try events.add(from: &reader)
    try queues.add(from: &reader)
    concurrency = try Int?(from: &reader)
    guard concurrency ?? 1 >= 1 else { throw reader.damaged("a number of steps above 0") }
    let durability = try reader.index(below: 8)
    isDurable = durability & 1 != 0
    keepsServices = durability & 4 != 0
    if durability & 2 != 0 { cleanup = try Duration(from: &reader) }
    let recording = try reader.index(below: 4)
    keepsHistory = recording & 1 == 1
    if recording & 2 == 2 { logLimitBytes = try Int(from: &reader) }
    guard (Limits.leastLogBytes...Limits.logBytes).contains(logLimitBytes) else {
      throw reader.damaged("a size of the recorded log")
    }
    try budgets.add(from: &reader)
    if let name = try String?(from: &reader) { executor = name }
    try outputs.add(from: &reader)
    try addSteps(from: &reader)
    try scopes.add(from: &reader)
    if !scopes.isEmpty {
      scopeOfStep.reserveCapacity(steps.count)
      for _ in steps { scopeOfStep.append(Int32(try reader.index(below: scopes.count + 1))) }
      for scope in scopes {
        for step in [scope.entry, scope.exit] + scope.members where step >= steps.count {
          throw reader.damaged("the index of a step")
        }
      }
    }
    try includes.add(from: &reader)
    try includeFolders.add(from: &reader)
    try itemWorkflows.add(from: &reader)
  }

  /// Writes the dependencies of all steps, followed by the steps. A dependency is written as a distance, which is
  /// usually small.
  private static func write(_ steps: [Step], to writer: inout CompiledWriter) {
    writer.write(count: steps.count)
    for (index, step) in steps.enumerated() {
      writer.write(count: step.needs.count)
      for need in step.needs { writer.write(signed: index - Int(need)) }
    }
    for step in steps {
      step.id.text.write(to: &writer)
      step.uses.write(to: &writer)
      writer.write(byte: (step.with.isEmpty ? 0 : 1) | (step.hasOptions ? 2 : 0))
      if !step.with.isEmpty { step.with.write(to: &writer) }
      if step.hasOptions { step.options.write(to: &writer) }
    }
  }

  /// Reads the steps of a workflow that has none. The reason for adding them is given at `Array.add(from:)`.
  private mutating func addSteps(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    let count = try reader.count()
    guard count <= Limits.steps else { throw reader.damaged("at most \(Limits.steps) steps") }
    var needs: [StepIndex] = []
    var ends = [Int](repeating: 0, count: count)
    // For each step, the last dependent that was read. This detects dependencies that are listed twice.
    var neededBy = [Int32](repeating: -1, count: count)
    for index in 0..<count {
      for _ in 0..<(try reader.count()) {
        let (need, overflow) = index.subtractingReportingOverflow(try reader.signed())
        guard !overflow, need >= 0, need < count, neededBy[need] != index else {
          throw reader.damaged("the index of a step")
        }
        neededBy[need] = Int32(index)
        needs.append(StepIndex(need))
      }
      ends[index] = needs.count
    }
    steps.reserveCapacity(count)
    for index in 0..<count {
      let own = needs[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
      let id = try reader.text()
      guard !id.isEmpty else { throw reader.damaged("a step id") }
      let uses = try reader.text()
      let parts = try reader.index(below: 4)
      let with = try parts & 1 == 0 ? ValueObject() : ValueObject(from: &reader)
      guard parts & 2 != 0 else {
        steps.append(Step(id: StepID(unchecked: id), uses: uses, with: with, needs: own))
        continue
      }
      steps.append(
        Step(id: StepID(unchecked: id), uses: uses, with: with, needs: own, options: try StepOptions(from: &reader)))
    }
    guard !Self.hasRepeatedIDs(steps) else { throw reader.damaged("step ids that differ") }
  }

  /// Returns true if two steps have the same id. Strings are compared only if their hashes are equal. A `Set` is not
  /// used, because it would be the first one in the process, and instantiating its type takes ten times as long.
  private static func hasRepeatedIDs(_ steps: [Step]) -> Bool {
    var slots = 4
    while slots < 2 * steps.count { slots *= 2 }
    var hashes = [UInt64](repeating: 0, count: slots)
    for step in steps {
      var hash = FNV1a64()
      hash.add(step.id.text.utf8)
      // 0 is an empty slot, so hashes are never 0.
      let value = hash.value | 1
      var slot = Int(truncatingIfNeeded: value >> 1) & (slots - 1)
      while hashes[slot] != 0 {
        if hashes[slot] == value { return Set(steps.map(\.id)).count < steps.count }
        slot = (slot + 1) & (slots - 1)
      }
      hashes[slot] = value
    }
    return false
  }
}

extension WorkflowScope: Compilable {
  func write(to writer: inout CompiledWriter) {
    prefix.write(to: &writer)
    file.write(to: &writer)
    folder.write(to: &writer)
    writer.write(count: Int(entry))
    writer.write(count: Int(exit))
    writer.write(count: members.count)
    for member in members { writer.write(count: Int(member)) }
    environment.write(to: &writer)
    environmentFiles.write(to: &writer)
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    let (prefix, file, folder) = (try reader.text(), try reader.text(), try reader.text())
    let entry = StepIndex(try reader.index(below: Limits.steps))
    let exit = StepIndex(try reader.index(below: Limits.steps))
    var members: [StepIndex] = []
    for _ in 0..<(try reader.count()) { members.append(StepIndex(try reader.index(below: Limits.steps))) }
    self.init(
      prefix: prefix, folder: folder, entry: entry, exit: exit, environment: try ValueObject(from: &reader),
      environmentFiles: try [EnvironmentFileName](from: &reader))
    self.file = file
    self.members = members
  }
}

/// A null byte before the path marks an optional file. No path contains a null byte.
extension EnvironmentFileName: Compilable {
  func write(to writer: inout CompiledWriter) { (isRequired ? path : "\0" + path).write(to: &writer) }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    let text = try reader.text()
    let isRequired = text.utf8.first != 0
    self.init(isRequired ? text : String(decoding: text.utf8.dropFirst(), as: UTF8.self), isRequired: isRequired)
  }
}

extension ItemWorkflow: Compilable {
  func write(to writer: inout CompiledWriter) {
    workflow.write(to: &writer)
    folder.write(to: &writer)
    writer.write(fixed: digest)
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    let workflow = try reader.nested { (reader: inout CompiledReader) throws(CompiledWorkflowError) -> Workflow in
      try WorkflowGraph(ordering: Workflow(from: &reader)).workflow
    }
    self.init(workflow, folder: try reader.text(), digest: try reader.fixed())
  }
}

extension WorkflowGraph {
  /// Creates the graph of a workflow that was read from a compiled file. Throws if its dependencies form a cycle.
  init(ordering workflow: Workflow) throws(CompiledWorkflowError) {
    do throws(Cycle) {
      try self.init(workflow)
    } catch {
      throw .cycle
    }
  }
}
