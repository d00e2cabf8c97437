/// A workflow as written in a file, with all keys resolved and defaults applied. It may still have cycles
/// (``WorkflowGraph`` cannot).
public struct Workflow: Sendable {
  /// The name in reports.
  public var name: String
  /// A description, or nil.
  public var description: String?
  /// The inputs that a run may or must be given with `-i`.
  public var inputs: [FieldDeclaration] = []
  /// The secrets that a run receives and never shows.
  public var secrets: [SecretDeclaration] = []
  /// Environment variables for child processes; values may contain `${{ }}`.
  public var environment: ValueObject = [:]
  /// The files of variables. ``environment`` overrides them, and later files override earlier ones. Paths are relative
  /// to the workflow's folder and may contain `${{ }}` over `inputs`. The program that runs the workflow reads the
  /// files into `RunOptions.fileEnvironment`.
  public var environmentFiles: [EnvironmentFileName] = []
  /// The minimum and maximum of the launch gate, or nil for neither.
  public var gate: GateDeadline?
  /// The time from activation after which a run is cancelled, or nil for no limit.
  public var timeout: Duration?
  /// The time for all cleanup steps of a cancelled run; nil means 5 s.
  public var cleanup: Duration?
  /// The events that the workflow declares.
  public var events: [EventDeclaration] = []
  /// The queues that the workflow declares.
  public var queues: [QueueDeclaration] = []
  /// The maximum number of steps at the same time, or nil for no limit.
  public var concurrency: Int?
  /// True if every result is written to disk before the next step starts.
  public var isDurable = false
  /// True if a run keeps its services running after its other steps have finished, until it is ended from outside.
  public var keepsServices = false
  /// True if its runs are recorded.
  public var keepsHistory = true
  /// The recorded bytes of output per run.
  public var logLimitBytes = Limits.usualLogBytes
  /// The limits for the times of runs, which `flowrun simulate` checks against a forecast.
  public var budgets: [BudgetRule] = []
  /// The steps in file order.
  public var steps: [Step]
  /// The default executor of steps as written for `--on`, or nil to run on this machine.
  public var executor: String?
  /// The outputs of the run; values may contain `${{ }}`.
  public var outputs: ValueObject = [:]

  /// The included workflows, flattened.
  public var scopes: [WorkflowScope] = []
  /// For each step, the scope of its expressions as an index in ``scopes`` plus 1, or 0 for the workflow's own. Empty
  /// without scopes.
  public var scopeOfStep: [Int32] = []
  /// The declarations of the entries and exits of included workflows, by their `uses`.
  public var includes: [String: ActionDeclaration] = [:]
  /// The folders of the files whose inputs are bound by entries and items, relative to the workflow's own, by `uses`.
  public var includeFolders: [String: String] = [:]
  /// The workflows that run for the items of steps, by `uses`.
  public var itemWorkflows: [String: ItemWorkflow] = [:]

  /// Creates a workflow of these steps.
  public init(name: String, description: String? = nil, steps: [Step]) {
    self.name = name
    self.description = description
    self.steps = steps
  }
}

/// An event declared by a workflow.
public struct EventDeclaration: Sendable, Hashable {
  /// The name in `after` and `--event`.
  public var name: String
  /// A description, or empty.
  public var summary: String
  /// True if followers of the event receive each post. Steps that wait for it always react to the first one.
  public var repeats: Bool
  /// The type of its value, or nil if it cannot be posted with a value from outside.
  public var value: FieldDeclaration?

  /// Declares an event.
  public init(_ name: String, summary: String = "", repeats: Bool = false, value: FieldDeclaration? = nil) {
    self.name = name
    self.summary = summary
    self.repeats = repeats
    self.value = value
  }
}

/// The minimum and maximum of the launch gate.
public struct GateDeadline: Sendable, Hashable {
  /// The time before which the gate never opens, or nil for no minimum.
  public var min: DurationSource?
  /// The time after which the gate is always open, or nil for no maximum.
  public var max: DurationSource?

  /// Creates a deadline from a minimum and a maximum.
  public init(min: DurationSource? = nil, max: DurationSource? = nil) {
    self.min = min
    self.max = max
  }
}

/// A duration, or an expression that is evaluated at activation.
public enum DurationSource: Sendable, Hashable {
  case literal(Duration)
  /// A text with `${{ }}` over `inputs` and `launch`.
  case expression(String)
}

/// A queue declared by a workflow.
public struct QueueDeclaration: Sendable, Hashable {
  /// The queue of the steps that use the terminal, one at a time and in file order. A workflow cannot declare this
  /// name.
  package static let terminal = "the terminal"

  /// The name in a step's `queue`.
  public var name: String
  /// The quality of service of its steps.
  public var qualityOfService: StepQueue
  /// The maximum number of its steps at the same time, or nil for no separate limit.
  public var width: Int?

  /// Declares a queue.
  public init(name: String, qualityOfService: StepQueue, width: Int? = nil) {
    self.name = name
    self.qualityOfService = qualityOfService
    self.width = width
  }
}

/// The quality of service of a step's thread, most urgent first.
public enum StepQueue: String, Sendable, Hashable, CaseIterable {
  case userInteractive = "user-interactive"
  case userInitiated = "user-initiated"
  case utility
  case background
}

extension Workflow {
  /// Returns all direct and indirect dependencies of a step.
  package func upstream(of step: StepIndex) -> Set<StepIndex> {
    var found: Set<StepIndex> = []
    var rest = Array(steps[Int(step)].needs)
    while let next = rest.popLast() {
      if found.insert(next).inserted { rest += steps[Int(next)].needs }
    }
    return found
  }
}
