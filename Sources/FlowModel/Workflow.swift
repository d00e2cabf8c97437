/// A workflow as a file states it, every key resolved and defaults applied; not yet known to be free of cycles
/// (``WorkflowGraph`` is).
public struct Workflow: Sendable {
  /// The name that reports carry.
  public var name: String
  /// A description, or nil.
  public var description: String?
  /// What a run may or must be given with `-i`.
  public var inputs: [FieldDeclaration] = []
  /// What a run is given and never shows.
  public var secrets: [SecretDeclaration] = []
  /// Environment variables for child processes; values may hold `${{ }}`.
  public var environment: ValueObject = [:]
  /// The files of variables, which ``environment`` overrides, and later files earlier ones. They are relative to the
  /// workflow's folder and may hold `${{ }}` over `inputs`. The program that runs the workflow reads the files into
  /// `RunOptions.fileEnvironment`.
  public var environmentFiles: [EnvironmentFileName] = []
  /// The launch gate's minimum and maximum; nil: neither.
  public var gate: GateDeadline?
  /// How long a run may take from its activation until it is cancelled; nil: as long as it takes.
  public var timeout: Duration?
  /// The time for all steps that clean up in a cancelled run; nil stands for 5 s.
  public var cleanup: Duration?
  /// Events declared by the workflow itself.
  public var events: [EventDeclaration] = []
  /// Queues of the workflow's own.
  public var queues: [QueueDeclaration] = []
  /// Most steps at once; nil: no limit.
  public var concurrency: Int?
  /// Whether every result is saved to disk before the next step starts.
  public var isDurable = false
  /// Whether a run goes on with its services when its other steps have finished, until someone ends it.
  public var keepsServices = false
  /// Whether its runs are recorded.
  public var keepsHistory = true
  /// Bytes of what its steps print that are recorded of a run.
  public var logLimitBytes = Limits.usualLogBytes
  /// What launches may take; `flowrun simulate` holds a forecast to it.
  public var budgets: [BudgetRule] = []
  /// The steps in file order.
  public var steps: [Step]
  /// Where steps run that do not say so themselves, as `--on` takes it; nil: here.
  public var executor: String?
  /// What the run returns, each a value that may hold `${{ }}`.
  public var outputs: ValueObject = [:]

  /// The workflows that are included, flattened.
  public var scopes: [WorkflowScope] = []
  /// For each step which of ``scopes`` its expressions see, counted from 1; 0: the workflow's own. Empty without scopes.
  public var scopeOfStep: [Int32] = []
  /// What the entries and exits of included workflows declare, by what they use.
  public var includes: [String: ActionDeclaration] = [:]
  /// The folders of the files whose inputs entries and items bind, by what these use, named from the workflow's own.
  public var includeFolders: [String: String] = [:]
  /// The workflows that run for items of steps, by what these use.
  public var itemWorkflows: [String: ItemWorkflow] = [:]

  /// A workflow of these steps.
  public init(name: String, description: String? = nil, steps: [Step]) {
    self.name = name
    self.description = description
    self.steps = steps
  }
}

/// An event that a workflow declares.
public struct EventDeclaration: Sendable, Hashable {
  /// The name that `after` and `--event` use.
  public var name: String
  /// A description, or empty.
  public var summary: String
  /// Whether each post counts for those who follow the event; for steps that wait for it the first one does either way.
  public var repeats: Bool
  /// The value that it may be posted with; nil: none from outside.
  public var value: FieldDeclaration?

  /// Declares an event.
  public init(_ name: String, summary: String = "", repeats: Bool = false, value: FieldDeclaration? = nil) {
    self.name = name
    self.summary = summary
    self.repeats = repeats
    self.value = value
  }
}

/// Minimum and maximum of the launch gate.
public struct GateDeadline: Sendable, Hashable {
  /// The gate never opens before this; nil: no minimum.
  public var min: DurationSource?
  /// The gate never opens after this; nil: no maximum.
  public var max: DurationSource?

  /// A minimum and a maximum.
  public init(min: DurationSource? = nil, max: DurationSource? = nil) {
    self.min = min
    self.max = max
  }
}

/// A length of time that is known, or that an expression gives at activation.
public enum DurationSource: Sendable, Hashable {
  case literal(Duration)
  /// The text with its `${{ }}`, over `inputs` and `launch`.
  case expression(String)
}

/// A queue of the workflow's own.
public struct QueueDeclaration: Sendable, Hashable {
  /// The queue of the steps that have the terminal, one at a time and in the order of the file. No workflow can declare this name.
  package static let terminal = "the terminal"

  /// The name that a step's `queue` uses.
  public var name: String
  /// How urgently its steps run.
  public var qualityOfService: StepQueue
  /// How many of its steps run at once; nil: no limit of its own.
  public var width: Int?

  /// Declares a queue.
  public init(name: String, qualityOfService: StepQueue, width: Int? = nil) {
    self.name = name
    self.qualityOfService = qualityOfService
    self.width = width
  }
}

/// How urgently a step's thread is scheduled, most urgent first.
public enum StepQueue: String, Sendable, Hashable, CaseIterable {
  case userInteractive = "user-interactive"
  case userInitiated = "user-initiated"
  case utility
  case background
}

extension Workflow {
  /// The steps that a step waits for, directly or through others, by `needs`.
  package func upstream(of step: StepIndex) -> Set<StepIndex> {
    var found: Set<StepIndex> = []
    var rest = Array(steps[Int(step)].needs)
    while let next = rest.popLast() {
      if found.insert(next).inserted { rest += steps[Int(next)].needs }
    }
    return found
  }
}
