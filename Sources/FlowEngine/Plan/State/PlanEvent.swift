import FlowModel

/// What happens to a plan.
public enum PlanEvent: Sendable {
  /// The run begins; with `prewarm` only marked steps may run until activation. A run that is not prewarmed is told
  /// `activated` first.
  case started(prewarm: Bool)
  /// The launch is known: time 0 of the gate.
  case activated(Resolution)
  /// The body of a step returned or threw.
  case ended(StepIndex, attempt: Int, Ending)
  /// The body of a step that an executor runs has begun: its time counts from now on.
  case begun(StepIndex, attempt: Int)
  /// A service reported ready.
  case ready(StepIndex, attempt: Int)
  /// The `if` of a step has been evaluated; of an item, where the step runs for posts.
  case decided(StepIndex, Decision)
  /// The items of a step have been worked out.
  indirect case expanded(StepIndex, Expansion)
  /// An event was posted, by a step or from outside.
  case posted(String)
  /// One of the events that were announced from outside (`--event`) has been posted or given up.
  case announcedEventDone
  /// So many more things are due to come from outside.
  case expectsFromOutside(Int)
  /// A body that is asked to end needs this time from now.
  case needsTimeToEnd(StepIndex, attempt: Int, nanoseconds: Int)
  /// A step has handled a post of an event that it follows.
  case handledPost(StepIndex)
  /// No more events come from outside.
  case outsideSourceClosed
  /// Time has passed: whatever is due is handled.
  case timePassed
  /// The gate opened, at that instant or before.
  case gateOpened(OpenedGate)
  /// The run is being cancelled.
  case cancelled
  /// A run that only its services kept from ending ends now.
  case keptLongEnough
}

/// How the body of a step ended, as the plan takes it in.
public enum Ending: Sendable, Hashable {
  case success
  /// It need not run: what it reads and makes is as it left it.
  case upToDate
  /// It threw; `isRetryable` says whether another attempt may help, `retryAfterNanoseconds` the least pause before it.
  indirect case failure(StepFailure, isRetryable: Bool, retryAfterNanoseconds: Int = 0)
  /// It was lost with what it ran on: no attempt that counts. Where `isFinal`, another one would be lost as well.
  indirect case interrupted(StepFailure, isFinal: Bool)
  /// It ended because it was cancelled.
  case cancelled
}

/// What the `if` of a step said.
public enum Decision: Sendable, Hashable {
  case run
  case skip
  /// It could not be evaluated.
  case fail(StepFailure)
}

/// What became of the items of a step.
public enum Expansion: Sendable, Hashable {
  case items(FanOutItems)
  /// There are none to be had.
  case fail(StepFailure)
}

/// The items of a step, as the plan knows them.
public struct FanOutItems: Sendable, Hashable {
  /// What distinguishes each item from what was at its index in another process: a hash of key and value.
  public var hashes: [UInt64]
  /// What the `if` of the step said of items for which it does not hold.
  public var refused: [Int: Decision]
  /// The items that need not run: what they read and make is as when they last succeeded.
  public var upToDate: [Int] = []
  /// How much is reported of each item, if the plan reports this much of steps.
  public var detail = RunDetail.full

  /// Items with these hashes.
  public init(hashes: [UInt64], refused: [Int: Decision] = [:]) {
    self.hashes = hashes
    self.refused = refused
  }

  /// This many items that differ only in their index.
  public init(count: Int) { self.init(hashes: Array(repeating: 0, count: count)) }
}

/// What a plan asks of the world. Which step starts next is asked of the plan with ``Plan/startNext(in:at:)``.
public enum PlanEffect: Sendable, Hashable {
  /// Evaluate the step's `if` and answer with `decided`; of an item, a post that has come while the step runs, where its
  /// `if` reads it.
  case evaluate(StepIndex)
  /// Work out the items of the step and answer with `expanded`.
  case expand(StepIndex)
  /// All items of the step are over, or given up: what they gave becomes what the step gave.
  case gather(StepIndex)
  /// Tell the body of this try to end.
  case cancel(StepIndex, attempt: Int)
  /// Every blocking step is satisfied, or one never will be: the gate may open.
  case gateDecided(GateDecision)
  /// Tell anyone who follows the event that it was posted; only for events that repeat.
  indirect case posted(EventPost)
  /// The run has taken longer than its workflow allows: cancel it.
  case timedOut
  /// Nothing is left to do.
  case end(RunConclusion)
}

/// What the blocking steps say of the gate.
public enum GateDecision: UInt8, Sendable, Hashable {
  case ready, failed
  /// They said so past the maximum, whose clock has not been heard of: threads were late, or the process was stopped.
  case tooLate
}

/// How the gate opened, or that it never did.
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

/// How the gate opened, or that it never will, and when.
public struct OpenedGate: Sendable, Hashable {
  /// How.
  public var outcome: GateOutcome
  /// When, in nanoseconds from the start of the run.
  public var atNanoseconds: Int

  /// A gate that opened this way at this instant.
  public init(_ outcome: GateOutcome, atNanoseconds: Int) {
    self.outcome = outcome
    self.atNanoseconds = atNanoseconds
  }
}

/// How a run ended.
public enum RunConclusion: String, Sendable, Hashable, CaseIterable {
  case success
  /// An optional step failed, or the gate timed out.
  case partial
  case failure
  case cancelled
}
