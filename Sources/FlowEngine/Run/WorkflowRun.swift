import FlowExpressions
import FlowModel
import FlowPlatform
import FlowPluginKit
import FlowSecrets
import Synchronization

/// A run of a workflow, which drives a ``Plan`` with threads and clocks.
///
/// Each event takes the lock once, updates the plan and handles the consequences (`WorkflowRun+Change`). Steps run on
/// threads, each of which runs one step after another (`Threads/WorkflowRun+Work`). The gate, deadlines and the
/// delivery of events have their own threads, which steps never occupy. Code outside the engine, such as bodies,
/// cancellation handlers, observers and close functions, is called without the lock.
public final class WorkflowRun: Sendable {
  let prepared: PreparedWorkflow
  let options: RunOptions
  let clock: RunClock
  let deadlines: AlarmClock
  /// The files that fan-outs run for, if the files were listed before the run began.
  let listedFiles = Mutex<[StepIndex: ListedFiles]>([:])
  /// The number of attempts of each step and item that were lost because their machine failed, not because they
  /// exceeded their resources.
  let machineLosses = Mutex<[StepIndex: Int]>([:])
  let recentStates = RecentStates()
  /// The steps whose printed output expressions read, or nil if this has not been determined.
  let stepsReadAsText = Mutex<Set<StepIndex>?>(nil)
  /// The steps whose products expressions read, or nil if this has not been determined.
  let stepsWithReadProducts = Mutex<Set<StepIndex>?>(nil)
  /// The products that steps declare. It is used to find the step that produces a missing file.
  let makers: ProductTable
  /// The files that steps and items have begun to produce. It ensures that no two produce the same file.
  let claims: ProductClaims
  /// Ensures that only the latest attempt of a step records its products.
  let recordTurns = RecordTurns()
  /// The files of items that are no longer in the list of their step.
  let leftovers: Leftovers
  /// The removed temporary files that up-to-date steps do not need. They are produced again on demand.
  let lent: LentFiles
  /// The temporary files of this run that currently exist.
  let temporaries = TemporaryFiles()
  /// True if a step declares temporary products.
  let hasTemporaries: Bool
  /// The thread that delivers events to the observer.
  let delivery: AlarmClock
  let threads: PoolThreads
  let gateClock: GateClock
  let handles: HandleTable
  let cancellations: CancellationTable
  /// Finds the step that an item's instance belongs to.
  let instances: InstanceTable
  let names: StepNames
  /// The variables of this process that expressions have read.
  let inherited: InheritedVariables
  /// The names of environment variables that contain secrets of the workflow.
  let secretVariables: Set<String>
  /// The journal, or nil if the run is not recorded.
  let journal: RunJournal?
  /// True if a process on another machine may take over the run while this process is alive. In that case, the lease is
  /// checked before each step starts (`WorkflowRun+Lease`).
  let isGuarded: Bool
  /// The run that this one resumes, or nil if it is new.
  let origin: RunOrigin?
  let state: Mutex<RunState>
  /// The id and the folders of the run.
  package let run: RunInformation
  /// The mask that hides the secrets of the run in everything it reports, or nil if the run has none.
  package let mask: SecretMask?

