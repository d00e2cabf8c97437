import Dispatch
import FlowExpressions
import FlowModel
import FlowPluginKit
import Synchronization

/// One run of a workflow in real time: the Dispatch driver of a ``Plan``.
///
/// A slot that finished a step takes the lock once, tells the plan, takes the next ready step and runs it inline; other
/// ready steps go to idle slots. The gate has a thread, the deadlines a queue of their own. Everything that calls foreign
/// code (bodies, cancellation handlers, observers, closing) happens outside the lock.
public final class WorkflowRun: Sendable {
  let prepared: PreparedWorkflow
  let options: RunOptions
  let clock: RunClock
  let deadlines: DeadlineClock
  let gateClock: GateClock
  let resources: ResourceTable
  let cancellations: CancellationTable
  let names: StepNames
  let state: Mutex<RunState>
  /// What is the same for all steps.
  public let run: RunInformation

  let deliveryQueue = DispatchQueue(label: "flowrun.events", qos: .userInitiated)

  /// Makes a run that has not started.
  init(_ prepared: PreparedWorkflow, options: RunOptions, runID: String) {
    self.prepared = prepared
    self.options = options
    run = RunInformation(id: runID, dataFolder: options.dataFolder, workflowFolder: options.workflowFolder)
    clock = RunClock()
    deadlines = DeadlineClock(clock: clock)
    gateClock = GateClock(clock: clock)
    resources = ResourceTable(graph: prepared.graph, resources: prepared.resources)
    cancellations = CancellationTable(count: prepared.graph.workflow.steps.count)
    names = StepNames(prepared.graph.workflow)
    let seed = options.jitterSeed
    let plan = Plan(
      graph: prepared.graph, facts: prepared.facts, announcedEvents: options.announcedEvents.count,
      outsideSourceIsOpen: options.acceptsEvents, detail: options.observer?.detail ?? .none,
      jitter: { step, attempt in Jitter.draw(seed: seed, step: step, attempt: attempt) })
    let cores = activeCores()
    state = Mutex(
      RunState(plan: plan, pools: Lane.all.map { SlotPool(lane: $0, cores: cores) }, launch: options.launch))
  }

  /// Starts the run; throws when an expression that is evaluated now does not say what it should.
  func start() throws(PreparedWorkflow.Problem) {
    emit(.runStarted(workflow: prepared.graph.workflow.name, runID: run.id, dataFolder: run.dataFolder))
    for (name, delay) in options.announcedEvents {
      deadlines.schedule(atNanoseconds: delay.nanoseconds) { [self] in deliverAnnounced(name) }
    }
    if options.isPrewarmed {
      try resolveEnvironment()
      change(.started(prewarm: true))
    } else {
      try activate(launch: options.launch, isStarting: true)
    }
  }

  /// Activates a prewarmed run: time 0 of the gate. Later calls do nothing.
  ///
  /// Throws a ``PreparedWorkflow/Problem`` when `enabled`, `defer` or a deadline cannot be evaluated, or when they put
  /// off a step that the gate is told to wait for; the run is then cancelled.
  public func activate(launch: Launch) throws(PreparedWorkflow.Problem) {
    do throws(PreparedWorkflow.Problem) {
      try activate(launch: launch, isStarting: false)
    } catch {
      cancel()
      throw error
    }
  }

  /// Posts an event from outside (L21). Later posts of the same event do nothing.
  public func post(_ event: String) { change(.posted(event)) }

  /// Says that no more events come from outside: the run may end when nothing is left to do.
  public func finishPosting() { change(.outsideSourceClosed) }

  /// Cancels the run: running steps are told to end, waiting ones skipped.
  public func cancel() {
    let opening = gateClock.send(.cancelled)
    let aftermath = withPlan { state in
      if let opening, opening.outcome != .cancelled {
        state.plan.apply(.gateOpened(opening.outcome), at: opening.atNanoseconds)
      }
      state.plan.apply(.cancelled, at: state.instant(clock.now))
      return settle(&state)
    }
    finish(aftermath)
  }

  /// The gate's floor and ceiling from activation, as the launch settled them; nil before activation.
  public var gateDeadline: (min: Duration, max: Duration?)? {
    state.withLock { state in
      guard state.plan.activatedAtNanoseconds != nil else { return nil }
      return (.nanoseconds(state.gateFloorNanoseconds), state.gateCeilingNanoseconds.map { .nanoseconds($0) })
    }
  }

  /// How the gate opened; returns when it has, or when it never will.
  public var gate: GateOpening {
    get async {
      await withCheckedContinuation { continuation in
        gateClock.whenOpen { [self] outcome, time in
          let activated = gateClock.activatedAtNanoseconds
          continuation.resume(
            returning: GateOpening(
              outcome: outcome, openedAt: outcome == .cancelled ? nil : .nanoseconds(time - activated)))
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
    let report = state.withLock { state -> RunReport? in
      if let report = state.report { return report }
      state.endWaiters.append(action)
      return nil
    }
    if let report { action(report) }
  }

  private func deliverAnnounced(_ name: String) {
    let aftermath = withPlan { state in
      state.plan.apply(.posted(name), at: state.instant(clock.now))
      state.plan.apply(.announcedEventDone, at: state.instant(clock.now))
      return settle(&state)
    }
    finish(aftermath)
  }

  /// Tells the plan what happened now, or at an instant that has been noted.
  func change(_ event: PlanEvent, atNanoseconds: Int? = nil) {
    let aftermath = withPlan { state in
      state.plan.apply(event, at: atNanoseconds ?? state.instant(clock.now))
      return settle(&state)
    }
    finish(aftermath)
  }

  /// Holds the lock and has the plan exact, no steps taken ahead: whoever tells the plan something or decides by what it
  /// says of steps comes this way, but for slots in the middle of a series.
  @inline(__always)
  func withPlan<Result: Sendable>(_ body: (inout RunState) throws -> Result) rethrows -> Result {
    try state.withLock { state in
      state.takeBackHandfuls()
      return try body(&state)
    }
  }

  /// Nanoseconds since the start of the run.
  public var nowNanoseconds: Int { clock.now }

  /// Calls `action` every so often until the run has ended, never while the observer is being called.
  public func repeatedly(every interval: Duration, _ action: @escaping @Sendable () -> Void) {
    wake(after: interval) { [self] in
      deliveryQueue.async { @Sendable [self] in
        guard state.withLock({ $0.report == nil }) else { return }
        action()
        repeatedly(every: interval, action)
      }
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

/// Draws for retries: the same for the same seed, step and try.
enum Jitter {
  /// A number from 0..<1 (SplitMix64, Steele, Lea and Flood 2014).
  static func draw(seed: UInt64, step: StepIndex, attempt: Int) -> Double {
    var mixed = seed &+ (UInt64(bitPattern: Int64(step)) &* 256 &+ UInt64(attempt) &+ 1) &* 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    return Double(mixed >> 11) * 0x1p-53
  }
}
