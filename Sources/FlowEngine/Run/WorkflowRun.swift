import FlowExpressions
import FlowModel
import FlowPlatform
import FlowPluginKit
import FlowSecrets
import Synchronization

/// One run of a workflow in real time: the Dispatch driver of a ``Plan``.
///
/// Whatever happens takes the lock once, notifies the plan, and does what follows (`WorkflowRun+Change`). Steps run on
/// threads, which take them one after the other (`Threads/WorkflowRun+Work`). Gate, deadlines and delivery have a
/// thread each that no step can take. Everything that calls foreign code (bodies, cancellation handlers, observers,
/// closing) happens outside the lock.
public final class WorkflowRun: Sendable {
  let prepared: PreparedWorkflow
  let options: RunOptions
  let clock: RunClock
  let deadlines: AlarmClock
  /// The files that steps run for, where they were listed before the run began.
  let listedFiles = Mutex<[StepIndex: ListedFiles]>([:])
  /// How many attempts of steps and items were lost because of the machine, whatever they took of it.
  let machineLosses = Mutex<[StepIndex: Int]>([:])
  let recentStates = RecentStates()
  /// The steps whose output expressions read; nil until that is asked for.
  let stepsReadAsText = Mutex<Set<StepIndex>?>(nil)
  /// The steps whose products expressions read; nil until that is asked for.
  let stepsWithReadProducts = Mutex<Set<StepIndex>?>(nil)
  /// The products of steps, to find the maker of a file that does not exist.
  let makers: ProductTable
  /// The files that steps and items have begun to make.
  let claims: ProductClaims
  /// Which attempts may record what they made.
  let recordTurns = RecordTurns()
  /// The files left by items that are no longer in the list of their step.
  let leftovers: Leftovers
  /// Temporary files that are gone.
  let lent: LentFiles
  /// Temporary files that exist.
  let temporaries = TemporaryFiles()
  /// Whether a step makes temporary files.
  let hasTemporaries: Bool
  /// Notifies the observer.
  let delivery: AlarmClock
  let threads: PoolThreads
  let gateClock: GateClock
  let handles: HandleTable
  let cancellations: CancellationTable
  /// Which steps the items of steps belong to.
  let instances: InstanceTable
  let names: StepNames
  /// The variables of this process that expressions read.
  let inherited: InheritedVariables
  /// The variables that the workflow's secrets come from.
  let secretVariables: Set<String>
  /// Records the journal of the run; nil: it is not recorded.
  let journal: RunJournal?
  /// Whether a process of another machine may take the run from this one while it lives, so that each start asks first
  /// whether this one still has it; see `WorkflowRun+Lease`.
  let isGuarded: Bool
  /// What the run continued from; nil: it began here.
  let origin: RunOrigin?
  let state: Mutex<RunState>
  /// What is the same for all steps.
  public let run: RunInformation
  /// Hides the secrets of the run in everything that it tells; nil: it has none.
  public let mask: SecretMask?

