import FlowModel

/// An event that changes a plan.
package enum PlanEvent: Sendable {
  /// The run begins. If `prewarm` is true, only steps with `prewarm` may run until activation. Without prewarming,
  /// `activated` comes before this event.
  case started(prewarm: Bool)
  /// The run is activated, which is time 0 of the gate.
  case activated(Resolution)
  /// The body of a step returned or threw an error.
  case ended(StepIndex, attempt: Int, Ending)
  /// An executor has begun the body of a remote step. Its deadline counts from now on.
  case begun(StepIndex, attempt: Int)
  /// A service reported that it is ready.
  case ready(StepIndex, attempt: Int)
  /// The `if` of a step has been evaluated, or the `if` of an item whose fan-out follows an event.
  case decided(StepIndex, Decision)
  /// The items of a step have been determined.
  indirect case expanded(StepIndex, Expansion)
  /// A step or an outside source posted an event.
  case posted(String)
  /// An event announced with `--event` has been posted, or is no longer expected.
  case announcedEventDone
  /// The number of events expected from outside the run changes by the given number, which may be negative.
  case expectsFromOutside(Int)
  /// A body that was asked to end may take `nanoseconds` from now on.
  case needsTimeToEnd(StepIndex, attempt: Int, nanoseconds: Int)
  /// A service has handled a post of an event that it follows.
  case handledPost(StepIndex)
  /// No more events will come from outside the run.
  case outsideSourceClosed
  /// Time has passed, so timers may be due.
  case timePassed
  /// The gate has opened, possibly some time ago.
  case gateOpened(OpenedGate)
  /// The run is being cancelled.
  case cancelled
  /// A run that continues only for its services has been asked to end.
  case keptLongEnough
}

/// The result of a step's body.
package enum Ending: Sendable, Hashable {
  case success
  /// The step did not run, because its inputs and products have not changed since its last run.
  case upToDate
  /// The body failed. `isRetryable` is true if another attempt may succeed; `retryAfterNanoseconds` is the minimum
  /// pause before that attempt.
  indirect case failure(StepFailure, isRetryable: Bool, retryAfterNanoseconds: Int = 0)
  /// The body was lost with its worker, so the attempt does not count. If `isFinal`, the step fails instead of running
  /// again.
  indirect case interrupted(StepFailure, isFinal: Bool)
  /// The body ended because it was asked to.
  case cancelled
}

/// The result of a step's `if`.
package enum Decision: Sendable, Hashable {
  case run
  case skip
  /// The expression could not be evaluated.
  case fail(StepFailure)
}

/// The result of determining the items of a fan-out.
package enum Expansion: Sendable, Hashable {
  case items(FanOutItems)
  /// The items could not be determined.
  case fail(StepFailure)
}

/// The items of a fan-out, determined by the driver.
package struct FanOutItems: Sendable, Hashable {
  /// A hash of each item's key and value. A resumed run uses it to detect that the item at an index has changed.
  package var hashes: [UInt64]
  /// The items that do not run because the step's `if` is false or failed for them, with that result, by index.
  package var refused: [Int: Decision]
  /// The indices of items that need not run because their inputs and products have not changed since they last
  /// succeeded.
  package var upToDate: [Int] = []
  /// The level of detail at which the items' events are recorded. A plan that records less overrides it.
  package var detail = RunDetail.full

  package init(hashes: [UInt64], refused: [Int: Decision] = [:]) {
    self.hashes = hashes
    self.refused = refused
  }

  /// Creates `count` items that differ only in their index.
  package init(count: Int) { self.init(hashes: Array(repeating: 0, count: count)) }
}

/// An action that a plan requests from its driver. Starting steps is not one of them: for that, a driver calls
/// ``Plan/startNext(in:at:)``.
package enum PlanEffect: Sendable, Hashable {
  /// Evaluate the `if` of a step, or of an item that a post has added, and report the result with
  /// ``PlanEvent/decided(_:_:)``.
  case evaluate(StepIndex)
  /// Determine the items of a fan-out and report them with ``PlanEvent/expanded(_:_:)``.
  case expand(StepIndex)
  /// All items have finished, although bodies that were asked to end may still run. Combine the outputs of the items
  /// into those of the step.
  case gather(StepIndex)
  /// Ask the body of this attempt to end.
  case cancel(StepIndex, attempt: Int)
  /// All blocking steps are satisfied, or one never will be. Send the decision to the gate.
  case gateDecided(GateDecision)
  /// Notify all followers of a repeating event of its next post.
  indirect case posted(EventPost)
  /// The run has exceeded its workflow's timeout: cancel it.
  case timedOut
  /// The run has ended.
  case end(RunConclusion)
}

/// The plan's decision about the gate.
package enum GateDecision: UInt8, Sendable, Hashable {
  case ready, failed
  /// The decision came after the maximum, but the timer for the maximum has not fired yet, because threads were late or
  /// the process was suspended.
  case tooLate
}

/// The outcomes of the gate. It opens with each of them except `cancelled`.
public enum GateOutcome: UInt8, Sendable, Hashable, CaseIterable {
  case ready, failed, timedOut, cancelled

  /// The name of the outcome in reports and expressions, such as `timed-out`.
  public var word: String {
    switch self {
    case .ready: "ready"
    case .failed: "failed"
    case .timedOut: "timed-out"
    case .cancelled: "cancelled"
    }
  }
}

/// The outcome of the gate and the time of its opening.
package struct OpenedGate: Sendable, Hashable {
  /// The outcome of the gate, which is `cancelled` if the gate did not open.
  package var outcome: GateOutcome
  /// The time in nanoseconds from the start of the run.
  package var atNanoseconds: Int

  package init(_ outcome: GateOutcome, atNanoseconds: Int) {
    self.outcome = outcome
    self.atNanoseconds = atNanoseconds
  }
}

/// The results that a whole run can have.
public enum RunConclusion: String, Sendable, Hashable, CaseIterable {
  case success
  /// An optional step or item failed, the gate timed out, or a resumed run left out unfinished steps.
  case partial
  case failure
  case cancelled
}
