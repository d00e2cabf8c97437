import FlowEngine
import FlowInsight
import FlowModel

/// Runs a plan on a virtual clock, without threads and without waiting. The result is the same every time.
///
/// The environment is scripted: the duration and result of each body, events from outside the run, and the times of
/// activation and cancellation. Events at the same instant happen in a fixed order: those of bodies in the order of
/// their starts, events from outside the run, timers, and finally the gate's minimum and maximum.
///
/// ```swift
/// var simulator = Simulator(Plan(graph: graph)) { step, attempt in
///   Simulator.Body(endsAfterNanoseconds: 300_000_000)
/// }
/// let plan = simulator.run(activation: Resolution(gate: GateBounds(maximumNanoseconds: 5_000_000_000)))
/// ```
package struct Simulator {
  /// The behavior of one attempt of a step.
  package struct Body: Sendable {
    /// The duration, or nil if the body runs until it is cancelled.
    package var endsAfterNanoseconds: Int?
    /// The result of the body if it is not cancelled.
    package var ending: Ending
    /// The events that the body posts, with their delays after its start.
    package var posts: [(afterNanoseconds: Int, event: String)]
    /// The time until a service is ready, or nil if it never becomes ready.
    package var readyAfterNanoseconds: Int?
    /// The time from the request to cancel the body until its end, or nil if it ignores the request.
    package var endsAfterCancellationNanoseconds: Int?

    package init(
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

  /// The plan in its current state.
  package var plan: Plan { player.plan }
  /// The virtual time in nanoseconds since the start of the run.
  package var now: Int { player.now }

  /// Called after every event and its effects, with the plan and the time.
  package var inspect: ((Plan, Int) -> Void)? {
    get { player.inspect }
    set { player.inspect = newValue }
  }

  /// The recorded attempts and posts, or nil if they are not recorded.
  package var trace: RunTrace? {
    get { player.trace }
    set { player.trace = newValue }
  }

  private var player: RunPlayer<World>

  /// The virtual time after which a run that does not end is stopped: 1,000,000 s.
  private static let limitNanoseconds = 1_000_000 * 1_000_000_000

  /// Creates a simulator of a plan that has not started.
  ///
  /// - Parameters:
  ///   - plan: The plan before its start.
  ///   - decide: Returns the result of a step's `if`.
  ///   - items: Returns the items of a step with `foreach`.
  ///   - decideItem: Returns the result of a step's `if` for a post.
  ///   - itemBody: Returns the behavior of an item's attempt. If it is nil, `body` is called for the step.
  ///   - body: Returns the behavior of a step's attempt.
  package init(
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

  /// Schedules an event from outside the run, `nanoseconds` after the start. Events at the same instant keep their
  /// order.
  package mutating func schedule(_ event: PlanEvent, atNanoseconds nanoseconds: Int) {
    player.schedule(event, atNanoseconds: nanoseconds)
  }

  /// Runs until the plan has ended, no event is left, or `limitNanoseconds` have passed.
  ///
  /// - Parameters:
  ///   - activation: The values known at activation, or nil if an `activated` event has been scheduled instead.
  ///   - limitNanoseconds: The virtual time after which a run that does not end is stopped.
  package mutating func run(
    activation: Resolution?, limitNanoseconds: Int = 1_000_000 * 1_000_000_000
  ) -> Plan {
    player.run(activation: activation, limitNanoseconds: limitNanoseconds)
    return plan
  }

  /// Continues at an instant with a plan that was restored from the journal of a run.
  package mutating func resume(atNanoseconds nanoseconds: Int) -> Plan {
    player.resume(atNanoseconds: nanoseconds, limitNanoseconds: Self.limitNanoseconds)
    return plan
  }

  /// Calls the simulator's functions as the environment of the plan.
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
