import FlowModel
import FlowPluginKit
import FlowStore

extension RunReport {
  /// Creates the report of a run from its plan.
  init(
    plan: Plan, runID: String, wasPrewarmed: Bool, launchReason: LaunchReason?, outputs: ValueObject,
    warnings: [String], isDurable: Bool = false
  ) {
    let activation = plan.activatedAtNanoseconds ?? 0
    func time(_ nanoseconds: Int?) -> Double? { nanoseconds.map { millisecondsOf($0 - activation) } }
    let workflow = plan.graph.workflow
    let gate = plan.gate
    self.workflow = workflow.name
    self.runID = runID
    self.launchReason = plan.activatedAtNanoseconds == nil ? nil : launchReason
    self.outputs = outputs
    self.warnings = warnings
    conclusion = plan.conclusion ?? .cancelled
    reason = plan.hasTimedOut ? Self.timedOut : nil
    durationMilliseconds = time(plan.endedAt) ?? 0
    prewarmMilliseconds = wasPrewarmed ? millisecondsOf(activation) : 0
    var mainNanoseconds = 0
    for index in plan.traits.indices where plan.traits[index].queue == 0 && plan.states[index].startedAt != never {
      let items = plan.items(of: StepIndex(index))
      guard items.isEmpty else {
        for item in items {
          if let start = item.startedAtNanoseconds, let end = item.endedAtNanoseconds { mainNanoseconds += end - start }
        }
        continue
      }
      mainNanoseconds += plan.states[index].endedAt - plan.states[index].startedAt
    }
    mainQueueMilliseconds = millisecondsOf(mainNanoseconds)
    let ids = { (step: StepIndex) in workflow.steps[Int(step)].id }
    self.gate = Gate(
      outcome: gate.outcome ?? .cancelled, openedAt: time(gate.openedAtNanoseconds),
      readyAt: time(gate.readyAtNanoseconds),
      heldByMinMilliseconds: Self.heldByMinimum(plan, activation: activation),
      late: gate.late.map(ids), failed: gate.failed.map(ids),
      min: millisecondsOf(plan.gateBounds.minimumNanoseconds),
      max: plan.gateBounds.maximumNanoseconds.map { millisecondsOf($0) })
    events = plan.firstPosts.map { post in
      Event(
        name: post.event, at: millisecondsOf(post.atNanoseconds - activation), postedBy: post.poster.map(ids))
    }
    var queues = ValueObject()
    for queue in plan.queueWidths { queues[queue.name] = .integer(queue.width) }
    limits = [
      "queues": .object(queues),
      "concurrency": workflow.concurrency.map { .integer($0) } ?? .null,
      "durable": .boolean(isDurable || workflow.isDurable),
    ]
    entries = Self.entries(of: plan)
    criticalPath = Self.criticalPath(of: plan).map { step in
      let state = plan.states[step]
      return PathStep(step: ids(step), start: time(state.startedAt) ?? 0, end: time(state.endedAt) ?? 0)
    }
    source = .plan(plan)
  }

  /// Creates the report of a recorded run from its journal. Steps that had not finished have no end.
  package init(_ recollection: RunRecollection, of graph: WorkflowGraph, _ run: StoredRun) {
    let summary = (try? JSONText.parse(run.summary))?.objectValue ?? [:]
    self.init(
      plan: recollection.plan(of: graph), runID: run.id, wasPrewarmed: recollection.header.isPrewarmed,
      launchReason: recollection.header.launch.reason, outputs: summary["outputs"]?.objectValue ?? [:],
      warnings: summary["warnings"]?.arrayValue?.compactMap(\.stringValue) ?? [],
      isDurable: recollection.header.isDurable)
    conclusion = summary["conclusion"]?.stringValue.flatMap { RunConclusion(rawValue: $0) } ?? conclusion
    reason = summary["reason"]?.stringValue
    selected = recollection.header.selection?.steps ?? []
    durationMilliseconds = summary["durationMilliseconds"]?.numberValue ?? durationMilliseconds
  }

  /// Reads the names and keys of items from the journal of the recorded run.
  package mutating func takeItemNames(in chunks: [[UInt8]], of graph: WorkflowGraph) {
    var indices: [String: StepIndex] = [:]
    for step in graph.stepsWithOptions where graph.workflow.steps[Int(step)].options.fanOut != nil {
      indices[graph.workflow.steps[Int(step)].id.text] = step
    }
    guard !indices.isEmpty else { return }
    for items in RunRecollection.itemNames(in: chunks) {
      guard let step = indices[items.step] else { continue }
      (itemNames[step], itemKeys[step]) = (items.names, items.keys)
    }
  }

