import FlowModel

/// A run on the virtual clock: a workflow, scripts for its steps, and surrounding events.
///
/// ```swift
/// var scenario = Scenario(workflow, scripts: [.succeeds(after: .milliseconds(300)), .fails(after: .seconds(1))])
/// scenario.outsideEvents = [OutsideEvent("map.first-use", at: .seconds(9))]
/// scenario.cancelledAt = .seconds(10)
/// ```
public struct Scenario: Sendable {
  /// The workflow. Its dependencies are valid and free of cycles.
  package var workflow: Workflow
  /// The script of each step, in the order of the workflow.
  package var scripts: [StepScript]
  /// The machine's capacity for steps with `resources`.
  package var capacity = MachineResources.unlimited
  /// The launch, which is known from activation on.
  public var launch = Launch()
  /// The inputs of the run.
  public var inputs: ValueObject = [:]
  /// The outputs of steps that succeed, by step id, for the `if` of other steps. All other steps have no outputs.
  public var outputs: [String: ValueObject] = [:]
  /// The events posted from outside, as with `--event NAME@DELAY`. Simultaneous events are posted in this order.
  public var outsideEvents: [OutsideEvent] = []
  /// The time at which a prewarmed run is activated, from its start, or nil if it is not prewarmed.
  package var activatedAt: Duration?
  /// The time at which the run is cancelled, from its start, or nil.
  package var cancelledAt: Duration?
  /// Determines whether the app may post events in addition to ``outsideEvents``.
  package var outsideSource: OutsideSource = .closed

  /// The outside source of events.
  package enum OutsideSource: Sendable, Hashable {
    /// Only the scenario's own events are posted, as on the command line.
    case closed
    /// The app may post more events until it declares that it has finished posting, as in an app that embeds the
    /// engine.
    case open(until: Duration)
  }

  /// Creates a scenario for `workflow`, whose steps follow `scripts`.
  package init(_ workflow: Workflow, scripts: [StepScript]) {
    precondition(workflow.steps.count == scripts.count, "one script a step")
    self.workflow = workflow
    self.scripts = scripts
  }
}

/// An event from outside the run.
public struct OutsideEvent: Sendable, Hashable {
  /// The event's name.
  public var name: String
  /// The time from the start of the run.
  public var at: Duration

  /// Creates an event that is posted at `at`.
  public init(_ name: String, at: Duration) {
    self.name = name
    self.at = at
  }
}
