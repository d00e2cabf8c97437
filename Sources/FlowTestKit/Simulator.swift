import FlowEngine
import FlowModel

/// Runs a plan on a virtual clock: no thread, no waiting, the same course of events every time.
///
/// What the world does is scripted: how long each body takes and how it ends, which events come from outside, when the
/// run is activated and cancelled. Everything of one instant happens in a fixed order: what bodies do (in the order in
/// which they were started), then what was scheduled from outside, then timers, last the gate's floor and ceiling.
///
/// ```swift
/// var simulator = Simulator(Plan(graph: graph)) { step, attempt in
///   Simulator.Body(endsAfterNanoseconds: 300_000_000)
/// }
/// let plan = simulator.run(activation: Resolution(gate: GateBounds(ceilingNanoseconds: 5_000_000_000)))
/// ```
public struct Simulator {
  /// What one try of one step does.
  public struct Body: Sendable {
    /// How long it takes; nil: it never returns by itself.
    public var endsAfterNanoseconds: Int?
    /// How it ends.
    public var ending: Ending
    /// Events it posts, each so long after its start.
    public var posts: [(afterNanoseconds: Int, event: String)]
    /// When a service reports ready; nil: never.
    public var readyAfterNanoseconds: Int?
    /// How long it goes on after it was told to end; nil: it does not listen.
    public var endsAfterCancellationNanoseconds: Int?

    /// A body that ends so after so long.
    public init(
      endsAfterNanoseconds: Int?, ending: Ending = .success, posts: [(afterNanoseconds: Int, event: String)] = [],
      readyAfterNanoseconds: Int? = nil, endsAfterCancellationNanoseconds: Int? = 0
    ) {
      self.endsAfterNanoseconds = endsAfterNanoseconds
      self.ending = ending
      self.posts = posts
      self.readyAfterNanoseconds = readyAfterNanoseconds
      self.endsAfterCancellationNanoseconds = endsAfterCancellationNanoseconds
    }
  }

  /// The run as it stands.
  public private(set) var plan: Plan
  /// The virtual time, nanoseconds from the start of the run.
  public private(set) var now = 0

  /// Sees the plan after every event and all that followed from it.
  package var inspect: ((Plan) -> Void)?
  /// The same, with the instant.
  package var inspectAtInstant: ((Plan, Int) -> Void)?

  private let body: (StepIndex, Int) -> Body
  private let decide: (StepIndex, Plan) -> Decision
  private let items: (StepIndex) -> Expansion
  private let itemBody: (StepIndex, _ item: Int, _ attempt: Int) -> Body
  private var gate = GateState.closed
  private var agenda: [Item] = []
  private var sequence = 0
  private var starts = 0
  private var startOrder: [Key: Int] = [:]

  private struct Key: Hashable {
    var step: StepIndex
    var attempt: Int
  }

  private struct Item {
    var at: Int
    /// The index within an instant: bodies by their start, then the outside.
    var order: Int
    var sequence: Int
    var event: PlanEvent
    /// The body that does it, so that a body told to end does no more.
    var key: Key?
    /// Whether it is the end of a body.
    var isEnd: Bool { if case .ended = event { true } else { false } }
  }

  /// A simulator of `plan`.
  ///
  /// - Parameters:
  ///   - decide: what the `if` of a step says.
  ///   - items: the items of a step with `foreach`.
  ///   - itemBody: what a try of an item does; without it, what the step's does.
  ///   - body: what a try of a step does.
  public init(
    _ plan: Plan,
    decide: @escaping (StepIndex, Plan) -> Decision = { _, _ in .run },
    items: @escaping (StepIndex) -> Expansion = { _ in .items(FanItems(count: 0)) },
    itemBody: ((StepIndex, _ item: Int, _ attempt: Int) -> Body)? = nil,
    body: @escaping (StepIndex, Int) -> Body
  ) {
    self.plan = plan
    self.items = items
    self.itemBody = itemBody ?? { step, _, attempt in body(step, attempt) }
    self.body = body
    self.decide = decide
  }

  /// Lets something happen from outside at `nanoseconds` from the start; things of one instant keep their order.
  public mutating func schedule(_ event: PlanEvent, atNanoseconds nanoseconds: Int) {
    add(event, at: nanoseconds, order: .max, key: nil)
  }

  /// Runs until the plan has ended, nothing is left to happen, or `limitNanoseconds` have passed.
  ///
  /// - Parameter activation: what is known at activation; nil when an `activated` event was scheduled instead.
  public mutating func run(
    activation: Resolution?, limitNanoseconds: Int = 1_000_000 * 1_000_000_000
  ) -> Plan {
    if let activation { activate(activation) }
    plan.apply(.started(prewarm: activation == nil), at: now)
    settleWorld()
    while plan.endedAt == nil, let next = nextInstant, next <= limitNanoseconds {
      now = next
      handleInstant()
    }
    return plan
  }

  /// Goes on from an instant with a plan that has taken in the facts of a run.
  package mutating func resume(atNanoseconds nanoseconds: Int, limitNanoseconds: Int = 1_000_000 * 1_000_000_000)
    -> Plan
  {
    now = nanoseconds
    if let outcome = plan.gate.outcome {
      gate = gate.after(.floorReached)
      gate =
        outcome == .timedOut ? gate.after(.ceilingReached) : gate.after(.decided(outcome == .ready ? .ready : .failed))
    } else if gateTimes.floor.map({ $0 <= now }) ?? true {
      gate = gate.after(.floorReached)
    }
    plan.apply(.started(prewarm: false), at: now)
    settleWorld()
    while plan.endedAt == nil, let next = nextInstant, next <= limitNanoseconds {
      now = max(now, next)
      handleInstant()
    }
    return plan
  }