  /// Creates a report without steps, for a run that was cancelled before its workflow was known.
  package static func ofNoRun(of workflow: String, why: String) -> RunReport {
    guard let graph = try? WorkflowGraph(Workflow(name: workflow, steps: [])) else {
      preconditionFailure("a graph without steps has no cycle")
    }
    return RunReport(
      plan: Plan(graph: graph), runID: RunInformation.newID(), wasPrewarmed: false, launchReason: nil, outputs: [:],
      warnings: [why])
  }

  /// All steps, in file order.
  public var steps: [Step] { (0..<stepCount).map { step(StepIndex($0)) } }

  /// The steps that failed, timed out, were cancelled or abandoned, or were late.
  package var troubledSteps: [Step] {
    func needsTelling(_ outcome: Outcome?) -> Bool {
      outcome == .failure || outcome == .timedOut || outcome == .cancelled
    }
    switch source {
    case .plan(let plan):
      return plan.states.indices.lazy
        .filter { index in
          needsTelling(plan.outcome(of: StepIndex(index)))
            || !plan.states[index].marks.isDisjoint(with: [.abandoned, .late])
        }
        .map { step(StepIndex($0)) }
    case .steps(let steps):
      let late = Set(gate.late)
      return steps.filter { needsTelling($0.outcome) || $0.isAbandoned || late.contains($0.id) }
    }
  }

  /// The number of steps with each outcome, in the order of `Outcome`'s cases. Outcomes without steps are omitted. The
  /// entry and exit of an included file count only if they failed for a reason other than a failed step.
  package var outcomeCounts: [(outcome: Outcome, count: Int)] {
    var counts = [Int](repeating: 0, count: Outcome.allCases.count)
    switch source {
    case .plan(let plan):
      let frames = Set(plan.graph.workflow.scopes.flatMap { [$0.entry, $0.exit] })
      for index in plan.states.indices.lazy.map({ StepIndex($0) }) where plan.isSelected(index) {
        guard let outcome = plan.outcome(of: index) else { continue }
        if frames.isEmpty || !frames.contains(index) || Self.isCause(plan.particulars.failures[index]) {
          counts[Int(outcome.rawValue)] += 1
        }
      }
    case .steps(let steps):
      let entries = steps.lazy.map(\.id.text).filter { $0.hasSuffix("/") }
      let frames = Set(entries + entries.map { String($0.dropLast()) })
      for step in steps where selected.isEmpty || step.reason != .notSelected {
        guard frames.isEmpty || !frames.contains(step.id.text) || Self.isCause(step.failure) else { continue }
        counts[Int(step.outcome.rawValue)] += 1
      }
    }
    return Outcome.allCases.compactMap { outcome in
      let count = counts[Int(outcome.rawValue)]
      return count == 0 ? nil : (outcome, count)
    }
  }

  /// True if the failure of an included file's entry or exit was not caused by one of the file's steps.
  private static func isCause(_ failure: StepFailure?) -> Bool { failure.map { $0.code != "include-failed" } ?? false }

  package var stepCount: Int {
    switch source {
    case .plan(let plan): plan.states.count
    case .steps(let steps): steps.count
    }
  }

  func step(_ index: StepIndex) -> Step {
    switch source {
    case .plan(let plan): step(index, of: plan)
    case .steps(let steps): steps[Int(index)]
    }
  }

  private func step(_ index: StepIndex, of plan: Plan) -> Step {
    let reading = plan[index]
    let activation = plan.activatedAtNanoseconds ?? 0
    func time(_ nanoseconds: Int?) -> Double? { nanoseconds.map { millisecondsOf($0 - activation) } }
    var step = Step(
      id: plan.graph.workflow.steps[Int(index)].id, outcome: reading.outcome ?? .cancelled,
      conclusion: reading.conclusion ?? .cancelled, reason: reading.reason, attempts: reading.attempts,
      queue: reading.queue, readyAt: time(reading.readyAtNanoseconds), startedAt: time(reading.startedAtNanoseconds),
      endedAt: time(reading.endedAtNanoseconds),
      waitedMilliseconds: reading.startedAtNanoseconds.flatMap { started in
        reading.readyAtNanoseconds.map { millisecondsOf(started - $0) }
      },
      overrunMilliseconds: reading.overrunNanoseconds.map { millisecondsOf($0) }, isAbandoned: reading.isAbandoned,
      isDeferred: reading.isDeferred, isBlocking: reading.isBlocking,
      failure: reading.outcome == .success ? nil : reading.failure, items: items(of: index, plan),
      needs: plan.needs(of: index).map { plan.graph.workflow.steps[Int($0)].id },
      after: plan.graph.workflow.steps[Int(index)].hasOptions ? plan.options(of: index).after : [],
      attemptTimes: attemptTimes(of: index, plan), executor: beginning(of: index, plan),
      request: plan.graph.workflow.steps[Int(index)].hasOptions
        ? plan.options(of: index).request(ofAttempt: reading.attempts) : nil)
    if plan.graph.workflow.steps[Int(index)].hasOptions { step.name = plan.options(of: index).name }
    return step
  }

