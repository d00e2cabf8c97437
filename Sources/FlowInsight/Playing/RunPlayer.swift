import FlowEngine
import FlowModel

/// Simulates a plan on a virtual clock: deterministically, without threads and without waiting. The plan is the
/// production code; only its environment is simulated.
///
/// Events at the same instant happen in a fixed order: actions of bodies in the order of their starts, scheduled events
/// from outside the run, timers, and finally the gate's minimum and maximum.
package struct RunPlayer<World: RunWorld> {
  /// The plan in its current state.
  package private(set) var plan: Plan
  /// The environment that determines what bodies do and how conditions are decided.
  package var world: World
  /// The virtual time in nanoseconds since the start of the run.
  package private(set) var now = 0
  /// Called after each event and its effects, with the plan and the instant. Tests check invariants with it.
  package var inspect: ((Plan, Int) -> Void)?
  /// The recorded attempts and posts, or nil if they are not needed.
  package var trace: RunTrace?

  private var gate = GateState.closed
  private var agenda = RunAgenda()
  private var starts: Int32 = 0
  /// The sequence number of each step's or item's last start. It orders events at the same instant.
  private var startOrder: [Int32] = []
  // Data that does not fit into the items of the agenda, which refer to it by index.
  private var endings: [Ending] = []
  private var posts: [String] = []
  private var outside: [PlanEvent] = []

  package init(_ plan: Plan, in world: World) {
    self.plan = plan
    self.world = world
    startOrder = Array(repeating: 0, count: plan.graph.workflow.steps.count)
  }

  /// Schedules an event from outside the run, `nanoseconds` after the start. Events at the same instant keep their
  /// order.
  package mutating func schedule(_ event: PlanEvent, atNanoseconds nanoseconds: Int) {
    outside.append(event)
    add(.outside, at: nanoseconds, order: .max, step: 0, attempt: 0, payload: outside.count - 1)
  }

  /// Removes all scheduled events and restarts with another plan.
  package mutating func reset(to plan: Plan) {
    self.plan = plan
    now = 0
    gate = .closed
    agenda.removeAll()
    starts = 0
    endings.removeAll(keepingCapacity: true)
    posts.removeAll(keepingCapacity: true)
    outside.removeAll(keepingCapacity: true)
    if trace != nil { trace = RunTrace() }
  }

  /// Runs until the plan has ended, no event is left, or `limitNanoseconds` have passed.
  ///
  /// - Parameter activation: The values known at activation, or nil if an `activated` event has been scheduled instead.
  package mutating func run(activation: Resolution?, limitNanoseconds: Int) {
    if let activation { activate(activation) }
    plan.apply(.started(prewarm: activation == nil), at: now)
    finishWorld()
    playUntil(limitNanoseconds)
  }

  /// Runs a plan that was activated and started at instant 0 and whose effects have not been performed.
  package mutating func run(_ started: Plan, limitNanoseconds: Int) {
    reset(to: started)
    begin(limitNanoseconds)
  }

  /// Runs the plan passed to ``reset(to:)``. Call it after events have been added with ``schedule(_:atNanoseconds:)``.
  package mutating func begin(_ limitNanoseconds: Int) {
    if plan.gateBounds.minimumNanoseconds == 0 { gate = gate.after(.minimumReached) }
    finishWorld()
    playUntil(limitNanoseconds)
  }

  /// Continues a run at an instant, with a plan that was restored from the journal.
  package mutating func resume(atNanoseconds nanoseconds: Int, limitNanoseconds: Int) {
    now = nanoseconds
    if let outcome = plan.gate.outcome {
      gate = gate.after(.minimumReached)
      gate =
        outcome == .timedOut ? gate.after(.maximumReached) : gate.after(.decided(outcome == .ready ? .ready : .failed))
    } else if gateTimes.minimum.map({ $0 <= now }) ?? true {
      gate = gate.after(.minimumReached)
    }
    plan.apply(.started(prewarm: false), at: now)
    finishWorld()
    playUntil(limitNanoseconds)
  }

  private mutating func playUntil(_ limitNanoseconds: Int) {
    while plan.endedAt == nil, let next = nextInstant, next <= limitNanoseconds {
      now = max(now, next)
      handleInstant()
    }
  }

  private var gateTimes: (minimum: Int?, maximum: Int?) {
    guard gate.outcome == nil, let activated = plan.activatedAtNanoseconds else { return (nil, nil) }
    let bounds = plan.gateBounds
    return (
      gate == gate.after(.minimumReached) ? nil : activated + bounds.minimumNanoseconds,
      bounds.maximumNanoseconds.map { activated + $0 }
    )
  }

  private mutating func activate(_ resolution: Resolution) {
    plan.apply(.activated(resolution), at: now)
    // A minimum of zero is reached immediately. Any other minimum is the last event of its instant.
    if plan.activatedAtNanoseconds == now, resolution.gate.minimumNanoseconds == 0 {
      gate = gate.after(.minimumReached)
    }
  }

  private var nextInstant: Int? {
    var next = agenda.nextAt ?? .max
    if let timer = plan.nextTimerNanoseconds, timer < next { next = timer }
    let gateTimes = gateTimes
    if let minimum = gateTimes.minimum, minimum < next { next = minimum }
    if let maximum = gateTimes.maximum, maximum < next { next = maximum }
    return next == .max ? nil : next
  }

  private mutating func handleInstant() {
    while plan.endedAt == nil {
      if let at = agenda.nextAt, at <= now {
        handle(agenda.removeFirst())
      } else if let due = plan.nextTimerNanoseconds, due <= now {
        plan.apply(.timePassed, at: now)
        finishWorld()
      } else if let minimum = gateTimes.minimum, minimum <= now {
        signal(.minimumReached)
        finishWorld()
      } else if let maximum = gateTimes.maximum, maximum <= now {
        signal(.maximumReached)
        finishWorld()
      } else {
        return
      }
    }
  }

  private mutating func handle(_ item: RunAgenda.Item) {
    let (step, attempt) = (item.step, Int(item.attempt))
    switch item.kind {
    case .success:
      trace?.end(step, attempt, at: now)
      succeed(step, attempt)
    case .ending:
      trace?.end(step, attempt, at: now)
      plan.apply(.ended(step, attempt: attempt, endings[Int(item.payload)]), at: now)
    case .ready: plan.apply(.ready(step, attempt: attempt), at: now)
    case .post:
      let event = posts[Int(item.payload)]
      trace?.post(event, by: plan.owner(of: step))
      plan.apply(.posted(event), at: now)
    case .outside: happen(outside[Int(item.payload)])
    }
    finishWorld()
  }

  private mutating func happen(_ event: PlanEvent) {
    if case .cancelled = event { signal(.cancelled) }
    if case .activated(let resolution) = event {
      activate(resolution)
    } else {
      plan.apply(event, at: now)
    }
  }

  /// Finishes an attempt successfully. Uses the fast path of production, unless all pools share a limit such as the
  /// machine's resources. In that case, a step of another pool may have to start first.
  private mutating func succeed(_ step: StepIndex, _ attempt: Int) {
    if plan.graph.workflow.concurrency != nil || plan.countsMachine {
      plan.succeeded(step, attempt: attempt, at: now)
    } else if let next = plan.passOn(step, attempt: attempt, in: plan.pool(of: step), at: now) {
      startBody(next.step, next.attempt)
    }
  }

  private mutating func signal(_ signal: GateState.Signal) {
    let before = gate.outcome
    gate = gate.after(signal)
    if before == nil, let outcome = gate.outcome, outcome != .cancelled {
      plan.apply(.gateOpened(OpenedGate(outcome, atNanoseconds: now)), at: now)
    }
  }

  /// Performs the effects of the plan and starts ready steps until there are none left.
  private mutating func finishWorld() {
    defer { inspect?(plan, now) }
    while plan.endedAt == nil {
      if plan.hasEffects {
        for effect in plan.takeEffects() where !perform(effect) { return }
        continue
      }
      guard let (step, attempt) = plan.startNext(at: now) else { return }
      startBody(step, attempt)
    }
  }

  /// Performs an effect. Returns false if the run has ended.
  private mutating func perform(_ effect: PlanEffect) -> Bool {
    switch effect {
    case .evaluate(let step):
      let item = plan.position(ofItem: step)
      let decision =
        item.map { world.decide(item: $0.item, of: $0.step, in: plan) } ?? world.decide(step, in: plan)
      plan.apply(.decided(step, decision), at: now)
    case .expand(let step): plan.apply(.expanded(step, world.items(of: step, in: plan)), at: now)
    case .cancel(let step, let attempt): cancelBody(step, attempt)
    case .gateDecided(let decision): signal(.decided(decision))
    case .gather, .posted: break
    case .timedOut:
      signal(.runTimedOut)
      plan.apply(.cancelled, at: now)
    case .end: return false
    }
    return true
  }

  private mutating func startBody(_ step: StepIndex, _ attempt: Int) {
    let body = world.body(of: step, attempt: attempt, in: plan)
    let order = starts
    starts += 1
    while startOrder.count <= Int(step) { startOrder.append(0) }
    startOrder[Int(step)] = order
    trace?.begin(step, attempt, at: now)
    for post in body.posts {
      posts.append(post.event)
      add(
        .post, at: now + post.afterNanoseconds, order: order, step: step, attempt: attempt, payload: posts.count - 1)
    }
    if let after = body.readyAfterNanoseconds {
      add(.ready, at: now + after, order: order, step: step, attempt: attempt)
    }
    guard let after = body.endsAfterNanoseconds else { return }
    if case .success = body.ending {
      add(.success, at: now + after, order: order, step: step, attempt: attempt)
    } else {
      add(body.ending, at: now + after, order: order, step: step, attempt: attempt)
    }
  }

  private mutating func cancelBody(_ step: StepIndex, _ attempt: Int) {
    guard let after = world.nanosecondsToEnd(step, attempt: attempt, in: plan) else { return }
    let end = now + after
    guard !agenda.cut(step, attempt: UInt8(attempt), after: end) else { return }
    let order = Int(step) < startOrder.count ? startOrder[Int(step)] : 0
    add(.cancelled, at: end, order: order, step: step, attempt: attempt)
  }

  private mutating func add(_ ending: Ending, at: Int, order: Int32, step: StepIndex, attempt: Int) {
    endings.append(ending)
    add(.ending, at: at, order: order, step: step, attempt: attempt, payload: endings.count - 1)
  }

  private mutating func add(
    _ kind: RunAgenda.Item.Kind, at: Int, order: Int32, step: StepIndex, attempt: Int, payload: Int = 0
  ) {
    agenda.insert(
      RunAgenda.Item(
        at: at, order: order, payload: Int32(payload), step: step, attempt: UInt8(truncatingIfNeeded: attempt),
        kind: kind))
  }
}
