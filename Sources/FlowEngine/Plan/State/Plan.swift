import FlowModel

/// A run as a value: events in, effects out; no queue, no clock, no lock.
///
/// A driver tells it what happened and when (``apply(_:at:)``), does what it asks (``takeEffects()``), and starts the
/// steps it offers (``startNext(in:at:)``) until it offers none. Times are nanoseconds from the start of the run and
/// must not go back. The Dispatch driver and the virtual clock run this same value, so whatever a test on the virtual
/// clock shows holds in production.
///
/// Invariants, which `problems()` checks: a step is finished (`status == .done`) exactly once; `open` of a waiting
/// step is the number of its dependencies that are not finished, plus the events it waits for, plus one while it waits
/// for the gate; each queue's `occupied` never exceeds its width; every count in `counts` is what the steps' states
/// add up to.
public struct Plan: Sendable {
  // What every step touches comes first and together.
  /// What threads in the middle of a fast path look at.
  var fastPathEnds = FastPathEnds()
  /// How many steps are where in their lives.
  var counts: PlanCounts

  /// The workflow.
  public let graph: WorkflowGraph
  let facts: [StepIndex: StepFacts]
  /// The services that end with an included file, by the step that ends it.
  let servicesOfFiles: [StepIndex: [StepIndex]]
  /// Draws from 0..<1 for the pause before a retry, by step and attempt.
  let jitter: @Sendable (StepIndex, Int) -> Double
  /// The time for the body of a step that was asked to end, until its capacity is given away.
  let grace: @Sendable (StepIndex) -> Int

  var tables: StepTables
  /// Whether the workflow has no queues of its own, so that each pool has one queue, with the pool's index.
  var hasOnlyBuiltInQueues = true
  /// The steps that executors run; nil: there are none.
  let remote: RemoteSteps?
  /// What the machine has of which steps take resources.
  let capacity: MachineResources
  /// What is counted of it; nil: no step asks for resources.
  var machine: MachineCount?
  /// The number of steps that may run at once.
  let concurrency: Int
  /// The steps that are left out because others were selected.
  let unselected: Set<StepIndex>
  var timers = Heap<PlanTimer>()
  var effects: [PlanEffect] = []
  /// How much is noted for the event stream.
  public var detail: RunDetail

  /// The steps that run for several items.
  var fanOuts = FanOutTable()
  var events = EventLatches()
  var readiness: GateReadiness
  var outstanding: Outstanding
  var particulars = StepParticulars()
  /// The journal entries that were not taken yet; nil: no journal is kept.
  var journal: PlanJournal?

  // Phases
  var hasStarted = false
  var isPrewarming = false
  var activatedAt = never
  var cancelledAt = never
  /// Whether the time for cleanup in a cancelled run has begun.
  var hasCleanupBegun = false
  /// When the run has taken longer than its workflow's timeout.
  var limitAt = never
  /// Whether it did: it is cancelled then, and has failed.
  var hasTimedOut = false
  var isClosing = false
  /// Whether a run that keeps its services has been asked to end.
  var hasKeptServices = false
  /// The steps whose `defer` expression was true at activation.
  var resolvedDeferrals: StepList = []
  /// When the run ended; nil while it continues.
  public internal(set) var endedAt: Int?
  /// How the run ended; nil while it continues.
  public internal(set) var conclusion: RunConclusion?

  /// A plan for one run of `graph`.
  ///
  /// - Parameters:
  ///   - graph: the steps.
  ///   - facts: what is special about steps; those not named are plain.
  ///   - resolution: what is known at the start; ``PlanEvent/activated(_:)`` brings the rest.
  ///   - announcedEvents: how many events were announced from outside (`--event`).
  ///   - outsideSourceIsOpen: whether more events may come from outside.
  ///   - detail: how much is noted for the event stream.
  ///   - remote: the steps that executors run; nil: there are none.
  ///   - selected: the only steps that run; nil: all.
  ///   - capacity: what the machine has of which steps take resources; each fits in it.
  ///   - jitter: draws from 0..<1 for the pause before a retry.
  ///   - grace: how long a body that was asked to end may take, in nanoseconds.
  public init(
    graph: WorkflowGraph, facts: [StepIndex: StepFacts] = [:], resolution: Resolution? = nil,
    remote: RemoteSteps? = nil, capacity: MachineResources = .unlimited, selected: Set<StepIndex>? = nil,
    announcedEvents: Int = 0,
    outsideSourceIsOpen: Bool = false, detail: RunDetail = .full,
    jitter: @escaping @Sendable (StepIndex, Int) -> Double = { _, _ in 0.5 },
    grace: @escaping @Sendable (StepIndex) -> Int = { _ in Plan.usualGraceNanoseconds }
  ) {
    let count = graph.workflow.steps.count
    self.graph = graph
    self.facts = facts
    servicesOfFiles = Self.servicesOfFiles(graph.workflow, facts)
    self.remote = remote
    self.capacity = capacity
    self.jitter = jitter
    self.grace = grace
    self.detail = detail
    concurrency = graph.workflow.concurrency ?? .max
    unselected =
      selected.map { selected in
        Set((0..<StepIndex(count)).filter { !selected.contains($0) })
      } ?? []
    let resolution = resolution ?? Resolution(literalsOf: graph)
    counts = PlanCounts(unsettled: count)
    readiness = GateReadiness(bounds: resolution.gate)
    outstanding = Outstanding(announcedEvents: announcedEvents, outsideSourceIsOpen: outsideSourceIsOpen)
    tables = StepTables(count: count)
    arrange(deferred: resolution.deferred, disabled: resolution.disabled)
    countWhatIsWaitedFor()
  }

  /// Makes room for the first timers and effects, and thereby the types of their lists: made later, by a run's threads, they
  /// take several times as long, as a page that is first written then interrupts all processors.
  mutating func reserve() {
    timers.reserve()
    effects.reserveCapacity(1)
  }

  /// What changes about each step; to be written only inside ``mutate(endsFastPaths:_:)``.
  var states: UnsafeMutableBufferPointer<StepState> { tables.states }
  /// What is fixed about each step; to be written only inside ``mutate(endsFastPaths:_:)``.
  var traits: UnsafeMutableBufferPointer<StepTraits> { tables.traits }
  /// The queues; to be written only inside ``mutate(endsFastPaths:_:)``.
  var queues: UnsafeMutableBufferPointer<PlanQueue> { tables.queues }

  /// What a step states beyond action, inputs and needs.
  func options(of step: StepIndex) -> StepOptions { graph.workflow.steps[Int(step)].options }

  /// What a step needs.
  func needs(of step: StepIndex) -> ArraySlice<StepIndex> { graph.workflow.steps[Int(step)].needs }

  /// Returns what the plan has asked for since the last call.
  public mutating func takeEffects() -> [PlanEffect] {
    guard !effects.isEmpty else {
      guard let decision = readiness.pendingDecision, !isDeciding else { return [] }
      readiness.pendingDecision = nil
      return readiness.outcome == nil ? [.gateDecided(decision)] : []
    }
    defer { effects.removeAll(keepingCapacity: true) }
    return effects
  }

  /// Whether the plan asked for anything since effects were last taken.
  public var hasEffects: Bool { !effects.isEmpty || (readiness.pendingDecision != nil && !isDeciding) }

  /// When something is due next, or nil.
  public var nextTimerNanoseconds: Int? { timers.first?.atNanoseconds }

  /// The number of steps that have ended, whatever way.
  public var finishedCount: Int { states.count - counts.unsettled }

  /// The names of the queues, by their indices; they stay the same.
  var queueNames: [String] { queues.map(\.name) }
}
