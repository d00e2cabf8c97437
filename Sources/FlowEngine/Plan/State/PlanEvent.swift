import FlowModel

/// An event that changes a plan.
public enum PlanEvent: Sendable {
  /// The run begins. With `prewarm`, only steps marked so may run until activation. A run without prewarming receives
  /// `activated` first.
  case started(prewarm: Bool)
  /// The run is activated: time 0 of the gate.
  case activated(Resolution)
  /// The body of a step returned or threw.
  case ended(StepIndex, attempt: Int, Ending)
  /// The body of a remote step has begun. Its time counts from now on.
  case begun(StepIndex, attempt: Int)
  /// A service reported that it is ready.
  case ready(StepIndex, attempt: Int)
  /// The `if` of a step has been evaluated, or of an item if the step runs for posts.
  case decided(StepIndex, Decision)
  /// The items of a step have been determined.
  indirect case expanded(StepIndex, Expansion)
  /// An event was posted, by a step or from outside.
  case posted(String)
  /// One of the events announced from outside (`--event`) has been posted or abandoned.
  case announcedEventDone
  /// This number of additional events is expected from outside.
  case expectsFromOutside(Int)
  /// A body that was asked to end needs this much time from now on.
  case needsTimeToEnd(StepIndex, attempt: Int, nanoseconds: Int)
  /// A step has handled a post of an event that it follows.
  case handledPost(StepIndex)
  /// No more events come from outside.
  case outsideSourceClosed
  /// Time has passed; handle everything that is due.
  case timePassed
  /// The gate opened, at that instant or earlier.
  case gateOpened(OpenedGate)
  /// The run is being cancelled.
  case cancelled
  /// A run that continues only because of its services is asked to end.
  case keptLongEnough
}

/// The result of a step's body, as reported to the plan.
public enum Ending: Sendable, Hashable {
  case success
  /// The step need not run: its inputs and products have not changed since its last run.
  case upToDate
  /// The body threw. `isRetryable` is true if another attempt may succeed; `retryAfterNanoseconds` is the shortest
  /// pause before it.
  indirect case failure(StepFailure, isRetryable: Bool, retryAfterNanoseconds: Int = 0)
  /// The body was lost together with its worker, so the attempt does not count. If `isFinal`, another attempt would be
  /// lost as well.
  indirect case interrupted(StepFailure, isFinal: Bool)
  /// The body ended because it was cancelled.
  case cancelled
}

/// The result of a step's `if`.
public enum Decision: Sendable, Hashable {
  case run
  case skip
  /// The expression could not be evaluated.
  case fail(StepFailure)
}

/// The result of determining a step's items.
public enum Expansion: Sendable, Hashable {
  case items(FanOutItems)
  /// The items could not be determined.
  case fail(StepFailure)
}

/// The items of a step, as the plan knows them.
public struct FanOutItems: Sendable, Hashable {
  /// A hash of each item's key and value, to detect a different item at the same index in another process.
  public var hashes: [UInt64]
  /// The decisions about items that do not run because of the step's `if`.
  public var refused: [Int: Decision]
  /// The indices of items that need not run, because their inputs and products have not changed since they last
  /// succeeded.
  public var upToDate: [Int] = []
  /// The level of detail reported for each item, unless the plan reports less.
  public var detail = RunDetail.full

  /// Creates items with these hashes.
  public init(hashes: [UInt64], refused: [Int: Decision] = [:]) {
    self.hashes = hashes
    self.refused = refused
  }

  /// Creates this number of items, which differ only in their index.
  public init(count: Int) { self.init(hashes: Array(repeating: 0, count: count)) }
}

/// A request of a plan to its driver. The next step to start is requested with ``Plan/startNext(in:at:)`` instead.
public enum PlanEffect: Sendable, Hashable {
  /// Evaluate the step's `if` and report the result with `decided`. For an item, the `if` may depend on a post that
  /// arrived while the step was running.
  case evaluate(StepIndex)
  /// Determine the items of the step and report them with `expanded`.
  case expand(StepIndex)
  /// All items of the step have finished or were abandoned: combine their outputs into the step's outputs.
  case gather(StepIndex)
  /// Ask the body of this attempt to end.
  case cancel(StepIndex, attempt: Int)
  /// Every blocking step is satisfied, or one never will be: the gate may open.
  case gateDecided(GateDecision)
  /// Notify all followers of the event of a post. Only for events that repeat.
  indirect case posted(EventPost)
  /// The run has exceeded its workflow's timeout: cancel it.
  case timedOut
  /// The run has ended.
  case end(RunConclusion)
}

/// The verdict of the blocking steps on the gate.
public enum GateDecision: UInt8, Sendable, Hashable {
  case ready, failed
  /// Decided after the maximum whose timer has not fired yet, because threads were late or the process was suspended.
  case tooLate
}

/// The way the gate opened, or ended without opening.
public enum GateOutcome: UInt8, Sendable, Hashable, CaseIterable {
  case ready, failed, timedOut, cancelled

  /// The word in reports and expressions.
  public var word: String {
    switch self {
    case .ready: "ready"
    case .failed: "failed"
    case .timedOut: "timed-out"
    case .cancelled: "cancelled"
    }
  }
}

/// The outcome of the gate and its instant.
public struct OpenedGate: Sendable, Hashable {
  /// The outcome.
  public var outcome: GateOutcome
  /// The instant, in nanoseconds from the start of the run.
  public var atNanoseconds: Int

  /// Creates an outcome at an instant.
  public init(_ outcome: GateOutcome, atNanoseconds: Int) {
    self.outcome = outcome
    self.atNanoseconds = atNanoseconds
  }
}

/// The conclusion of a run.
public enum RunConclusion: String, Sendable, Hashable, CaseIterable {
  case success
  /// An optional step failed, or the gate timed out.
  case partial
  case failure
  case cancelled
}
