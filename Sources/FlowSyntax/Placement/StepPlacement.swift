import FlowDiagnostics
import FlowModel
import FlowPlatform

/// The place where each step of a workflow runs: this process, or the executor in `--on`, `executor:` or `defaults`.
package struct StepPlacement: Sendable {
  package enum Place: Sendable, Hashable {
    /// The step runs in this process. If the step should run on an executor but cannot, `why` is the reason.
    case here(why: String?)
    /// The step runs on the executor with this address.
    case away(String)
  }

  /// The place of each step, by the step's index.
  package private(set) var places: [Place] = []
  /// The addresses of the executors, in the order of the first step that uses each.
  package private(set) var addresses: [String] = []
  /// The index in ``addresses`` of each remote step's executor.
  package private(set) var assignment: [StepIndex: Int] = [:]

  /// Determines the place of each step. `on` is the value of `--on`, or nil.
  package init(_ workflow: Workflow, _ catalog: any ActionCatalog, on: String?) {
    let isNamed = workflow.steps.contains { $0.hasOptions && $0.options.executor != nil }
    guard on != nil || workflow.executor != nil || isNamed else {
      places = Array(repeating: .here(why: nil), count: workflow.steps.count)
      return
    }
    var obstacles: [String: String?] = [:]
    let general = (on ?? workflow.executor).flatMap { try? ExecutorAddress($0) }
    var completed: [String: String] = [:]
    for (index, step) in workflow.steps.enumerated() {
      let wish =
        on == ExecutorAddress.local ? ExecutorAddress.local : step.options.executor ?? on ?? workflow.executor
      guard var wish, wish != ExecutorAddress.local else {
        places.append(.here(why: step.options.executor == ExecutorAddress.local ? "it says 'executor: local'" : nil))
        continue
      }
      if step.options.executor != nil, let general {
        let whole = completed[wish] ?? (try? ExecutorAddress(wish))?.completed(by: general).text ?? wish
        completed[wish] = whole
        wish = whole
      }
      let ofAction =
        obstacles[step.uses]
        ?? (catalog.declaration(named: step.uses).map(\.portabilityObstacle) ?? "it includes another workflow")
      obstacles[step.uses] = ofAction
      if let why = ofAction ?? Self.obstacle(step, at: wish) {
        places.append(.here(why: why))
        continue
      }
      places.append(.away(wish))
      let known = addresses.firstIndex(of: wish)
      if known == nil { addresses.append(wish) }
      assignment[StepIndex(index)] = known ?? addresses.count - 1
    }
  }

  /// True if a step occupies `resources` of this machine while it runs.
  package func countsHere(_ step: StepIndex) -> Bool {
    guard case .away(let address) = places[Int(step)] else { return true }
    return (try? ExecutorAddress(address).name) == ExecutorAddress.workers
  }

  /// Returns the reason why a step cannot run on the executor although its action is portable, or nil if it can.
  static func obstacle(_ step: Step, at address: String) -> String? {
    let wish = try? ExecutorAddress(address)
    if step.options.queue == QueueDeclaration.terminal { return "it is interactive, and the terminal is here" }
    if step.options.request != nil, let wish, !ExecutorAddress.counting.contains(wish.name) {
      return "it has 'resources', which '\(wish.name)' does not count"
    }
    if let queue = step.options.queue, StepQueue(rawValue: queue) == nil {
      return "it is in the queue '\(queue)'"
    }
    if reads("data", in: step) { return "it reads 'run.data', a folder of this machine" }
    guard wish?.copiesFiles == true else { return nil }
    if reads("folder", in: step) { return "it reads 'run.folder', a folder of this machine" }
    for (key, paths) in [("inputs-from", step.options.inputsFrom), ("produces", step.options.produces)] {
      if let path = paths.map(\.pattern).first(where: leavesFolder) {
        return "'\(key)' names '\(path)', which is outside of the workflow's folder"
      }
    }
    return nil
  }

  /// True if a relative path leads out of its folder, or if the path is absolute. Everything after an expression is
  /// ignored.
  private static func leavesFolder(_ path: String) -> Bool {
    if FilePath.isAbsolute(path) { return true }
    var depth = 0
    for part in path.pathParts {
      if part.firstRange(of: "${{") != nil { return false }
      depth += part == ".." ? -1 : part == "." ? 0 : 1
      if depth < 0 { return true }
    }
    return false
  }

  private static func reads(_ member: String, in step: Step) -> Bool {
    reads(member, .object(step.with)) || reads(member, .object(step.options.environment))
  }

  private static func reads(_ member: String, _ value: Value) -> Bool {
    switch value {
    case .string(let text):
      guard text.firstRange(of: "${{") != nil else { return false }
      let dense = text.lowercased().filter { !$0.isWhitespace }
      return ["run.\(member)", "run['\(member)']", "tojson(run)"].contains { dense.firstRange(of: $0) != nil }
    case .array(let values): return values.contains { reads(member, $0) }
    case .object(let members): return members.contains { reads(member, $0.value) }
    default: return false
    }
  }
}

extension WorkflowCheck {
  /// Reports steps that cannot run on their `executor`.
  mutating func checkExecutors() {
    for index in workflow.steps.indices {
      let step = workflow.steps[index]
      guard step.hasOptions, let executor = step.options.executor, executor != ExecutorAddress.local, !isSettled else {
        continue
      }
      let declaration = actions.declaration(ofStep: index)
      if isInteractive(index) { continue }
      guard let why = declaration?.portabilityObstacle ?? StepPlacement.obstacle(step, at: executor) else { continue }
      report(
        .conflictingKeys, "step '\(name(index))' cannot run remotely: \(why)", at: span(.executor, of: index),
        related: declaration.map { [.init(span(.uses, of: index), "it uses '\($0.name)' here")] } ?? [],
        help: "leave 'executor' out, or write 'executor: local'")
    }
  }
}
