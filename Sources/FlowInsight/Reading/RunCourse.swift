import FlowEngine
import FlowModel

/// What is the same in every run of a workflow, as critical paths need to know it.
package struct CourseShape: Sendable {
  /// A step.
  package struct Step: Sendable {
    /// Its id.
    package var id: String
    /// Its name for people; nil: the id alone.
    package var name: String?
    /// The steps it comes after.
    package var needs: [Int] = []
    /// The events it comes after.
    package var after: [String] = []
    /// The name of its queue.
    package var queue = ""
    /// Whether it takes resources of the machine, which all such steps have together.
    package var takesResources = false
    /// Whether it waits for the gate.
    package var isDeferred = false
    /// Whether the gate waits for it.
    package var isBlocking = false

    /// A step of this name that waits for nothing.
    package init(id: String) { self.id = id }

    /// The name with the id by which other steps refer to it: `Fetch the table (fetch)`.
    package var label: String { name.map { "\($0) (\(id))" } ?? id }
  }

  /// The steps in file order.
  package var steps: [Step] = []
  /// How many steps of a queue run at once, where that is limited.
  package var widths: [String: Int] = ["main": 1]
  /// The number of steps that run at once in all; nil: no limit.
  package var concurrency: Int?
  /// Whether steps wait until what came before is on disk.
  package var isDurable = false
  /// Whether it is known what each step waits for; a report of an older flowrun does not say.
  package var knowsDependencies = true

  /// Nothing.
  package init() {}

  /// The shape of a plan's workflow.
  package init(_ plan: Plan) {
    let workflow = plan.graph.workflow
    for (index, step) in workflow.steps.enumerated() {
      let reading = plan[StepIndex(index)]
      var shape = Step(id: step.id.text)
      if step.hasOptions, let name = step.options.name, name != step.id.text { shape.name = name }
      shape.needs = step.needs.map { Int($0) }
      shape.after = step.hasOptions ? step.options.after : []
      shape.queue = reading.queue
      shape.takesResources = step.hasOptions && step.options.request != nil
      shape.isDeferred = reading.isDeferred
      shape.isBlocking = reading.isBlocking
      steps.append(shape)
    }
    for queue in workflow.queues { if let width = queue.width { widths[queue.name] = width } }
    concurrency = workflow.concurrency
    isDurable = workflow.isDurable
  }
}

