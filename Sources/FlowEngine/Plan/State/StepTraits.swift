import FlowModel

/// The properties of a step that are fixed before it runs.
struct StepTraits: Sendable {
  /// The order in which ready steps start, lowest first.
  var rank: Int32 = 0
  /// The index of the step among the steps of its queue, which are sorted by rank.
  var position: Int32 = 0
  /// The index of the step's first dependent in `graph.successors`. Its dependents end where those of the next step
  /// begin.
  var firstSuccessor: Int32 = 0
  var queue: UInt16 = 0
  var flags: Flags = []

  struct Flags: OptionSet {
    let rawValue: UInt16
    static let blocking = Flags(rawValue: 1 << 0)
    static let deferred = Flags(rawValue: 1 << 1)
    static let idle = Flags(rawValue: 1 << 2)
    static let optional = Flags(rawValue: 1 << 3)
    static let service = Flags(rawValue: 1 << 4)
    /// The step may run before activation, because it has `prewarm` and none of its expressions must be evaluated
    /// first.
    static let prewarm = Flags(rawValue: 1 << 5)
    static let disabled = Flags(rawValue: 1 << 6)
    static let conditional = Flags(rawValue: 1 << 7)
    /// The step's `if` calls a status function, so it is evaluated even if a dependency failed.
    static let seesStatus = Flags(rawValue: 1 << 8)
    /// The step's `if` calls `always()` or `cancelled()`, so the step may run while the run is being cancelled.
    static let seesCancellation = Flags(rawValue: 1 << 10)
    /// The step has a deadline or a retry policy, or is an entry that skips disabled steps when it ends. Fast paths
    /// exclude such steps.
    static let timed = Flags(rawValue: 1 << 11)
    static let fanOut = Flags(rawValue: 1 << 12)
    static let final = Flags(rawValue: 1 << 9)
    /// A failure of the step does not fail the gate, and makes the run partial instead of failing it.
    static let excused = Flags(rawValue: 1 << 13)
    /// The step binds the inputs of an included workflow. If it is skipped, so are all steps of that workflow.
    static let entry = Flags(rawValue: 1 << 14)
    /// The step returns the outputs of an included workflow. It fails if a step of that workflow failed and the failure
    /// was not handled.
    static let exit = Flags(rawValue: 1 << 15)
  }
}

/// Properties of a step that are derived from its action and its expressions instead of the workflow's options.
package struct StepFacts: Sendable, Hashable {
  /// True if the step's action is a service.
  package var isService: Bool
  /// True if the action is a command that runs as a service. The service stops at the end of its file. If it ends on
  /// its own, the running steps that need it are cancelled.
  package var isCommandService: Bool
  /// The events that the step's action may post.
  package var postedEvents: [String]
  /// The status functions that the step's `if` calls.
  package var statusFunctions: StatusFunctions
  /// The events that the action follows, so that it receives every post. They repeat even if the workflow does not
  /// declare them as repeating.
  package var followedEvents: [String]
  /// True if the step posts events that come from outside the process.
  package var isFedFromOutside: Bool

  /// The status functions that an `if` calls.
  package struct StatusFunctions: OptionSet, Sendable, Hashable {
    /// One bit for each function.
    package let rawValue: UInt8
    /// Creates a set from its bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The `if` calls `success()`.
    package static let success = StatusFunctions(rawValue: 1)
    /// The `if` calls `failure()`.
    package static let failure = StatusFunctions(rawValue: 2)
    /// The `if` calls `cancelled()`.
    package static let cancelled = StatusFunctions(rawValue: 4)
    /// The `if` calls `always()`.
    package static let always = StatusFunctions(rawValue: 8)
  }

  /// Creates the facts about a step. The defaults describe an ordinary step.
  package init(
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

/// The gate's minimum and maximum, counted from activation.
package struct GateBounds: Sendable, Hashable {
  /// The earliest time at which the gate opens.
  package var minimumNanoseconds: Int
  /// The time at which the gate times out, or nil if it waits for blocking steps without a limit.
  package var maximumNanoseconds: Int?

  /// Creates bounds. By default, there is no minimum and no maximum.
  package init(minimumNanoseconds: Int = 0, maximumNanoseconds: Int? = nil) {
    self.minimumNanoseconds = minimumNanoseconds
    self.maximumNanoseconds = maximumNanoseconds
  }
}

/// The values that a plan needs from expressions at activation: disabled steps, deferred steps, and the gate's bounds.
package struct Resolution: Sendable, Hashable {
  /// The steps whose `enabled` is false.
  package var disabled: StepList
  /// The steps whose `defer` expression is true.
  package var deferred: StepList
  /// The gate's minimum and maximum.
  package var gate: GateBounds

  /// Creates a resolution. By default, no step is disabled or deferred by an expression, and the gate has no bounds.
  package init(
    disabled: StepList = [], deferred: StepList = [], gate: GateBounds = GateBounds()
  ) {
    self.disabled = disabled
    self.deferred = deferred
    self.gate = gate
  }

  /// Creates a resolution from literal values only. Steps with an expression count as enabled and not deferred.
  package init(literalsOf graph: WorkflowGraph) {
    self.init()
    disabled = StepList(graph.steps(stating: .disabled))
  }
}