  private var gateTimes: (floor: Int?, ceiling: Int?) {
    guard gate.outcome == nil, let activated = plan.activatedAtNanoseconds else { return (nil, nil) }
    return (
      gate == gate.after(.floorReached) ? nil : activated + plan.gateBounds.floorNanoseconds,
      plan.gateBounds.ceilingNanoseconds.map { activated + $0 }
    )
  }

  private mutating func activate(_ resolution: Resolution) {
    plan.apply(.activated(resolution), at: now)
    // A floor of zero is reached at once, any other is the last that happens in its instant.
    if plan.activatedAtNanoseconds == now, resolution.gate.floorNanoseconds == 0 { gate = gate.after(.floorReached) }
  }

  private var nextInstant: Int? {
    let gateTimes = gateTimes
    return [agenda.map(\.at).min(), plan.nextTimerNanoseconds, gateTimes.floor, gateTimes.ceiling].compactMap { $0 }
      .min()
  }

  private mutating func handleInstant() {
    while plan.endedAt == nil {
      if let index = nextItem() {
        let item = agenda.remove(at: index)
        apply(item.event)
      } else if let due = plan.nextTimerNanoseconds, due <= now {
        apply(.timePassed)
      } else if let floor = gateTimes.floor, floor <= now {
        signal(.floorReached)
        settleWorld()
      } else if let ceiling = gateTimes.ceiling, ceiling <= now {
        signal(.ceilingReached)
        settleWorld()
      } else {
        return
      }
    }
  }

  private func nextItem() -> Int? {
    agenda.indices.filter { agenda[$0].at <= now }.min {
      (agenda[$0].order, agenda[$0].sequence) < (agenda[$1].order, agenda[$1].sequence)
    }
  }

  private mutating func add(_ event: PlanEvent, at: Int, order: Int, key: Key?) {
    agenda.append(Item(at: at, order: order, sequence: sequence, event: event, key: key))
    sequence += 1
  }

  private mutating func apply(_ event: PlanEvent) {
    if case .cancelled = event { signal(.cancelled) }
    if case .activated(let resolution) = event {
      activate(resolution)
    } else if case .ended(let step, let attempt, .success) = event {
      // The shorter way that production takes. With a limit for all lanes together it may choose another step first.
      if plan.graph.workflow.concurrency != nil {
        plan.succeeded(step, attempt: attempt, at: now)
      } else if let next = plan.passOn(step, attempt: attempt, in: plan.lane(of: step), at: now) {
        startBody(Key(step: next.step, attempt: next.attempt))
      }
    } else {
      plan.apply(event, at: now)
    }
    settleWorld()
  }

  private mutating func signal(_ signal: GateState.Signal) {
    let before = gate.outcome
    gate = gate.after(signal)
    if before == nil, let outcome = gate.outcome, outcome != .cancelled {
      plan.apply(.gateOpened(OpenedGate(outcome, atNanoseconds: now)), at: now)
    }
  }

  /// Does what the plan asks and starts what it offers until it asks and offers nothing more.
  private mutating func settleWorld() {
    defer {
      inspect?(plan)
      inspectAtInstant?(plan, now)
    }
    while plan.endedAt == nil {
      let effects = plan.takeEffects()
      for effect in effects {
        switch effect {
        case .evaluate(let step): plan.apply(.decided(step, decide(step, plan)), at: now)
        case .expand(let step): plan.apply(.expanded(step, items(step)), at: now)
        case .gather: break
        case .cancel(let step, let attempt): cancelBody(Key(step: step, attempt: attempt))
        case .gateDecided(let decision): signal(.decided(decision))
        case .posted: break
        case .timedOut:
          signal(.cancelled)
          plan.apply(.cancelled, at: now)
        case .end: return
        }
      }
      guard effects.isEmpty else { continue }
      guard let (step, attempt) = plan.startNext(at: now) else { return }
      startBody(Key(step: step, attempt: attempt))
    }
  }

  private mutating func startBody(_ key: Key) {
    let script = body(key)
    let order = starts
    starts += 1
    startOrder[key] = order
    for (after, event) in script.posts { add(.posted(event), at: now + after, order: order, key: key) }
    if let after = script.readyAfterNanoseconds {
      add(.ready(key.step, attempt: key.attempt), at: now + after, order: order, key: key)
    }
    if let after = script.endsAfterNanoseconds {
      add(.ended(key.step, attempt: key.attempt, script.ending), at: now + after, order: order, key: key)
    }
  }

  private func body(_ key: Key) -> Body {
    guard let (step, item) = plan.place(ofItem: key.step) else { return body(key.step, key.attempt) }
    return itemBody(step, item, key.attempt)
  }

  private mutating func cancelBody(_ key: Key) {
    guard let after = body(key).endsAfterCancellationNanoseconds else { return }
    let end = now + after
    agenda.removeAll { $0.key == key && $0.at > end }
    guard !agenda.contains(where: { $0.key == key && $0.isEnd }) else { return }
    add(.ended(key.step, attempt: key.attempt, .cancelled), at: end, order: startOrder[key] ?? 0, key: key)
  }
}