/// One run as it went, played or run: times are nanoseconds from activation.
package struct RunCourse: Sendable {
  /// What became of a step.
  package struct Step: Sendable {
    /// When nothing held it back but capacity; nil: never.
    package var readyAt: Int?
    /// When its first attempt began; nil: never.
    package var startedAt: Int?
    /// When it was finished; nil: not yet.
    package var endedAt: Int?
    /// How it ended; nil: it did not.
    package var outcome: Outcome?
    /// Its attempts where there were several, or where its minimum held it; empty: one, from start to end.
    package var attemptTimes: [Range<Int>] = []
    /// When its bodies began where an executor ran them; nil: it ran here.
    package var beginnings: [Int]?
    /// The items that it ran for, those that began and ended.
    package var items: [Item] = []

    /// When its last attempt ended, which its minimum may have held; nil: it has not ended.
    var workEndedAt: Int? {
      guard outcome == .success, let endedAt, let last = attemptTimes.last else { return endedAt }
      return min(last.upperBound, endedAt)
    }

    /// When its bodies ran: each attempt, of each item where there are several.
    var bodies: [Range<Int>] {
      if !items.isEmpty { return items.flatMap { $0.attemptTimes.isEmpty ? [$0.time] : $0.attemptTimes } }
      guard attemptTimes.isEmpty else { return attemptTimes }
      guard let startedAt, let endedAt, startedAt < endedAt else { return [] }
      return [startedAt..<endedAt]
    }

    /// A step that nothing has happened to.
    package init() {}
  }

  /// One of the items that a step ran for.
  package struct Item: Sendable {
    /// From the start of its first try to its end.
    package var time: Range<Int>
    /// Its attempts where there were several, or where its minimum held it; empty: one, from start to end.
    package var attemptTimes: [Range<Int>] = []
    /// When its bodies began where an executor ran them; nil: it ran here.
    package var beginnings: [Int]?

    /// An item that took this time.
    package init(time: Range<Int>) { self.time = time }
  }

  /// An event that was posted.
  package struct Event: Sendable {
    /// When it was posted first.
    package var at: Int
    /// The step that posted it; nil: it came from outside.
    package var poster: Int?

    /// An event.
    package init(at: Int, poster: Int?) {
      self.at = at
      self.poster = poster
    }
  }

  /// What is the same in every run.
  package var shape: CourseShape
  /// The steps, in the shape's order.
  package var steps: [Step]
  /// The events by name.
  package var events: [String: Event] = [:]
  /// How the gate opened; nil: it did not.
  package var outcome: GateOutcome?
  /// When it opened; nil: it did not.
  package var openedAt: Int?
  /// When everything was ready, without the minimum; nil: that did not happen.
  package var readyAt: Int?
  /// The gate's minimum.
  package var minimum = 0
  /// The gate's maximum; nil: it has none.
  package var maximum: Int?

  /// Whether the run has a gate.
  package var hasGate: Bool {
    GateRule.hasGate(GateBounds(minimumNanoseconds: minimum, maximumNanoseconds: maximum))
  }

  /// A run in which nothing has happened.
  package init(_ shape: CourseShape) {
    self.shape = shape
    steps = Array(repeating: Step(), count: shape.steps.count)
  }

  /// The run that a plan has gone through, with what the player noted besides.
  package init(_ shape: CourseShape, _ plan: Plan, _ trace: RunTrace) {
    self.init(shape)
    let activation = plan.activatedAtNanoseconds ?? 0
    func time(_ nanoseconds: Int) -> Int? { nanoseconds == .min ? nil : nanoseconds - activation }
    for index in steps.indices {
      let instants = plan.instants(of: StepIndex(index))
      steps[index].readyAt = time(instants.readyAt)
      steps[index].startedAt = time(instants.startedAt)
      steps[index].endedAt = time(instants.endedAt)
      steps[index].outcome = instants.outcome
    }
    readItems(plan, trace, activation)
    var hasSeveral: Set<StepIndex> = []
    for entry in trace.attemptTimes where entry.attempt > 1 || isHeld(entry, plan) { hasSeveral.insert(entry.step) }
    for entry in trace.attemptTimes where hasSeveral.contains(entry.step) && Int(entry.step) < steps.count {
      let start = entry.startedAt - activation
      steps[Int(entry.step)].attemptTimes.append(start..<max(start, (time(entry.endedAt) ?? start)))
    }
    for name in Set(shape.steps.flatMap(\.after)) {
      guard let at = plan.timeOfEvent(name) else { continue }
      events[name] = Event(at: at - activation, poster: trace.posters[name].map { Int($0) })
    }
    let gate = plan.gateInstants
    outcome = gate.outcome
    openedAt = time(gate.openedAt)
    readyAt = time(gate.readyAt)
    minimum = plan.gateBounds.minimumNanoseconds
    maximum = plan.gateBounds.maximumNanoseconds
  }

  /// Whether a step had done its work before it ended: its minimum held it.
  private func isHeld(_ entry: RunTrace.Attempt, _ plan: Plan) -> Bool {
    guard Int(entry.step) < steps.count, entry.endedAt != .min else { return false }
    return entry.endedAt < plan.instants(of: entry.step).endedAt
  }

  private mutating func readItems(_ plan: Plan, _ trace: RunTrace, _ activation: Int) {
    var attemptTimes: [StepIndex: [Range<Int>]] = [:]
    for entry in trace.attemptTimes where Int(entry.step) >= steps.count && entry.endedAt != .min {
      let start = entry.startedAt - activation
      attemptTimes[entry.step, default: []].append(start..<max(start, entry.endedAt - activation))
    }
    for index in steps.indices {
      steps[index].items = plan.items(of: StepIndex(index)).compactMap { item in
        guard let started = item.startedAtNanoseconds, let ended = item.endedAtNanoseconds else { return nil }
        var read = Item(time: started - activation..<max(started, ended) - activation)
        if let several = attemptTimes[plan.instance(ofItem: item.index, of: StepIndex(index))],
          several.count > 1 || several.last.map({ $0.upperBound < read.time.upperBound }) ?? false
        {
          read.attemptTimes = several
        }
        return read
      }
    }
  }
}
