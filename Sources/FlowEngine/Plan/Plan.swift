import FlowModel

/// A run as a value: events in, effects out; no queue, no clock, no lock.
///
/// A driver tells it what happened and when (``apply(_:at:)``), does what it asks (``takeEffects()``), and starts the
/// steps it offers (``startNext(in:at:)``) until it offers none. Times are nanoseconds from the start of the run and
/// must not go back. The Dispatch driver and the virtual clock run this same value, so whatever a test on the virtual
/// clock shows holds in production.
///
/// Invariants: a step is settled (`status == .done`) exactly once; `open` of a step is the number of its needs that are
/// not settled, plus the events it waits for, plus one while it waits for the gate; each queue's `taken` never exceeds
/// its width.
public struct Plan: Sendable {
  // What every step touches comes first and together.
  /// How often something happened that a series of ordinary steps must not go on after.
  var revision = 0
  var unsettledCount: Int
  /// Blocking steps that are not settled.
  var blockingCount = 0
  var queuedCount = 0
  /// Steps queued or running that are not idle ones.
  var busyCount = 0
  var runningCount = 0
  /// Places taken in all queues together.
  var takenCount = 0

  /// The workflow.
  public let graph: WorkflowGraph
  let facts: [StepIndex: StepFacts]
  /// Draws from 0..<1 for the pause before a retry, by step and try.
  let jitter: @Sendable (StepIndex, Int) -> Double

  var tables: StepTables
  /// Whether the workflow has no queues of its own, so that each lane has one queue, with the lane's index.
  var hasOnlyBuiltInQueues = true
  /// How many steps may run at once.
  let concurrency: Int
  var timers = TimerHeap()
  var effects: [PlanEffect] = []
  /// How much is noted for the event stream.
  public var detail: RunDetail

  // Events
  var eventIndices = NameIndices()
  var eventNames: [String] = []
  /// When each event was first posted; `never` before.
  var eventTimes: [Int] = []
  var eventWaiters: [[StepIndex]] = []
  /// Steps with an `after`, for the quiet check.
  var eventSteps: [StepIndex] = []

  // Gate
  var gateHasCeiling: Bool
  var gateOutcome: GateOutcome?
  var gateOpenedAt = never
  var gateReadyAt = never
  var gateIsDecided = false
  /// What the gate is told once every `if` that the same event made due has been answered.
  var untoldGateDecision: GateDecision?
  var gateFailed: [StepIndex] = []
  /// Whether a blocking step ended unsatisfied, before the gate opened or after.
  var isAnyBlockingUnsatisfied = false

  // Phases
  var hasStarted = false
  var isPrewarming = false
  var activatedAt = never
  var cancelledAt = never
  var isClosing = false
  /// When the run ended; nil while it goes on.
  public internal(set) var endedAt: Int?
  /// How the run ended; nil while it goes on.
  public internal(set) var conclusion: RunConclusion?

  // What is outstanding
  var announcedEvents: Int
  var outsideSourceIsOpen: Bool
  var retryingCount = 0
  var holdingCount = 0
  var decidingCount = 0
  var heldForActivation: [StepIndex] = []
  /// Steps that may not run before activation and have a need that ended unsatisfied, once for each such need.
  var failedBeforeActivation: [StepIndex] = []
  var heldForIdle: [StepIndex] = []
  var deferredSteps: [StepIndex] = []
  var lingering: [Attempt: Int] = [:]
  var servingSteps: Set<StepIndex> = []
  var unsettledSkips: [(step: StepIndex, outcome: Outcome, reason: SkipReason?)] = []

  // What few steps have
  var failures: [StepIndex: StepFailure] = [:]
  var overruns: [StepIndex: Int] = [:]
  /// When a step was told to end because its time was over.
  var ceilingTimes: [StepIndex: Int] = [:]
  /// When the current try of a step with a ceiling a try started.
  var attemptStarts: [StepIndex: Int] = [:]
  /// Steps that wait on the main queue for one that ignored its deadline.
  var mainHolder: StepIndex?
  var mainHoldIsLimited = false

  /// One try of one step.
  struct Attempt: Hashable, Sendable {
    var step: StepIndex
    var attempt: UInt8
  }