  /// Creates a run without starting it.
  init(_ prepared: PreparedWorkflow, options: RunOptions, runID: String, from origin: RunOrigin? = nil) {
    self.prepared = prepared
    self.options = options
    self.origin = origin
    mask = prepared.mask(
      secrets: options.secrets, inputs: options.inputs,
      mayLearnMore: options.isPrewarmed || !options.launch.options.isEmpty)
    run = RunInformation(id: runID, dataFolder: options.dataFolder, workflowFolder: options.workflowFolder)
    makers = ProductTable(prepared.graph, in: options.workflowFolder, outer: options.outer?.run.makers)
    claims = options.outer?.run.claims ?? ProductClaims()
    leftovers = options.isTrial ? Leftovers() : options.outer?.run.leftovers ?? Leftovers()
    lent = options.isTrial ? LentFiles() : options.outer?.run.lent ?? LentFiles()
    hasTemporaries = prepared.graph.steps(stating: .preparation).contains {
      prepared.graph.workflow.steps[Int($0)].options.produces.contains(where: \.isTemporary)
    }
    let clock = RunClock(continuingAt: origin?.atNanoseconds ?? 0, virtual: options.clock)
    self.clock = clock
    deadlines = AlarmClock(clock: clock)
    // Observers, journal and threads use real time even if the run has a virtual clock.
    let realClock = options.clock == nil ? clock : RunClock()
    delivery = AlarmClock(clock: realClock)
    threads = options.threads
    gateClock = GateClock(clock: clock)
    handles = HandleTable(graph: prepared.graph, handles: prepared.handles)
    cancellations = CancellationTable(count: prepared.graph.workflow.steps.count)
    instances = InstanceTable(steps: prepared.graph.workflow.steps.count)
    names = StepNames(prepared.graph.workflow)
    inherited =
      options.outer?.run.inherited
      ?? InheritedVariables(origin?.plan.header.inherited ?? [:], lookUp: options.inheritedVariable)
    secretVariables =
      prepared.graph.workflow.secrets.isEmpty ? [] : prepared.graph.workflow.secretVariables(inputs: options.inputs)
    let seed = options.jitterSeed
    journal = options.history.map {
      RunJournal($0, thread: AlarmClock(clock: realClock), resuming: origin.map { ($0.store, $0.lease) })
    }
    isGuarded = options.outer?.run.isGuarded ?? options.history?.canBeTakenOver ?? false
    // Do not copy an empty dictionary, because the runtime would create its type.
    var plan = Plan(
      graph: prepared.graph, facts: prepared.facts.isEmpty ? [:] : prepared.facts, remote: options.placement?.steps,
      capacity: prepared.graph.hasRequests ? prepared.graph.capacity(options.capacity) : .unlimited,
      selected: origin.map { $0.plan.selected } ?? options.selection.map { prepared.selected(by: $0) },
      announcedEvents: options.announcedEvents.count,
      outsideSourceIsOpen: options.acceptsEvents,
      detail: options.isObserved ? options.observer?.detail ?? .none : .none,
      jitter: { step, attempt in Jitter.draw(seed: seed, step: step, attempt: attempt) },
      grace: { [prepared, usual = options.graceNanoseconds] in prepared.graceNanoseconds(of: $0, usual: usual) })
    plan.outstanding.outsideServicesEnd = options.endsOutsideServices
    plan.outstanding.countsUnhandledPosts = options.endsOutsideServices || prepared.graph.workflow.keepsServices
    plan.reserve()
    origin?.restore(&plan, at: clock.now)
    if let history = options.history { plan.keepEntries(startsToo: history.isDurable) }
    let cores = options.outer?.cores ?? activeCores()
    var state = RunState(plan: plan, pools: Pool.all.map { ThreadPool(pool: $0, cores: cores) }, launch: options.launch)
    if options.history?.isDurable == true {
      state.durableStarts = DurableStarts()
      state.owesLaunch = options.isPrewarmed && origin == nil
    }
    if let origin {
      state.outputs = origin.plan.outputs
      for recorded in origin.plan.eventValues {
        _ = state.eventValues.keep(recorded.value["value"] ?? .null, of: recorded.event, number: recorded.number)
      }
    }
    if journal != nil { state.recordedLog = RecordedLog(prepared.graph.workflow, epoch: origin?.lease.epoch ?? 1) }
    self.state = Mutex(state)
  }

  /// Starts the run. Throws if an expression that is evaluated at the start is invalid, two items would produce the
  /// same file, or the run cannot be recorded although it must be.
  func start() throws(PreparedWorkflow.PreparationProblem) {
    try checkProducts()
    emit(.runStarted(workflow: prepared.graph.workflow.name, runID: run.id, dataFolder: run.dataFolder))
    for (index, (name, delay)) in options.announcedEvents.enumerated() {
      let value = options.announcedValues[index] ?? .null
      deadlines.schedule(atNanoseconds: delay.nanoseconds) { [self] in deliverAnnounced(name, value) }
    }
    // A durable run records the variables that it reads before its first step begins.
    if options.history?.isDurable == true { for name in prepared.variableNames { _ = inherited[name] } }
    try startJournal()
    guardBodies()
    if let origin {
      beginResumed(from: origin, after: options.takeoverPause)
    } else if options.isPrewarmed {
      try resolveEnvironment()
      change(.started(prewarm: true))
    } else {
      try activate(launch: options.launch, isStarting: true)
    }
    startSuspension()
    if let virtual = options.clock { start(virtual) }
  }

  /// Starts the task that advances a virtual clock. If this function were inlined, each start of a run would create
  /// the type of the task's priority.
  @inline(never)
  private func start(_ virtual: VirtualClock) { Task { [self] in await virtual.drive(self) } }

  /// Activates a prewarmed run, which is time 0 of the gate. Later calls have no effect.
  ///
  /// Throws a ``PreparedWorkflow/PreparationProblem`` and cancels the run if `enabled`, `defer` or a deadline cannot be
  /// evaluated, or if a step that is declared as blocking is deferred.
  public func activate(launch: Launch) throws(PreparedWorkflow.PreparationProblem) {
    do throws(PreparedWorkflow.PreparationProblem) {
      try activate(launch: launch, isStarting: false)
    } catch {
      cancel()
      throw error
    }
  }

  /// Posts an event from outside the run (L21). Later posts of the event have no effect unless it repeats.
  public func post(_ event: String) { try? post(event, value: .null) }

  /// Ends the posting of events by the app, so that the run may end when it is idle. A run with `keep: services` no
  /// longer waits for its services afterwards.
  public func finishPosting() { change(.outsideSourceClosed) }

  /// Ends the wait of a run that continues only for its services (`keep: services`). Steps that run for earlier posts
  /// finish. Returns false if the wait has not begun or has already ended.
  package func endWait() -> Bool {
    let (isKept, aftermath) = withPlan { state in
      let isKept = state.plan.isKeepingServices
      if isKept { state.plan.apply(.keptLongEnough, at: state.instant(clock.now)) }
      return (isKept, carryOut(&state))
    }
    perform(aftermath)
    return isKept
  }