  /// Makes a run that has not started.
  init(_ prepared: PreparedWorkflow, options: RunOptions, runID: String, from origin: RunOrigin? = nil) {
    self.prepared = prepared
    self.options = options
    self.origin = origin
    mask = prepared.mask(secrets: options.secrets, inputs: options.inputs)
    run = RunInformation(id: runID, dataFolder: options.dataFolder, workflowFolder: options.workflowFolder)
    makers = ProductTable(prepared.graph, in: options.workflowFolder, outer: options.outer?.run.makers)
    claims = options.outer?.run.claims ?? ProductClaims()
    leftovers = options.isTrial ? Leftovers() : options.outer?.run.leftovers ?? Leftovers()
    lent = options.isTrial ? LentFiles() : options.outer?.run.lent ?? LentFiles()
    let steps = prepared.graph.workflow.steps
    hasTemporaries = prepared.graph.steps(stating: .preparation).contains {
      steps[Int($0)].options.produces.contains(where: \.isTemporary)
    }
    let clock = RunClock(continuingAt: origin?.atNanoseconds ?? 0, virtual: options.clock)
    self.clock = clock
    deadlines = AlarmClock(clock: clock)
    // Observers, journal and pools are served in real time also where the run's is virtual.
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
    // Copying a dictionary, even an empty one, makes the runtime create its type.
    var plan = Plan(
      graph: prepared.graph, facts: prepared.facts.isEmpty ? [:] : prepared.facts, remote: options.placement?.steps,
      capacity: prepared.graph.capacity(options.capacity),
      selected: origin.map { $0.plan.selected } ?? options.selection.map { prepared.selected(by: $0) },
      announcedEvents: options.announcedEvents.count,
      outsideSourceIsOpen: options.acceptsEvents, detail: options.observer?.detail ?? .none,
      jitter: { step, attempt in Jitter.draw(seed: seed, step: step, attempt: attempt) },
      grace: { [prepared, usual = options.graceNanoseconds] in prepared.graceNanoseconds(of: $0, usual: usual) })
    plan.outstanding.outsideServicesEnd = options.endsOutsideServices
    plan.outstanding.countsUnhandledPosts = options.endsOutsideServices
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

  /// Starts the run; throws when an expression that is evaluated now does not say what it should.
  func start() throws(PreparedWorkflow.PreparationProblem) {
    try checkProducts()
    emit(.runStarted(workflow: prepared.graph.workflow.name, runID: run.id, dataFolder: run.dataFolder))
    for (index, (name, delay)) in options.announcedEvents.enumerated() {
      let value = options.announcedValues[index] ?? .null
      deadlines.schedule(atNanoseconds: delay.nanoseconds) { [self] in deliverAnnounced(name, value) }
    }
    // What a durable run reads is on disk before its first step begins.
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
    if let virtual = options.clock { Task { [self] in await virtual.drive(self) } }
  }

  /// Activates a prewarmed run: time 0 of the gate. Later calls do nothing.
  ///
  /// Throws a ``PreparedWorkflow/PreparationProblem`` when `enabled`, `defer` or a deadline cannot be evaluated, or when they put
  /// off a step that is declared blocking; the run is then cancelled.
  public func activate(launch: Launch) throws(PreparedWorkflow.PreparationProblem) {
    do throws(PreparedWorkflow.PreparationProblem) {
      try activate(launch: launch, isStarting: false)
    } catch {
      cancel()
      throw error
    }
  }

  /// Posts an event from outside (L21). Later posts of the same event do nothing.
  public func post(_ event: String) { try? post(event, value: .null) }

  /// Says that no more events come from outside: the run may end when nothing is left to do.
  public func finishPosting() { change(.outsideSourceClosed) }

  /// Ends the wait of a run that goes on with its services (`keep: services`); returns false where it does not wait.
  public func endWait() -> Bool {
    let (isKept, aftermath) = withPlan { state in
      let isKept = state.plan.isKeepingServices
      if isKept { state.plan.apply(.keptLongEnough, at: state.instant(clock.now)) }
      return (isKept, carryOut(&state))
    }
    perform(aftermath)
    return isKept
  }

  /// Whether the run goes on only because of its services (`keep: services`).
  public var isKeepingServices: Bool {
    prepared.graph.workflow.keepsServices && state.withLock { $0.plan.isKeepingServices }
  }

  /// Whether the run has not ended.
  package var isGoingOn: Bool { state.withLock { $0.ended == nil } }

  /// The services that are commands and are ready.
  package var servingSteps: [StepIndex] {
    guard prepared.facts.values.contains(where: \.isCommandService) else { return [] }
    return state.withLock { state in
      state.plan.outstanding.serving.filter { prepared.facts[$0]?.isCommandService == true }
    }.sorted()
  }

  /// Cancels the run: running steps are asked to end, waiting ones skipped.
  public func cancel() {
    let opened = gateClock.send(.cancelled)
    let aftermath = withPlan { state in
      if let opened, opened.outcome != .cancelled { state.takeIn(opened) }
      state.plan.apply(.cancelled, at: state.instant(clock.now))
      return carryOut(&state)
    }
    perform(aftermath)
  }

  /// The gate's minimum and maximum from activation, as the launch finished them; nil before activation.
  public var gateDeadline: (min: Duration, max: Duration?)? {
    state.withLock { state in
      guard state.plan.activatedAtNanoseconds != nil else { return nil }
      let bounds = state.plan.gateBounds
      return (.nanoseconds(bounds.minimumNanoseconds), bounds.maximumNanoseconds.map { .nanoseconds($0) })
    }
  }

  /// How the gate opened; returns when it has, or when it never will. The main actor hears of it without a detour through
  /// Swift's thread pool, which other tasks may occupy.
  public nonisolated(nonsending) var gate: GateOpening {
    get async { await openedGate(for: #isolation) }
  }

  private func openedGate(for isolation: isolated (any Actor)?) async -> GateOpening {
    // Another actor's executor may run what is enqueued at once, and the gate may be opened under the run's lock.
    guard isolation === MainActor.shared else { return await openedGate }
    return await withTaskExecutorPreference(threads.passing) { await openedGate }
  }

  private var openedGate: GateOpening {
    get async {
      // Proof of safety: the gate's clock calls each waiter once, when the gate opens or the run ends without that.
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

  /// The report; returns when the run has ended.
  public var report: RunReport {
    get async {
      await withCheckedContinuation { continuation in
        whenEnded { continuation.resume(returning: $0) }
      }
    }
  }

  /// Calls `action` once with the report when the run has ended and the observer has heard everything; at once when
  /// that has happened. For programs whose `main` is not asynchronous; others await ``report``.
  public func whenEnded(_ action: @escaping @Sendable (RunReport) -> Void) {
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

  /// The number of items of each step whose items are known.
  package var itemTotals: [StepIndex: Int] {
    // Posts of an event may still come.
    let steps = prepared.graph.workflow.steps
    return state.withLock { state in
      state.fanOuts.filter { steps[Int($0.key)].options.fanOut?.event == nil }.mapValues { $0.values.count }
    }
  }

  /// The steps that the run was started for; nil: all.
  var selection: StepSelection? { origin.map { $0.plan.header.selection } ?? options.selection }

  /// Nanoseconds since the start of the run.
  public var nowNanoseconds: Int { clock.now }

  /// Calls `action` every so often until the run has ended, never while the observer is being called.
  public func repeatedly(every interval: Duration, _ action: @escaping @Sendable () -> Void) {
    delivery.schedule(afterNanoseconds: max(0, interval.nanoseconds)) { [self] in
      guard state.withLock({ $0.ended == nil }) else { return }
      action()
      repeatedly(every: interval, action)
    }
  }
}

/// How and when the launch gate opened.
public struct GateOpening: Sendable, Hashable {
  /// How.
  public var outcome: GateOutcome
  /// From activation; nil when the run was cancelled before it opened.
  public var openedAt: Duration?
}
