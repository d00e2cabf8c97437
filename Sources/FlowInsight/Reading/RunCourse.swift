import FlowEngine
import FlowModel

/// The properties of a workflow that critical paths depend on. They are the same in all of its runs.
package struct CourseShape: Sendable {
  package struct Step: Sendable {
    package var id: String
    /// The name of the step, or nil if it has only an id.
    package var name: String?
    /// The indices of the step's dependencies.
    package var needs: [Int] = []
    /// The names of the events that the step waits for.
    package var after: [String] = []
    package var queue = ""
    /// True if the step requests cpus, memory or gpus, which it shares with other such steps.
    package var takesResources = false
    /// True if the step starts only after the gate has opened.
    package var isDeferred = false
    /// True if the gate waits for the step.
    package var isBlocking = false

    package init(id: String) { self.id = id }

    /// The name followed by the id, such as `Fetch the table (fetch)`, or only the id.
    package var label: String { name.map { "\($0) (\(id))" } ?? id }
  }

  package var steps: [Step] = []
  /// The maximum number of steps that run at the same time in each limited queue.
  package var widths: [String: Int] = ["main": 1]
  /// The maximum number of steps that run at the same time in all queues together, or nil if there is no limit.
  package var concurrency: Int?
  /// True if steps wait until the journal entries of earlier steps are on disk.
  package var isDurable = false
  /// False if dependencies are unknown because an older flowrun wrote the report.
  package var knowsDependencies = true

  package init() {}

  /// Creates the shape of the workflow in a report. `indices` contains the positions of its steps by id.
  init(_ report: RunReport, _ steps: [RunReport.Step], _ indices: [StepID: Int]) {
    knowsDependencies = report.schema > 1
    for step in steps {
      var shape = Step(id: step.id.text)
      if let name = step.name, name != step.id.text { shape.name = name }
      shape.needs = step.needs.compactMap { indices[$0] }
      shape.after = step.after
      shape.queue = step.queue
      shape.takesResources = step.request != nil
      shape.isDeferred = step.isDeferred
      shape.isBlocking = step.isBlocking
      self.steps.append(shape)
    }
    for (name, width) in report.limits["queues"]?.objectValue ?? [:] {
      if let width = width.integerValue, width > 0 { widths[name] = width }
    }
    concurrency = report.limits["concurrency"]?.integerValue
    isDurable = report.limits["durable"]?.booleanValue ?? false
  }

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

/// The times and outcomes of one simulated or recorded run. Times are nanoseconds from activation.
package struct RunCourse: Sendable {
  package struct Step: Sendable {
    /// The instant at which only capacity kept the step from starting, or nil if it was never ready.
    package var readyAt: Int?
    /// The start of the first attempt, or nil if the step never started.
    package var startedAt: Int?
    /// The end of the last attempt including the delay by the step's minimum, or nil if the step has not finished.
    package var endedAt: Int?
    package var outcome: Outcome?
    /// The times of the attempts. Empty if there was only one and the step's minimum did not delay its end.
    package var attemptTimes: [Range<Int>] = []
    /// The instants at which executors started the bodies, or nil if the step did not run on an executor.
    package var beginnings: [Int]?
    /// The items that have both started and ended.
    package var items: [Item] = []

    /// The end of the last attempt, excluding the delay by the step's minimum, or nil if the step has not ended.
    var workEndedAt: Int? {
      guard outcome == .success, let endedAt, let last = attemptTimes.last else { return endedAt }
      return min(last.upperBound, endedAt)
    }

    /// The times of the bodies of all attempts, including those of items.
    var bodies: [Range<Int>] {
      if !items.isEmpty { return items.flatMap { $0.attemptTimes.isEmpty ? [$0.time] : $0.attemptTimes } }
      guard attemptTimes.isEmpty else { return attemptTimes }
      guard let startedAt, let endedAt, startedAt < endedAt else { return [] }
      return [startedAt..<endedAt]
    }

    package init() {}
  }

  package struct Item: Sendable {
    /// The time from the start of the first attempt to the end of the item.
    package var time: Range<Int>
    /// The times of the attempts. Empty if there was only one and the step's minimum did not delay its end.
    package var attemptTimes: [Range<Int>] = []
    /// The instants at which executors started the bodies, or nil if the item did not run on an executor.
    package var beginnings: [Int]?

    package init(time: Range<Int>) { self.time = time }
  }

  package struct Event: Sendable {
    /// The instant of the first post.
    package var at: Int
    /// The index of the step that posted the event, or nil if it came from outside the run or the poster is unknown.
    package var poster: Int?

    package init(at: Int, poster: Int?) {
      self.at = at
      self.poster = poster
    }
  }

  /// The properties shared by all runs of the workflow.
  package var shape: CourseShape
  /// The steps, in the same order as in the shape.
  package var steps: [Step]
  /// The posted events by name.
  package var events: [String: Event] = [:]
  /// The outcome of the gate, or nil if it did not open.
  package var outcome: GateOutcome?
  /// The instant at which the gate opened, or nil if it did not.
  package var openedAt: Int?
  /// The instant at which everything was ready, ignoring the gate's minimum, or nil if it never was.
  package var readyAt: Int?
  /// The gate's minimum in nanoseconds.
  package var minimum = 0
  /// The gate's maximum in nanoseconds, or nil if it has none.
  package var maximum: Int?

  package var hasGate: Bool {
    GateRule.hasGate(GateBounds(minimumNanoseconds: minimum, maximumNanoseconds: maximum))
  }

  /// Creates a course in which no step has started.
  package init(_ shape: CourseShape) {
    self.shape = shape
    steps = Array(repeating: Step(), count: shape.steps.count)
  }

  /// Creates the course of a simulated run from the plan after its end and the recorded trace.
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

  /// True if the attempt ended before the step did, so that the step's minimum delayed its end.
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
