import FlowModel

/// A run on the virtual clock: a workflow, what its steps do, and what happens around it.
///
/// ```swift
/// var scenario = Scenario(workflow, scripts: [.succeeds(after: .milliseconds(300)), .fails(after: .seconds(1))])
/// scenario.outsideEvents = [OutsideEvent("map.first-use", at: .seconds(9))]
/// scenario.cancelledAt = .seconds(10)
/// ```
public struct Scenario: Sendable {
  /// What is run. Needs are valid and free of cycles.
  public var workflow: Workflow
  /// What each step of the workflow does, in the same order.
  public var scripts: [StepScript]
  /// What the machine has of which steps with `resources` take resources.
  public var capacity = MachineResources.unlimited
  /// The launch that is known from activation on.
  public var launch = Launch()
  /// The inputs of the run.
  public var inputs: ValueObject = [:]
  /// What steps give when they succeed, by their ids, for the `if` of other steps. Steps that are not named give nothing.
  public var outputs: [String: ValueObject] = [:]
  /// Events posted from outside, as `--event NAME@DELAY` does; those of one instant come in this order.
  public var outsideEvents: [OutsideEvent] = []
  /// When a prewarmed run is activated, from its start; nil: it is not prewarmed and active from its start.
  public var activatedAt: Duration?
  /// When the run is cancelled, from its start; nil: never.
  public var cancelledAt: Duration?
  /// Whether the app may post events besides ``outsideEvents``.
  public var outsideSource: OutsideSource = .closed

  /// Whether someone outside may still post events.
  public enum OutsideSource: Sendable, Hashable {
    /// As on the command line: there are only the scenario's own events.
    case closed
    /// As in an app that embeds the engine, until it says that it has finished posting.
    case open(until: Duration)
  }

  /// A run of `workflow`, whose steps behave as `scripts` say.
  public init(_ workflow: Workflow, scripts: [StepScript]) {
    precondition(workflow.steps.count == scripts.count, "one script a step")
    self.workflow = workflow
    self.scripts = scripts
  }
}

/// An event that comes from outside the run.
public struct OutsideEvent: Sendable, Hashable {
  /// The event's name.
  public var name: String
  /// When it comes, from the start of the run.
  public var at: Duration

  /// Posts `name` at `at`.
  public init(_ name: String, at: Duration) {
    self.name = name
    self.at = at
  }
}