  /// A plan for one run of `graph`.
  ///
  /// - Parameters:
  ///   - facts: what is special about steps; those not named are plain.
  ///   - resolution: what is known at the start; ``PlanEvent/activated(_:)`` brings the rest.
  ///   - announcedEvents: how many events were announced from outside (`--event`).
  ///   - outsideSourceIsOpen: whether more events may come from outside.
  ///   - detail: how much is noted for the event stream.
  ///   - jitter: draws from 0..<1 for the pause before a retry.
  public init(
    graph: WorkflowGraph, facts: [StepIndex: StepFacts] = [:], resolution: Resolution? = nil,
    announcedEvents: Int = 0, outsideSourceIsOpen: Bool = false, detail: RunDetail = .full,
    jitter: @escaping @Sendable (StepIndex, Int) -> Double = { _, _ in 0.5 }
  ) {
    let count = graph.workflow.steps.count
    self.graph = graph
    self.facts = facts
    self.jitter = jitter
    self.detail = detail
    concurrency = graph.workflow.concurrency ?? .max
    self.announcedEvents = announcedEvents
    self.outsideSourceIsOpen = outsideSourceIsOpen
    let resolution = resolution ?? Resolution(literalsOf: graph)
    gateHasCeiling = resolution.gateHasCeiling
    unsettledCount = count
    tables = StepTables(count: count)
    arrange(resolution)
    linkEvents()
  }

  /// What changes about each step; to be written only after `tables.makeUnique()`.
  var states: UnsafeMutableBufferPointer<StepState> { tables.states }
  /// What is fixed about each step; to be written only after `tables.makeUnique()`.
  var traits: UnsafeMutableBufferPointer<StepTraits> { tables.traits }
  /// The queues; to be written only after `tables.makeUnique()`.
  var queues: UnsafeMutableBufferPointer<PlanQueue> { tables.queues }

  /// Hands over what the plan asked for since the last call.
  public mutating func takeEffects() -> [PlanEffect] {
    guard !effects.isEmpty else {
      guard let decision = untoldGateDecision, decidingCount == 0 else { return [] }
      untoldGateDecision = nil
      return gateOutcome == nil ? [.gateDecided(decision)] : []
    }
    defer { effects.removeAll(keepingCapacity: true) }
    return effects
  }

  /// Whether the plan asked for anything since effects were last taken.
  public var hasEffects: Bool { !effects.isEmpty || (untoldGateDecision != nil && decidingCount == 0) }

  /// When something is due next, or nil.
  public var nextTimerNanoseconds: Int? { timers.next?.atNanoseconds }

  /// How many steps have ended, whatever way.
  public var settledCount: Int { states.count - unsettledCount }

  /// Notes a transition for the event stream, as far as somebody wants to hear of it.
  mutating func note(_ kind: PlanRecord.Kind, _ step: StepIndex, at now: Int, _ detailOfRecord: Int32 = 0) {
    switch detail {
    case .full: break
    case .none: return
    case .brief: if kind == .ready || kind == .succeeded { return }
    }
    tables.log.pointee.append(PlanRecord(kind: kind, step: step, atNanoseconds: now, detail: detailOfRecord))
  }

  /// Notes that a step started, where somebody wants to hear of each.
  mutating func noteStart(of step: StepIndex, at now: Int) {
    guard detail == .full else { return }
    tables.log.pointee.append(
      PlanRecord(
        kind: .started, step: step, atNanoseconds: now, detail: Int32(states[Int(step)].attempt),
        queue: traits[Int(step)].queue))
  }

  /// Notes that a step succeeded, where somebody wants to hear of each.
  mutating func noteSuccess(of step: StepIndex, at now: Int) {
    note(.succeeded, step, at: now, Int32(states[Int(step)].attempt))
  }

  /// Hands over the transitions noted since the last call.
  mutating func takeRecords() -> [RecordChunk] {
    if tables.makeUnique() { endSeries() }
    return tables.log.pointee.take()
  }

  /// Takes chunks back that have been read, to use their memory again.
  mutating func reuse(_ chunks: [RecordChunk]) {
    if tables.makeUnique() { endSeries() }
    tables.log.pointee.reuse(chunks)
  }

  /// The names of the queues, by their indices; they stay the same.
  var queueNames: [String] { queues.map(\.name) }
}