  private func attemptTimes(of step: StepIndex, _ plan: Plan) -> [Attempt] {
    let activation = plan.activatedAtNanoseconds ?? 0
    func time(_ nanoseconds: Int) -> Double? { nanoseconds == never ? nil : millisecondsOf(nanoseconds - activation) }
    return plan.attemptTimes(of: step).map { attempt in
      Attempt(startedAt: time(attempt.startedAt), begunAt: time(attempt.begunAt), endedAt: time(attempt.endedAt))
    }
  }

  private func beginning(of step: StepIndex, _ plan: Plan) -> Beginning? {
    let activation = plan.activatedAtNanoseconds ?? 0
    return plan.beginning(of: step).map { Beginning(at: $0 == never ? nil : millisecondsOf($0 - activation)) }
  }

  private func items(of step: StepIndex, _ plan: Plan) -> [Item]? {
    guard plan.traits[step].flags.contains(.fanOut) else { return nil }
    let activation = plan.activatedAtNanoseconds ?? 0
    func time(_ nanoseconds: Int?) -> Double? { nanoseconds.map { millisecondsOf($0 - activation) } }
    /// The recorded names may belong to an earlier list of items that was replaced when the run was resumed, so an
    /// index may be missing.
    func text(_ item: Int, of texts: [String]?) -> String? {
      texts.flatMap { $0.indices.contains(item) ? $0[item] : nil }
    }
    let (keys, names) = (itemKeys[step], itemNames[step])
    return plan.items(of: step).map { item in
      let instance = plan.instance(ofItem: item.index, of: step)
      return Item(
        index: item.index, key: text(item.index, of: keys), name: text(item.index, of: names),
        outcome: item.outcome ?? .cancelled,
        conclusion: item.conclusion ?? .cancelled, reason: item.reason, attempts: item.attempts,
        startedAt: time(item.startedAtNanoseconds), endedAt: time(item.endedAtNanoseconds),
        isAbandoned: item.isAbandoned, failure: item.failure, attemptTimes: attemptTimes(of: instance, plan),
        executor: beginning(of: instance, plan),
        steps: itemRuns[instance].map { inner in
          let shift = millisecondsOf(inner.beganAt - activation)
          return inner.steps.map { $0.later(by: shift) }
        })
    }
  }

  /// Returns the time for which the minimum kept the gate closed after its blocking steps were satisfied.
  private static func heldByMinimum(_ plan: Plan, activation: Int) -> Double {
    let gate = plan.gate
    // The gate opens a moment after the minimum. If it became ready only then, the minimum did not delay it.
    guard gate.outcome == .ready, let opened = gate.openedAtNanoseconds, let ready = gate.readyAtNanoseconds,
      ready < activation + plan.gateBounds.minimumNanoseconds
    else {
      return 0
    }
    return millisecondsOf(max(0, opened - max(ready, activation)))
  }

  /// Returns the path that ends at the blocking step that ended last before the gate opened, and always follows the
  /// dependency that ended last. If there is no such step, or if the gate of a run without a `deadline` failed, the
  /// path ends at the step that ended last.
  private static func criticalPath(of plan: Plan) -> [StepIndex] {
    let steps = plan.graph.workflow.steps
    // Read only once, because the property examines every step.
    let gate = plan.gate
    let opened = gate.openedAtNanoseconds ?? Int.max
    /// Returns the candidate that ended last, or nil if there is none. Candidates that did not run, or for which
    /// `isWanted` returns false, are ignored.
    func last(of candidates: some Sequence<StepIndex>, where isWanted: (StepIndex) -> Bool) -> StepIndex? {
      var best: (step: StepIndex, end: Int)?
      for step in candidates {
        let state = plan.states[step]
        guard state.startedAt != never, state.endedAt != never, isWanted(step) else { continue }
        if best.map({ state.endedAt > $0.end }) ?? true { best = (step, state.endedAt) }
      }
      return best?.step
    }
    let all = steps.indices.lazy.map { StepIndex($0) }
    let bounds = plan.gateBounds
    let hasGate = bounds.minimumNanoseconds > 0 || bounds.maximumNanoseconds != nil
    var next = last(of: all) {
      (hasGate || gate.outcome != .failed) && plan.traits[$0].flags.contains(.blocking)
        && plan.states[$0].endedAt <= opened
    }
    next = next ?? last(of: all) { _ in true }
    var path: [StepIndex] = []
    while let step = next {
      path.append(step)
      next = last(of: steps[Int(step)].needs) { _ in true }
    }
    return path.reversed()
  }
}
