import FlowEngine
import FlowInsight
import FlowModel

/// Runs a plan on a virtual clock, without threads or waiting. The course of events is the same every time.
///
/// The environment is scripted: the duration and result of each body, the events from outside, and the times of
/// activation and cancellation. Simultaneous events happen in a fixed order: those of bodies (in the order of their
/// starts), then events from outside, then timers, and last the gate's minimum and maximum.
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
    /// The duration, or nil if it never returns by itself.
    package var endsAfterNanoseconds: Int?
    /// The result.
    package var ending: Ending
    /// The events that the body posts, with the delay from its start.
    package var posts: [(afterNanoseconds: Int, event: String)]
    /// The time until a service is ready, or nil if it never is.
    package var readyAfterNanoseconds: Int?
    /// The time until the body ends after it was asked to, or nil if it ignores the request.
    package var endsAfterCancellationNanoseconds: Int?

    /// Creates a body with this duration and result.
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

  /// The current state of the run.
  package var plan: Plan { player.plan }
  /// The virtual time, in nanoseconds from the start of the run.
  package var now: Int { player.now }

  /// Called with the plan and the time after every event and its consequences.
  package var inspect: ((Plan, Int) -> Void)? {
    get { player.inspect }
    set { player.inspect = newValue }
  }

  /// The attempts and posts, or nil if they are not recorded.
  package var trace: RunTrace? {
    get { player.trace }
    set { player.trace = newValue }
  }

  private var player: RunPlayer<World>

  /// The maximum virtual time of a run that does not end: 1,000,000 s.
  private static let limitNanoseconds = 1_000_000 * 1_000_000_000

  /// Creates a simulator of `plan`.
  ///
  /// - Parameters:
  ///   - plan: The plan at its start.
  ///   - decide: Returns the result of a step's `if`.
  ///   - items: Returns the items of a step with `foreach`.
  ///   - decideItem: Returns the result of a step's `if` for a post.
  ///   - itemBody: Returns the behavior of an item's attempt. Without it, that of the step is used.
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

  /// Schedules an event from outside at `nanoseconds` from the start. Simultaneous events keep their order.
  package mutating func schedule(_ event: PlanEvent, atNanoseconds nanoseconds: Int) {
    player.schedule(event, atNanoseconds: nanoseconds)
  }

  /// Runs until the plan has ended, nothing is left to happen, or `limitNanoseconds` have passed.
  ///
  /// - Parameters:
  ///   - activation: The resolution at activation, or nil if an `activated` event was scheduled instead.
  ///   - limitNanoseconds: The maximum virtual time of a run that does not end.
  package mutating func run(
    activation: Resolution?, limitNanoseconds: Int = 1_000_000 * 1_000_000_000
  ) -> Plan {
    player.run(activation: activation, limitNanoseconds: limitNanoseconds)
    return plan
  }

  /// Resumes at an instant with a plan that was restored from the journal entries of a run.
  package mutating func resume(atNanoseconds nanoseconds: Int) -> Plan {
    player.resume(atNanoseconds: nanoseconds, limitNanoseconds: Self.limitNanoseconds)
    return plan
  }

  /// The environment of the plan, as functions.
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
