import FlowEngine
import FlowModel

/// Simulates a recorded run with a change, to find the slack of steps and effective changes.
///
/// The simulated workflow is built from the run: steps take as long as they did, and skipped steps are left out. The
/// production scheduler decides their order. Waits for threads are not simulated, because there are enough threads.
package struct CoursePlayback: Sendable {
  private let started: Plan
  private let lengths: [Int]
  private let endings: [Bool]
  private let posts: [[RunPost]]
  private let outside: [RunPost]
  /// The index of each step of the run in the simulated workflow.
  private let places: [Int]
  /// The instant at which everything is ready without a change, or nil if that never happens.
  package private(set) var ready: Int?

  /// Prepares a simulation with some steps deferred or removed. Returns nil if the steps form a cycle.
  package init?(_ run: ReportedRun, deferring: Set<Int> = [], dropping: Set<Int> = []) {
    let course = run.course
    var workflow = Workflow(name: run.workflow, steps: [])
    workflow.gate = GateDeadline(
      min: .literal(.nanoseconds(course.minimum)), max: course.maximum.map { .literal(.nanoseconds($0)) })
    workflow.concurrency = course.shape.concurrency
    let builtIn = ["main"] + StepQueue.allCases.map(\.rawValue)
    let queues = Set(course.shape.steps.map(\.queue)).union(course.shape.widths.keys).subtracting(builtIn + [""])
    workflow.queues = queues.sorted().map {
      QueueDeclaration(name: $0, qualityOfService: .userInitiated, width: course.shape.widths[$0])
    }
    // The report does not contain the reasons for the order in which steps got slots. Sorting the steps by their
    // recorded start preserves that order.
    let order = course.steps.indices.sorted {
      (course.steps[$0].startedAt ?? .max, $0) < (course.steps[$1].startedAt ?? .max, $1)
    }
    var places = [Int](repeating: 0, count: order.count)
    for (place, index) in order.enumerated() { places[index] = place }
    self.places = places
    for index in order {
      var shape = course.shape.steps[index]
      shape.needs = shape.needs.map { places[$0] }
      shape.isDeferred = shape.isDeferred || deferring.contains(index)
      workflow.steps.append(
        Self.step(
          shape, minimum: course.minimum(of: index), isExcused: run.excused.contains(index),
          isOut: course.steps[index].startedAt == nil || dropping.contains(index)))
    }
    guard let graph = try? WorkflowGraph(workflow) else { return nil }
    lengths = order.map { course.length(of: $0) }
    endings = order.map { course.steps[$0].outcome == .success || course.steps[$0].outcome == nil }
    var posts = [[RunPost]](repeating: [], count: course.steps.count)
    var outside: [RunPost] = []
    for (name, event) in course.events where name != LifecycleEvent.activate.rawValue {
      guard let poster = event.poster, let started = course.steps[poster].startedAt else {
        outside.append(RunPost(afterNanoseconds: max(0, event.at), event: name))
        continue
      }
      posts[places[poster]].append(RunPost(afterNanoseconds: max(0, event.at - started), event: name))
    }
    self.posts = posts
    self.outside = outside.sorted { ($0.afterNanoseconds, $0.event) < ($1.afterNanoseconds, $1.event) }
    let resolution = Resolution(literalsOf: graph)
    var gated = resolution
    gated.gate = GateBounds(minimumNanoseconds: course.minimum, maximumNanoseconds: course.maximum)
    var plan = Plan(graph: graph, resolution: gated, announcedEvents: outside.count, detail: .none)
    plan.apply(.activated(gated), at: 0)
    plan.apply(.started(prewarm: false), at: 0)
    started = plan
    ready = nil
    ready = readyAt()
  }

  private static func step(_ shape: CourseShape.Step, minimum: Int, isExcused: Bool, isOut: Bool) -> Step {
    var options = StepOptions()
    if minimum > 0 { options.deadline = StepDeadline(min: .nanoseconds(minimum)) }
    options.after = shape.after
    options.queue = shape.queue.isEmpty ? nil : shape.queue
    options.deferral = shape.isDeferred ? .afterGate : .never
    options.blocking = shape.isBlocking && !shape.isDeferred
    options.isOptional = isExcused
    if isOut { options.enabled = .literal(false) }
    return Step(
      id: StepID(unchecked: shape.id), uses: "", needs: shape.needs.map { StepIndex($0) }[...], options: options)
  }

  /// Returns the time until everything is ready if each step in `longer` takes the given additional time, in
  /// nanoseconds. Returns nil if that never happens, or happens only after `limit`.
  package func readyAt(_ longer: [Int: Int] = [:], limit: Int = DurationText.longest.nanoseconds) -> Int? {
    var extra: [Int: Int] = [:]
    for (step, time) in longer { extra[places[step]] = time }
    var player = RunPlayer(started, in: World(lengths: lengths, endings: endings, posts: posts, extra: extra))
    player.reset(to: started)
    for event in outside {
      player.schedule(.posted(event.event), atNanoseconds: event.afterNanoseconds)
      player.schedule(.announcedEventDone, atNanoseconds: event.afterNanoseconds)
    }
    player.begin(limit)
    let ready = player.plan.gateInstants.readyAt
    return ready == .min ? nil : ready
  }

  /// Returns the largest increase of a step's duration that does not delay the instant at which everything is ready.
  /// Returns nil if any increase up to `limit` is possible, or if ``ready`` is nil. The result is found by at most
  /// `plays` bisections and is usually exact to the nanosecond.
  package func slack(of step: Int, limit: Int, plays: Int = 64) -> Int? {
    guard let base = ready else { return nil }
    func isLate(_ extra: Int) -> Bool { readyAt([step: extra], limit: base).map { $0 > base } ?? true }
    guard isLate(limit) else { return nil }
    var (low, high) = (0, limit)
    var count = 1
    while high - low > 1, count < plays {
      let middle = low + (high - low) / 2
      if isLate(middle) { high = middle } else { low = middle }
      count += 1
    }
    return low
  }

  /// An environment in which steps behave as recorded, except for the additional times.
  private struct World: RunWorld {
    let lengths: [Int]
    let endings: [Bool]
    let posts: [[RunPost]]
    let extra: [Int: Int]

    func body(of step: StepIndex, attempt: Int, in plan: Plan) -> RunBody {
      let index = Int(step)
      let longer = extra.isEmpty ? 0 : extra[index] ?? 0
      var body = RunBody(endsAfterNanoseconds: max(0, lengths[index] + longer))
      if !endings[index] {
        body.ending = .failure(StepFailure(code: "recorded", message: "it failed"), isRetryable: false)
      }
      // Posts are delayed by the whole additional time, as if it passed before them.
      body.posts = posts[index].map { post in
        RunPost(afterNanoseconds: max(0, post.afterNanoseconds + longer), event: post.event)
      }
      return body
    }

    func nanosecondsToEnd(_ step: StepIndex, attempt: Int, in plan: Plan) -> Int? { 0 }
    func decide(_ step: StepIndex, in plan: Plan) -> Decision { .run }
    func items(of step: StepIndex, in plan: Plan) -> Expansion { .items(FanOutItems(count: 0)) }
  }
}