  /// True if only `keep: services` keeps the run from ending.
  package var isKeepingServices: Bool {
    prepared.graph.workflow.keepsServices && state.withLock { $0.plan.isKeepingServices }
  }

  package var isGoingOn: Bool { state.withLock { $0.ended == nil } }

  /// The steps whose command runs as a service and has reported that it is ready.
  package var servingSteps: [StepIndex] {
    guard prepared.facts.values.contains(where: \.isCommandService) else { return [] }
    return state.withLock { state in
      state.plan.outstanding.serving.filter { prepared.facts[$0]?.isCommandService == true }
    }.sorted()
  }

  /// Cancels the run. Running steps are asked to end, and waiting ones are skipped.
  public func cancel() {
    let opened = gateClock.send(.cancelled)
    let aftermath = withPlan { state in
      if let opened, opened.outcome != .cancelled { state.takeIn(opened) }
      state.plan.apply(.cancelled, at: state.instant(clock.now))
      return carryOut(&state)
    }
    perform(aftermath)
  }

  /// The minimum and maximum of the gate, counted from activation, or nil before activation.
  package var gateDeadline: (min: Duration, max: Duration?)? {
    state.withLock { state in
      guard state.plan.activatedAtNanoseconds != nil else { return nil }
      let bounds = state.plan.gateBounds
      return (.nanoseconds(bounds.minimumNanoseconds), bounds.maximumNanoseconds.map { .nanoseconds($0) })
    }
  }

  /// The outcome and time of the gate. Suspends until the gate has opened or the run has ended without opening it. The
  /// main actor is resumed directly, because other tasks may occupy Swift's thread pool.
  public nonisolated(nonsending) var gate: GateOpening {
    get async { await openedGate(for: #isolation) }
  }

  private func openedGate(for isolation: isolated (any Actor)?) async -> GateOpening {
    // This is safe only for the main actor: another executor might run the continuation while the run's lock is held.
    guard isolation === MainActor.shared else { return await openedGate }
    return await withTaskExecutorPreference(threads.passing) { await openedGate }
  }

  private var openedGate: GateOpening {
    get async {
      // Proof of safety: the gate's clock calls each waiter once, when the gate opens or the run ends without opening
      // it.
      await withUnsafeContinuation { continuation in
        gateClock.whenOpen { [self] opened in
          let time = opened.atNanoseconds - gateClock.activatedAtNanoseconds
          continuation.resume(
            returning: GateOpening(
              outcome: opened.outcome, openedAt: opened.outcome == .cancelled ? nil : .nanoseconds(time)))
        }
      }
    }
  }

  /// The report. Suspends until the run has ended.
  public var report: RunReport {
    get async {
      await withCheckedContinuation { continuation in
        whenEnded { continuation.resume(returning: $0) }
      }
    }
  }

  /// Calls `action` once with the report, after the run has ended and the observer has received all events. Use
  /// ``report`` in asynchronous code.
  package func whenEnded(_ action: @escaping @Sendable (RunReport) -> Void) {
    let ended = state.withLock { state -> EndedRun? in
      if state.ended == nil { state.endWaiters.append(action) }
      return state.ended
    }
    if let ended { action(ended.report) }
  }

  private func deliverAnnounced(_ name: String, _ value: Value) {
    let aftermath = withPlan { state in
      if !keep(value, of: name, &state) { state.warnings.append("the value of event '\(name)' was dropped") }
      state.plan.apply(.posted(name), at: state.instant(clock.now))
      state.plan.apply(.announcedEventDone, at: state.instant(clock.now))
      return carryOut(&state)
    }
    perform(aftermath)
  }

  /// The number of items of each fan-out whose items are known. Fan-outs that follow an event are omitted.
  package var itemTotals: [StepIndex: Int] {
    // An event may add more items.
    let steps = prepared.graph.workflow.steps
    return state.withLock { state in
      state.fanOuts.filter { steps[Int($0.key)].options.fanOut?.event == nil }.mapValues { $0.values.count }
    }
  }

  /// The selected steps, or nil if all steps run.
  var selection: StepSelection? { origin.map { $0.plan.header.selection } ?? options.selection }

  /// The time since the start of the run, in nanoseconds.
  package var nowNanoseconds: Int { clock.now }

  /// Calls `action` every `interval` until the run has ended. A call never overlaps with a call to the observer.
  package func repeatedly(every interval: Duration, _ action: @escaping @Sendable () -> Void) {
    delivery.schedule(afterNanoseconds: max(0, interval.nanoseconds)) { [self] in
      guard state.withLock({ $0.ended == nil }) else { return }
      action()
      repeatedly(every: interval, action)
    }
  }
}

/// The outcome and time of the launch gate.
public struct GateOpening: Sendable, Hashable {
  /// The outcome of the gate, which is `cancelled` if the gate did not open.
  public var outcome: GateOutcome
  /// The time from activation to the opening, or nil if the run was cancelled before the gate opened.
  public var openedAt: Duration?
}
