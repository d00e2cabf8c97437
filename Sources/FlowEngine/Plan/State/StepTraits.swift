import FlowModel

/// The properties of a step that are fixed before it runs.
struct StepTraits: Sendable {
  /// The order among ready steps; the lowest starts first.
  var rank: Int32 = 0
  /// The index among the steps of its queue, by rank.
  var position: Int32 = 0
  /// The index of its first dependent in the graph's list of successors. The list ends at the next step's first
  /// dependent.
  var firstSuccessor: Int32 = 0
  /// The index of its queue in the plan.
  var queue: UInt16 = 0
  var flags: Flags = []

  struct Flags: OptionSet {
    let rawValue: UInt16
    static let blocking = Flags(rawValue: 1 << 0)
    static let deferred = Flags(rawValue: 1 << 1)
    static let idle = Flags(rawValue: 1 << 2)
    static let optional = Flags(rawValue: 1 << 3)
    static let service = Flags(rawValue: 1 << 4)
    /// May run before activation: it has `prewarm`, and none of its expressions must be evaluated first.
    static let prewarm = Flags(rawValue: 1 << 5)
    static let disabled = Flags(rawValue: 1 << 6)
    /// Has an `if`.
    static let conditional = Flags(rawValue: 1 << 7)
    /// Its `if` calls a status function, so it is evaluated whatever the outcomes of the dependencies.
    static let seesStatus = Flags(rawValue: 1 << 8)
    /// Its `if` calls `always()` or `cancelled()`, so it may run while the run is being cancelled.
    static let seesCancellation = Flags(rawValue: 1 << 10)
    /// Has a deadline or a retry policy, or is an entry at whose end unselected steps are skipped. Fast paths exclude
    /// it.
    static let timed = Flags(rawValue: 1 << 11)
    /// Runs once for each of several items.
    static let fanOut = Flags(rawValue: 1 << 12)
    /// Is part of `finally`.
    static let final = Flags(rawValue: 1 << 9)
    /// Its failure affects neither the gate nor the run.
    static let excused = Flags(rawValue: 1 << 13)
    /// Binds the inputs of an included workflow. If it is skipped, all steps inside are skipped.
    static let entry = Flags(rawValue: 1 << 14)
    /// Returns the outputs of an included workflow. Fails if a failure inside was not handled.
    static let exit = Flags(rawValue: 1 << 15)
  }
}

/// Properties of a step that the workflow does not have: the kind of its action, and the functions its `if` calls.
public struct StepFacts: Sendable, Hashable {
  /// True if its action is a service.
  public var isService: Bool
  /// True if the service is a command. It ends with the file that contains it, and steps that need it end with it.
  public var isCommandService: Bool
  /// The events that its action declares.
  public var postedEvents: [String]
  /// The status functions that its `if` calls.
  public var statusFunctions: StatusFunctions
  /// The events that it follows even if the workflow does not declare them as repeating.
  public var followedEvents: [String]
  /// True if the events it posts come from outside.
  public var isFedFromOutside: Bool

  /// The status functions that an `if` calls.
  public struct StatusFunctions: OptionSet, Sendable, Hashable {
    /// One bit for each function.
    public let rawValue: UInt8
    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Calls `success()`.
    public static let success = StatusFunctions(rawValue: 1)
    /// Calls `failure()`.
    public static let failure = StatusFunctions(rawValue: 2)
    /// Calls `cancelled()`.
    public static let cancelled = StatusFunctions(rawValue: 4)
    /// Calls `always()`.
    public static let always = StatusFunctions(rawValue: 8)
  }

  /// Creates the facts of a step; the defaults are those of a plain step.
  public init(
    isService: Bool = false, isCommandService: Bool = false, postedEvents: [String] = [],
    statusFunctions: StatusFunctions = [],
    followedEvents: [String] = [], isFedFromOutside: Bool = false
  ) {
    self.followedEvents = followedEvents
    self.isFedFromOutside = isFedFromOutside
    self.isService = isService
    self.isCommandService = isCommandService
    self.postedEvents = postedEvents
    self.statusFunctions = statusFunctions
  }
}

/// The gate's minimum and maximum, from activation.
public struct GateBounds: Sendable, Hashable {
  /// The earliest time at which the gate opens.
  public var minimumNanoseconds: Int
  /// The time after which unsatisfied blocking steps are late, or nil if the gate waits for them without a limit.
  public var maximumNanoseconds: Int?

  /// Creates bounds from a minimum and a maximum.
  public init(minimumNanoseconds: Int = 0, maximumNanoseconds: Int? = nil) {
    self.minimumNanoseconds = minimumNanoseconds
    self.maximumNanoseconds = maximumNanoseconds
  }
}

/// The values of a workflow's expressions at activation: disabled steps, deferred steps, and the gate's bounds.
public struct Resolution: Sendable, Hashable {
  /// The steps whose `enabled` is false.
  public var disabled: StepList
  /// The steps whose `defer` expression is true.
  public var deferred: StepList
  /// The gate's minimum and maximum.
  public var gate: GateBounds

  /// Creates a resolution; by default no step is disabled or deferred by an expression and the gate has no bounds.
  public init(
    disabled: StepList = [], deferred: StepList = [], gate: GateBounds = GateBounds()
  ) {
    self.disabled = disabled
    self.deferred = deferred
    self.gate = gate
  }

  /// Creates a resolution from a workflow's literals. Until expressions are evaluated, their steps count as enabled and
  /// not deferred.
  public init(literalsOf graph: WorkflowGraph) {
    self.init()
    disabled = StepList(graph.steps(stating: .disabled))
  }
}
