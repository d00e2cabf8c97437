import FlowModel

/// A run as a value: events in, effects out; no queue, no clock, no lock.
///
/// A driver reports events and their times (``apply(_:at:)``), carries out the effects (``takeEffects()``), and starts
/// the steps that the plan offers (``startNext(in:at:)``) until there are none. Times are nanoseconds from the start of
/// the run and must not decrease. The Dispatch driver and the virtual clock run this same value, so a behavior that a
/// test shows on the virtual clock is the behavior in production.
///
/// Invariants, checked by `problems()`: a step finishes (`status == .done`) exactly once. `open` of a waiting step is
/// the number of its unfinished dependencies, plus the events it waits for, plus one while it waits for the gate.
/// `occupied` of a queue never exceeds its width. Every count in `counts` is the sum over the steps' states.
public struct Plan: Sendable {
  // The members that every step accesses come first and together.
  // The counter that threads check during a fast path.
  var fastPathEnds = FastPathEnds()
  /// The numbers of steps by status.
  var counts: PlanCounts

  /// The workflow.
  public let graph: WorkflowGraph
  let facts: [StepIndex: StepFacts]
  /// The services that end with an included file, by the step that ends it.
  let servicesOfFiles: [StepIndex: [StepIndex]]
  /// Returns a number in 0..<1 for the pause before a retry, by step and attempt.
  let jitter: @Sendable (StepIndex, Int) -> Double
  /// Returns how long the plan waits for a body that was asked to end before it releases the body's capacity.
  let grace: @Sendable (StepIndex) -> Int

  var tables: StepTables
  /// True if the workflow declares no queues, so each pool has one queue, with the pool's index.
  var hasOnlyBuiltInQueues = true
  /// The steps that executors run, or nil if there are none.
  let remote: RemoteSteps?
  /// The machine's capacity for steps that request resources.
  let capacity: MachineResources
  /// The resources in use, or nil if no step requests any.
  var machine: MachineCount?
  /// The number of steps that may run at once.
  let concurrency: Int
  /// The steps left out because others were selected.
  let unselected: Set<StepIndex>
  var timers = Heap<PlanTimer>()
  var effects: [PlanEffect] = []
  /// The level of detail recorded for the event stream.
  public var detail: RunDetail

  /// The steps that run for several items.
  var fanOuts = FanOutTable()
  var events = EventLatches()
  var readiness: GateReadiness
  var outstanding: Outstanding
  var particulars = StepParticulars()
  /// The journal entries that have not been taken yet, or nil if no journal is kept.
  var journal: PlanJournal?

  // Phases
  var hasStarted = false
  var isPrewarming = false
  var activatedAt = never
  var cancelledAt = never
  /// True once the time for cleanup in a cancelled run has begun.
  var hasCleanupBegun = false
  /// The instant at which the run exceeds its workflow's timeout.
  var limitAt = never
  /// True if the run exceeded its timeout. It is then cancelled, and fails.
  var hasTimedOut = false
  var isClosing = false
  /// True once a run that keeps its services has been asked to end.
  var hasKeptServices = false
  /// The steps whose `defer` expression was true at activation.
  var resolvedDeferrals: StepList = []
  /// The time at which the run ended, or nil while it continues.
  public internal(set) var endedAt: Int?
  /// The conclusion of the run, or nil while it continues.
  public internal(set) var conclusion: RunConclusion?

  /// Creates a plan for one run of `graph`.
  ///
  /// - Parameters:
  ///   - graph: The steps.
  ///   - facts: The special properties of steps. Steps without an entry are plain.
  ///   - resolution: The values known at the start; ``PlanEvent/activated(_:)`` has the others.
  ///   - announcedEvents: The number of events announced from outside (`--event`).
  ///   - outsideSourceIsOpen: True if more events may come from outside.
  ///   - detail: The level of detail recorded for the event stream.
  ///   - remote: The steps that executors run, or nil if there are none.
  ///   - selected: The only steps that run, or nil for all.
  ///   - capacity: The machine's capacity for steps that request resources. Each request fits in it.
  ///   - jitter: Returns a number in 0..<1 for the pause before a retry.
  ///   - grace: Returns how long a body that was asked to end may take, in nanoseconds.
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

  /// Reserves room for the first timers and effects, and thereby creates the types of their arrays. Later, on a run's
  /// threads, that takes several times as long, because the first write to a page interrupts all processors.
  mutating func reserve() {
    timers.reserve()
    effects.reserveCapacity(1)
  }

  /// The changing state of each step. Write it only inside ``mutate(endsFastPaths:_:)``.
  var states: UnsafeMutableBufferPointer<StepState> { tables.states }
  /// The fixed properties of each step. Write them only inside ``mutate(endsFastPaths:_:)``.
  var traits: UnsafeMutableBufferPointer<StepTraits> { tables.traits }
  /// The queues. Write them only inside ``mutate(endsFastPaths:_:)``.
  var queues: UnsafeMutableBufferPointer<PlanQueue> { tables.queues }

  /// The options of a step: everything except its action, inputs and dependencies.
  func options(of step: StepIndex) -> StepOptions { graph.workflow.steps[Int(step)].options }

  /// The dependencies of a step.
  func needs(of step: StepIndex) -> ArraySlice<StepIndex> { graph.workflow.steps[Int(step)].needs }

  /// Returns the effects that have been requested since the last call.
  public mutating func takeEffects() -> [PlanEffect] {
    guard !effects.isEmpty else {
      guard let decision = readiness.pendingDecision, !isDeciding else { return [] }
      readiness.pendingDecision = nil
      return readiness.outcome == nil ? [.gateDecided(decision)] : []
    }
    defer { effects.removeAll(keepingCapacity: true) }
    return effects
  }

  /// True if effects have been requested since the last ``takeEffects()``.
  public var hasEffects: Bool { !effects.isEmpty || (readiness.pendingDecision != nil && !isDeciding) }

  /// The instant of the next timer, or nil if there is none.
  public var nextTimerNanoseconds: Int? { timers.first?.atNanoseconds }

  /// The number of steps that have finished, with any outcome.
  public var finishedCount: Int { states.count - counts.unsettled }

  /// The names of the queues, by index. They never change.
  var queueNames: [String] { queues.map(\.name) }
}
