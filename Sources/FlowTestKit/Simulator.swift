import FlowEngine
import FlowInsight
import FlowModel

/// Runs a plan on a virtual clock: no thread, no waiting, the same course of events every time.
///
/// What the world does is scripted: how long each body takes and how it ends, which events come from outside, when the
/// run is activated and cancelled. Everything of one instant happens in a fixed order: what bodies do (in the order in
/// which they were started), then what was scheduled from outside, then timers, last the gate's minimum and maximum.
///
/// ```swift
/// var simulator = Simulator(Plan(graph: graph)) { step, attempt in
///   Simulator.Body(endsAfterNanoseconds: 300_000_000)
/// }
/// let plan = simulator.run(activation: Resolution(gate: GateBounds(maximumNanoseconds: 5_000_000_000)))
/// ```
public struct Simulator {
  /// What one attempt of one step does.
  public struct Body: Sendable {
    /// How long it takes; nil: it never returns by itself.
    public var endsAfterNanoseconds: Int?
    /// How it ends.
    public var ending: Ending
    /// Events it posts, each so long after its start.
    public var posts: [(afterNanoseconds: Int, event: String)]
    /// When a service reports ready; nil: never.
    public var readyAfterNanoseconds: Int?
    /// How long it continues after it was asked to end; nil: it does not listen.
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

  /// The current state of the run.
  public var plan: Plan { player.plan }
  /// The virtual time, nanoseconds from the start of the run.
  public var now: Int { player.now }

  /// Sees the plan after every event and all that followed from it, with the instant.
  package var inspect: ((Plan, Int) -> Void)? {
    get { player.inspect }
    set { player.inspect = newValue }
  }

  /// Tries and posts; nil: not wanted.
  package var trace: RunTrace? {
    get { player.trace }
    set { player.trace = newValue }
  }

  private var player: RunPlayer<World>

  /// How long a run is played that does not end: 1,000,000 s.
  private static let limitNanoseconds = 1_000_000 * 1_000_000_000

  /// A simulator of `plan`.
  ///
  /// - Parameters:
  ///   - plan: the plan at its start.
  ///   - decide: what the `if` of a step says.
  ///   - items: the items of a step with `foreach`.
  ///   - decideItem: what the `if` of a step says of a post that it runs for.
  ///   - itemBody: what an attempt of an item does; without it, what the step's does.
  ///   - body: what an attempt of a step does.
  public init(
    _ plan: Plan,
    decide: @escaping (StepIndex, Plan) -> Decision = { _, _ in .run },
    items: @escaping (StepIndex) -> Expansion = { _ in .items(FanOutItems(count: 0)) },
    decideItem: @escaping (StepIndex, _ item: Int) -> Decision = { _, _ in .run },
    itemBody: ((StepIndex, _ item: Int, _ attempt: Int) -> Body)? = nil,
    body: @escaping (StepIndex, Int) -> Body
  ) {
    let world = World(
      body: body, decide: decide, items: items, decideItem: decideItem,
      itemBody: itemBody ?? { step, _, attempt in body(step, attempt) })
    player = RunPlayer(plan, in: world)
  }

  /// Lets something happen from outside at `nanoseconds` from the start; things of one instant keep their order.
  public mutating func schedule(_ event: PlanEvent, atNanoseconds nanoseconds: Int) {
    player.schedule(event, atNanoseconds: nanoseconds)
  }

  /// Runs until the plan has ended, nothing is left to happen, or `limitNanoseconds` have passed.
  ///
  /// - Parameters:
  ///   - activation: what is known at activation; nil when an `activated` event was scheduled instead.
  ///   - limitNanoseconds: how long a run is played that does not end.
  public mutating func run(
    activation: Resolution?, limitNanoseconds: Int = 1_000_000 * 1_000_000_000
  ) -> Plan {
    player.run(activation: activation, limitNanoseconds: limitNanoseconds)
    return plan
  }

  /// Continues from an instant with a plan that has taken in the journal entries of a run.
  package mutating func resume(atNanoseconds nanoseconds: Int) -> Plan {
    player.resume(atNanoseconds: nanoseconds, limitNanoseconds: Self.limitNanoseconds)
    return plan
  }

  /// What surrounds the plan, in functions.
  private struct World: RunWorld {
    let body: (StepIndex, Int) -> Body
    let decide: (StepIndex, Plan) -> Decision
    let items: (StepIndex) -> Expansion
    let decideItem: (StepIndex, _ item: Int) -> Decision
    let itemBody: (StepIndex, _ item: Int, _ attempt: Int) -> Body

    func body(of step: StepIndex, attempt: Int, in plan: Plan) -> RunBody {
      let script = script(of: step, attempt, plan)
      var body = RunBody(endsAfterNanoseconds: script.endsAfterNanoseconds)
      body.ending = script.ending
      body.readyAfterNanoseconds = script.readyAfterNanoseconds
      body.posts = script.posts.map { RunPost(afterNanoseconds: $0.afterNanoseconds, event: $0.event) }
      return body
    }

    func nanosecondsToEnd(_ step: StepIndex, attempt: Int, in plan: Plan) -> Int? {
      script(of: step, attempt, plan).endsAfterCancellationNanoseconds
    }

    func decide(_ step: StepIndex, in plan: Plan) -> Decision { decide(step, plan) }

    func items(of step: StepIndex, in plan: Plan) -> Expansion { items(step) }

    func decide(item: Int, of step: StepIndex, in plan: Plan) -> Decision { decideItem(step, item) }

    private func script(of step: StepIndex, _ attempt: Int, _ plan: Plan) -> Body {
      guard let (step, item) = plan.position(ofItem: step) else { return body(step, attempt) }
      return itemBody(step, item, attempt)
    }
  }
}
