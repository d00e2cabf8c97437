import FlowModel

/// A run as a value that receives events and returns effects. It uses no queue, clock or lock.
///
/// A driver reports events and their times (``apply(_:at:)``), carries out the effects (``takeEffects()``), and starts
/// the steps that the plan offers (``startNext(in:at:)``) until there are none. Times are nanoseconds from the start of
/// the run and must not decrease. The Dispatch driver and the virtual clock run this same value, so a behavior that a
/// test shows on the virtual clock is the behavior in production.
///
/// Invariants, checked by `problems()`: a step finishes (`status == .done`) exactly once. `open` of a waiting step is
/// the number of its unfinished dependencies, plus the events it waits for, plus one each while it waits for the gate,
/// for all other steps, for services or for bodies. `occupied` of a queue never exceeds its width. Every count in
/// `counts` is the sum over the steps' states.
public struct Plan: Sendable {
  // These members are accessed for every step, so they come first and share cache lines.
  var fastPathEnds = FastPathEnds()
  /// The number of steps with each status.
  var counts: PlanCounts

  /// The workflow that this run executes.
  package let graph: WorkflowGraph
  let facts: [StepIndex: StepFacts]
  /// The command services to stop when an included file ends, by the step that ends the file.
  let servicesOfFiles: [StepIndex: [StepIndex]]
  /// Returns a number in 0..<1 that randomizes the pause before a retry, by step and attempt.
  let jitter: @Sendable (StepIndex, Int) -> Double
  /// Returns the grace of a step's body in nanoseconds: the time that it has to return after it was asked to end. After
  /// the grace, the plan frees its slot in the queue.
  let grace: @Sendable (StepIndex) -> Int

  var tables: StepTables
  // The pointers of `tables`. Computed properties would copy the whole plan on each access if this module is not
  // optimized, as in the build of the tests.
  /// The changing state of each step. Write it only inside ``mutate(endsFastPaths:_:)``.
  // Proof of safety: the pointer changes only together with `tables`, whose proof applies to it.
  nonisolated(unsafe) var states: UnsafeMutableBufferPointer<StepState>
  /// The fixed properties of each step. Write them only inside ``mutate(endsFastPaths:_:)``.
  // Proof of safety: the pointer changes only together with `tables`, whose proof applies to it.
  nonisolated(unsafe) var traits: UnsafeMutableBufferPointer<StepTraits>
  /// The queues. Write them only inside ``mutate(endsFastPaths:_:)``.
  // Proof of safety: the pointer changes only together with `tables`, whose proof applies to it.
  nonisolated(unsafe) var queues: UnsafeMutableBufferPointer<PlanQueue>
  /// True if the workflow declares no queues, so that the index of a queue equals the index of its pool.
  var hasOnlyBuiltInQueues = true
  /// The steps that executors run, or nil if there are none.
  let remote: RemoteSteps?
  /// The machine's resources, for steps that request some.
  let capacity: MachineResources
  /// The machine's capacity and the waiting step that others pass, or nil if no step requests resources.
  var machine: MachineCount?
  /// The maximum number of steps that run at once.
  let concurrency: Int
  /// The steps that do not run because a selection excludes them.
  let unselected: Set<StepIndex>
  var timers = Heap<PlanTimer>()
  var effects: [PlanEffect] = []
  /// The level of detail that is recorded for the event stream.
  package var detail: RunDetail

  /// The fan-outs: steps that run once for each of several items.
  var fanOuts = FanOutTable()
  var events = EventLatches()
  var readiness: GateReadiness
  var outstanding: Outstanding
  var particulars = StepParticulars()
  /// The journal entries that have not been collected for writing yet, or nil if the run has no journal.
  var journal: PlanJournal?

  // The phases of the run, and the times at which they began.
  var hasStarted = false
  var isPrewarming = false
  var activatedAt = never
  var cancelledAt = never
  /// True if the run was cancelled and the time limit for its cleanup steps has started.
  var hasCleanupBegun = false
  /// The instant at which the run exceeds its workflow's timeout.
  var limitAt = never
  /// True if the run exceeded its timeout, so that it is cancelled and fails.
  var hasTimedOut = false
  var isClosing = false
  /// True once the run would have ended without `keep: services`.
  var hasBegunKeeping = false
  /// True if a run that was kept only for its services has been asked to end.
  var hasKeptServices = false
  /// The steps whose `defer` expression was true at activation.
  var resolvedDeferrals: StepList = []
  /// The time at which the run ended, or nil while it continues.
  package internal(set) var endedAt: Int?
  /// The conclusion of the run, or nil while it continues.
  package internal(set) var conclusion: RunConclusion?

  /// Creates a plan for one run of `graph`.
  ///
  /// - Parameters:
  ///   - graph: The steps.
  ///   - facts: The properties of steps that are not part of the workflow. A step without an entry has the defaults.
  ///   - resolution: The values of expressions known at the start. ``PlanEvent/activated(_:)`` passes the rest.
  ///   - announcedEvents: The number of events announced with `--event`.
  ///   - outsideSourceIsOpen: True if more events may come from outside the run.
  ///   - detail: The level of detail recorded for the event stream.
  ///   - remote: The steps that executors run, or nil if there are none.
  ///   - selected: The only steps that run, or nil for all.
  ///   - capacity: The machine's capacity for steps that request resources. Each request fits in it.
  ///   - jitter: Returns a number in 0..<1 for the pause before a retry.
  ///   - grace: Returns how long a body that was asked to end may take, in nanoseconds.
  package init(
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
    (states, traits, queues) = (tables.states, tables.traits, tables.queues)
    arrange(deferred: resolution.deferred, disabled: resolution.disabled)
    countWhatIsWaitedFor()
  }

  /// Reserves room for the first timers and effects, which also creates the types of their arrays. On a run's threads
  /// this would take several times as long, because the first write to a page interrupts all processors.
  mutating func reserve() {
    timers.reserve()
    effects.reserveCapacity(1)
  }

  /// The options of a step: everything except its id, action, inputs and dependencies.
  func options(of step: StepIndex) -> StepOptions { graph.workflow.steps[Int(step)].options }

  func needs(of step: StepIndex) -> ArraySlice<StepIndex> { graph.workflow.steps[Int(step)].needs }

  /// Removes and returns the effects requested since the last call.
  package mutating func takeEffects() -> [PlanEffect] {
    guard !effects.isEmpty else {
      guard let decision = readiness.pendingDecision, !isDeciding else { return [] }
      readiness.pendingDecision = nil
      return readiness.outcome == nil ? [.gateDecided(decision)] : []
    }
    defer { effects.removeAll(keepingCapacity: true) }
    return effects
  }

  /// True if effects have been requested since the last ``takeEffects()``.
  package var hasEffects: Bool { !effects.isEmpty || (readiness.pendingDecision != nil && !isDeciding) }

  /// The time of the next timer, or nil if there is none.
  package var nextTimerNanoseconds: Int? { timers.first?.atNanoseconds }

  /// The number of finished steps, whatever their outcome.
  package var finishedCount: Int { states.count - counts.unsettled }

  /// The names of the queues, by index. They never change during a run.
  var queueNames: [String] { queues.map(\.name) }
}
