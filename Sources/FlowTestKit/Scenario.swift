import FlowModel

/// A run on the virtual clock: a workflow, scripts for its steps, and events from outside the run.
///
/// ```swift
/// var scenario = Scenario(workflow, scripts: [.succeeds(after: .milliseconds(300)), .fails(after: .seconds(1))])
/// scenario.outsideEvents = [OutsideEvent("map.first-use", at: .seconds(9))]
/// scenario.cancelledAt = .seconds(10)
/// ```
public struct Scenario: Sendable {
  /// The workflow. Its dependencies must be valid and free of cycles.
  package var workflow: Workflow
  /// The scripts of the steps, in the order of the workflow.
  package var scripts: [StepScript]
  /// The cpus, memory and gpus that steps with `resources` share.
  package var capacity = MachineResources.unlimited
  /// The launch of the app, which expressions can read.
  public var launch = Launch()
  /// The inputs of the run, which expressions can read.
  public var inputs: ValueObject = [:]
  /// The outputs of successful steps by step id, which the `if` of other steps can read. Other steps have no outputs.
  public var outputs: [String: ValueObject] = [:]
  /// The events posted from outside the run, as with `--event NAME@DELAY`. Events for the same instant are posted in
  /// this order.
  public var outsideEvents: [OutsideEvent] = []
  /// The time from the start of the run to its activation. Nil if the run is not prewarmed.
  package var activatedAt: Duration?
  /// The time from the start of the run to its cancellation. Nil if it is not cancelled.
  package var cancelledAt: Duration?
  /// Determines whether the app may post events beyond ``outsideEvents``.
  package var outsideSource: OutsideSource = .closed

  /// Determines how long events other than those of the scenario may be posted from outside the run.
  package enum OutsideSource: Sendable, Hashable {
    /// No other events are posted, as on the command line.
    case closed
    /// An app may post further events until this time, as if it embedded the engine.
    case open(until: Duration)
  }

  /// Creates a scenario in which each step of `workflow` follows the script at the same index.
  package init(_ workflow: Workflow, scripts: [StepScript]) {
    precondition(workflow.steps.count == scripts.count, "one script a step")
    self.workflow = workflow
    self.scripts = scripts
  }
}

/// An event that is posted from outside the run.
public struct OutsideEvent: Sendable, Hashable {
  /// The name of the event, as declared by the workflow.
  public var name: String
  /// The time from the start of the run to the post.
  public var at: Duration

  /// Creates an event that is posted at a time after the start of the run.
  public init(_ name: String, at: Duration) {
    self.name = name
    self.at = at
  }
}
