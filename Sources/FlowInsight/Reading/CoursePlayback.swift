import FlowEngine
import FlowModel

/// A run played again as it went, with one thing changed: how long a step could have been, and what would have helped.
///
/// The workflow is made from the run: what ran runs as long as it did, what was left out is left out, and the real plan
/// schedules it. Waits for threads are not played: there is a thread for all.
package struct CoursePlayback: Sendable {
  private let started: Plan
  private let lengths: [Int]
  private let endings: [Bool]
  private let posts: [[RunPost]]
  private let outside: [RunPost]
  /// Where each step of the run is in the played workflow.
  private let places: [Int]
  /// When everything is ready with nothing changed; nil: never.
  package private(set) var ready: Int?

  /// The run with steps deferred or left out; nil if it cannot be played: its steps form a cycle.
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
    // Who got a place first did so for a reason that the run does not tell: so the order of the starts is that of the
    // file.
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

  /// When everything is ready with steps that take longer by so much; nil: never, or not until `limit`.
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

  /// By how much a step could have taken longer without moving the instant at which everything was ready; nil: by any time up
  /// to `limit`. To the nanosecond, or as near as `plays` halvings come.
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

  /// Nothing but what was seen.
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
      // What makes it longer may come before what it posts: so it does.
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
