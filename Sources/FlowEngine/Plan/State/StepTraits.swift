import FlowModel

/// What is fixed about a step before it runs.
struct StepTraits: Sendable {
  /// The order among ready steps; lower goes first.
  var rank: Int32 = 0
  /// The index among the steps of its queue, by rank.
  var position: Int32 = 0
  /// Where the steps that need it begin in the graph's list of successors; they end where the next step's begin.
  var firstSuccessor: Int32 = 0
  /// Index into the plan's queues.
  var queue: UInt16 = 0
  var flags: Flags = []

  struct Flags: OptionSet {
    let rawValue: UInt16
    static let blocking = Flags(rawValue: 1 << 0)
    static let deferred = Flags(rawValue: 1 << 1)
    static let idle = Flags(rawValue: 1 << 2)
    static let optional = Flags(rawValue: 1 << 3)
    static let service = Flags(rawValue: 1 << 4)
    /// May run before activation: it says so, and no expression of it must be evaluated first.
    static let prewarm = Flags(rawValue: 1 << 5)
    static let disabled = Flags(rawValue: 1 << 6)
    /// Has an `if`.
    static let conditional = Flags(rawValue: 1 << 7)
    /// Its `if` names a status function, so that it is evaluated whatever the outcome of its dependencies.
    static let seesStatus = Flags(rawValue: 1 << 8)
    /// Its `if` names `always()` or `cancelled()`, so it may run while the run is being cancelled.
    static let seesCancellation = Flags(rawValue: 1 << 10)
    /// Has a deadline or a retry policy, or is an entry at whose end steps that are out are skipped: a fast path leaves
    /// it out.
    static let timed = Flags(rawValue: 1 << 11)
    /// Runs once for each of several items.
    static let fanOut = Flags(rawValue: 1 << 12)
    /// Stands in `finally`.
    static let final = Flags(rawValue: 1 << 9)
    /// Its failure is none of the gate's and of the run's.
    static let excused = Flags(rawValue: 1 << 13)
    /// Binds the inputs of an included workflow: when it is skipped, everything inside is.
    static let entry = Flags(rawValue: 1 << 14)
    /// Gives the outputs of an included workflow: fails when a failure inside was not taken up.
    static let exit = Flags(rawValue: 1 << 15)
  }
}

/// What the engine knows of a step beyond the workflow: its action's kind and what its `if` may see.
public struct StepFacts: Sendable, Hashable {
  /// Whether its action is a service.
  public var isService: Bool
  /// Whether that service is a command: it ends with the file that has it, and steps that need it end with it.
  public var isCommandService: Bool
  /// The events that its action declares to post.
  public var postedEvents: [String]
  /// The status functions that its `if` names.
  public var statusFunctions: StatusFunctions
  /// The events that it follows whether or not the workflow has them repeat.
  public var followedEvents: [String]
  /// Whether what it posts comes from outside.
  public var isFedFromOutside: Bool

  /// Which status functions an `if` names.
  public struct StatusFunctions: OptionSet, Sendable, Hashable {
    /// One bit a function.
    public let rawValue: UInt8
    /// A set by its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Names `success()`.
    public static let success = StatusFunctions(rawValue: 1)
    /// Names `failure()`.
    public static let failure = StatusFunctions(rawValue: 2)
    /// Names `cancelled()`.
    public static let cancelled = StatusFunctions(rawValue: 4)
    /// Names `always()`.
    public static let always = StatusFunctions(rawValue: 8)
  }

  /// Journal entries of a step; the defaults are those of a plain one.
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
  /// The gate never opens before this.
  public var minimumNanoseconds: Int
  /// Blocking steps that are not satisfied by then are late; nil: the gate waits for them as long as it takes.
  public var maximumNanoseconds: Int?

  /// A minimum and a maximum.
  public init(minimumNanoseconds: Int = 0, maximumNanoseconds: Int? = nil) {
    self.minimumNanoseconds = minimumNanoseconds
    self.maximumNanoseconds = maximumNanoseconds
  }
}

/// What the expressions of a workflow said at activation: which steps are disabled, which are deferred, and the gate's maximum.
public struct Resolution: Sendable, Hashable {
  /// Steps whose `enabled` is false.
  public var disabled: StepList
  /// Steps whose `defer` expression is true.
  public var deferred: StepList
  /// The gate's minimum and maximum.
  public var gate: GateBounds

  /// Nothing disabled, nothing deferred by an expression, no minimum and no maximum.
  public init(
    disabled: StepList = [], deferred: StepList = [], gate: GateBounds = GateBounds()
  ) {
    self.disabled = disabled
    self.deferred = deferred
    self.gate = gate
  }

  /// What the literals of a workflow say; expressions count as enabled and not deferred until they are evaluated.
  public init(literalsOf graph: WorkflowGraph) {
    self.init()
    disabled = StepList(graph.steps(stating: .disabled))
  }
}
