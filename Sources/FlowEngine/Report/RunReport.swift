import FlowModel
import FlowSecrets
import FlowStore

/// The report of a run. Times are milliseconds from activation: negative if before it, and nil for events that did not
/// happen.
public struct RunReport: Sendable {
  /// The name of the workflow that ran.
  public var workflow: String
  /// The id that identifies the run in run stores and logs.
  public var runID: String
  /// The result of the whole run.
  public var conclusion: RunConclusion
  /// The reason why the run failed, if not because of a step: ``timedOut`` if it exceeded its `timeout`, otherwise nil.
  public var reason: String?
  /// The outcome and times of the launch gate.
  public var gate: Gate
  /// The reason for the launch, or nil if the run ended before activation.
  package var launchReason: LaunchReason?
  /// The time from the start of prewarming to activation.
  package var prewarmMilliseconds: Double
  /// The launch, and each return of the app to the foreground (C18), in order.
  package var entries: [AppEntry]
  /// The total time that steps spent on the main thread.
  package var mainQueueMilliseconds: Double
  /// The steps that determined when the gate was ready or, if no step is blocking, when the run ended, in order.
  package var criticalPath: [PathStep]
  /// The values of the workflow's `outputs`.
  public var outputs: ValueObject
  /// Problems that are not failures, such as a handle that did not close in time.
  public var warnings: [String]
  /// The time from activation to the end of the run.
  public var durationMilliseconds: Double
  /// The keys of items, by step. Only the items of an object have keys.
  var itemKeys: [StepIndex: [String]] = [:]
  /// The names of items as shown to users, by step.
  var itemNames: [StepIndex: [String]] = [:]
  /// The results of the steps of the items' workflows, by the item's instance.
  var itemRuns: [StepIndex: ItemRunSteps] = [:]
  /// The mask that hides the secrets of the run, or nil if it has none.
  package internal(set) var mask: SecretMask?
  /// The failure of an expression in the workflow's `outputs`, which makes the run fail. Nil if all of them could be
  /// evaluated.
  var outputsFailure: StepFailure?
  /// The failures of the run itself rather than of a step: it exceeded its `timeout`, an output was cut, or a durable
  /// run could not be recorded.
  package internal(set) var ownFailures: [StepFailure] = []
  /// The latest version of the report's JSON format. Version 2 added the dependencies and attempts of steps, and the
  /// steps that posted events.
  package static let newestSchema = 2
  /// The value of ``reason`` for a run that exceeded its `timeout`.
  public static let timedOut = "timed-out"
  /// The version of the JSON format that this report was read from, or will be written in.
  package internal(set) var schema = Self.newestSchema
  /// The events that were posted.
  package var events: [Event] = []
  /// The values of `queues`, `concurrency` and `durable`, in the report's JSON format.
  package internal(set) var limits: ValueObject = [:]
  /// The ids of the selected steps, or an empty array if the run had no selection.
  package var selected: [String] = []
  /// Information from the command that started the run.
  package var origin = Origin()
  /// The state of the run in its run store, or nil if the report was made by the process that ran it.
  package var record: Record?
  /// The data from which steps are created on demand.
  var source: Source

  enum Source: Sendable {
    /// The plan of a run in this process, or one restored from a journal.
    case plan(Plan)
    /// The steps of a report that was read from a file.
    case steps([Step])
  }

  /// Information about a run that only the command that started it has.
  package struct Origin: Sendable {
    /// The workflow file, or nil if it is not known.
    package var file: String?
    /// The start of the run in ISO 8601 format, or nil if it is not known.
    package var startedAt: String?
    /// The inputs of the run, without secret ones.
    package var inputs: ValueObject = [:]
    /// The last output lines of failed steps, by step. Steps whose failure message already quotes them are omitted.
    package var lastLines: [StepID: [String]] = [:]
    /// The accounting records of a cluster for the jobs that ran attempts, each as an object.
    package var jobs: [Value] = []
    /// The reason why accounting records are missing, or nil if they are complete.
    package var accountingProblem: String?

    /// Creates an empty origin.
    package init() {}
  }

  /// The part of a report that comes from a run store.
  package struct Record: Sendable {
    /// The state of the run in the run store.
    package var state: StoredRun.State
    /// The processes that ran the run, each as an object.
    package var epochs: [Value]
    /// The steps that were not repeated when the run was resumed.
    package var kept: Set<StepID>

    /// True if the run has ended.
    package var hasConclusion: Bool { state != .running && state != .interrupted }

    package init(state: StoredRun.State, epochs: [Value], kept: Set<StepID>) {
      (self.state, self.epochs, self.kept) = (state, epochs, kept)
    }
  }

  /// The outcome and times of the launch gate.
  public struct Gate: Sendable {
    /// The outcome of the gate, which is `cancelled` if the gate did not open.
    public var outcome: GateOutcome
    /// The time at which the gate opened, or nil if it did not.
    public var openedAt: Double?
    /// The time at which the last blocking step was satisfied, or nil if one was not or the run was not activated.
    package var readyAt: Double?
    /// The time for which the minimum kept the gate closed after all blocking steps had been satisfied.
    package var heldByMinMilliseconds: Double
    /// The blocking steps that had not finished when the gate reached its maximum.
    public var late: [StepID]
    /// The blocking steps that ended unsatisfied before the gate opened.
    public var failed: [StepID]
    package var min: Double
    /// The maximum of the gate, or nil if it has none.
    package var max: Double?
  }

  /// A launch of the app, or a return to the foreground.
  package struct AppEntry: Sendable, Hashable {
    /// The kinds of entries into the app.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
      /// The launch itself.
      case cold
      /// A return to the foreground for which steps had waited.
      case warm
      /// A return to the foreground for which no step had waited.
      case hot
    }

    package var kind: Kind
    /// The event: `activate`, or `app.will-enter-foreground`.
    package var event: String
    /// The number of the event's post, counted from 1.
    package var number: Int
    /// The time of the event.
    package var at: Double
    /// The time at which the gate opened. For a return to the foreground, the end of the last successful step that
    /// waited for the event and has a minimum (`deadline: { min: … }`). Nil if there is none.
    package var openedAt: Double?
  }

  /// A step on the critical path, with the start of its first attempt and its end.
  package struct PathStep: Sendable, Hashable {
    package var step: StepID
    package var start: Double
    package var end: Double
  }

  /// The result of a step.
  public struct Step: Sendable {
    /// The id of the step, such as `compile`, or `build/compile` in an included workflow.
    public var id: StepID
    /// The outcome of the step itself, even if the step is optional.
    public var outcome: Outcome
    /// The outcome, except that the failure or timeout of an optional step counts as a success.
    public var conclusion: Outcome
    /// The reason why the step was skipped, or nil if it was not.
    package var reason: SkipReason?
    /// The number of attempts that have started.
    public var attempts: Int
    /// The name of the queue in which the step ran.
    package var queue: String
    /// The time at which the step needed only a slot to start, or nil if it was never ready.
    package var readyAt: Double?
    /// The time at which its first attempt started, or nil if none did.
    public var startedAt: Double?
    /// The time at which the step finished, or nil if it did not.
    public var endedAt: Double?
    /// The time from ``readyAt`` to ``startedAt``, or nil if the step did not start.
    package var waitedMilliseconds: Double?
    /// The time from the step's maximum to the end of its body, or nil if the body ended in time.
    package var overrunMilliseconds: Double?
    /// True if the step's body was abandoned, because it did not end when asked to.
    package var isAbandoned: Bool
    /// True if the step starts only after the gate has opened.
    package var isDeferred: Bool
    /// True if the gate waits for the step.
    package var isBlocking: Bool
    /// The failure of the last attempt, or nil if the step did not fail.
    public var failure: StepFailure?
    /// The items, or nil if the step is not a fan-out.
    package var items: [Item]?
    /// The steps that this step depends on directly.
    package var needs: [StepID]
    /// The events that the step waits for before it starts.
    package var after: [String]
    /// The start and end of each attempt, if there was more than one or the minimum delayed the end of the step.
    package var attemptTimes: [Attempt]
    /// The time at which a worker began to run the step, or nil if it ran in this process.
    package var executor: Beginning?
    /// The resources that the step requested, or nil if it declares none.
    package var request: MachineResources?
    /// The `name` of the step in the workflow file, or nil if it has none.
    public var name: String?
  }

  /// The time at which a worker first began to run a remote step.
  package struct Beginning: Sendable, Hashable {
    /// The time, or nil if no worker has begun to run the step.
    package var at: Double?
  }

  /// An attempt of a step or item.
  package struct Attempt: Sendable, Hashable {
    /// The start, or nil if it is not known.
    package var startedAt: Double?
    /// The time at which a worker began to run the attempt, or nil if none did.
    package var begunAt: Double?
    /// The end, or nil if it is not known.
    package var endedAt: Double?
  }

  /// An event that was posted during the run.
  package struct Event: Sendable, Hashable {
    package var name: String
    /// The time of the event's first post.
    package var at: Double
    /// The step that posted the event first, or nil if it came from outside the run or the step is not known.
    package var postedBy: StepID?
  }

  /// The result of an item of a fan-out.
  package struct Item: Sendable {
    /// The index of the item, counted from 0.
    package var index: Int
    /// The key of the item, or nil if the items come from a list.
    package var key: String?
    /// The name of the item as shown to users, at most 80 characters, or nil if it is not known.
    package var name: String?
    package var outcome: Outcome
    /// The outcome, except that the failure or timeout of an item of an optional step counts as a success.
    package var conclusion: Outcome
    /// The reason why the item was skipped, or nil if it was not.
    package var reason: SkipReason?
    /// The number of attempts that have started.
    package var attempts: Int
    /// The time at which the item's first attempt started, or nil if none did.
    package var startedAt: Double?
    /// The time at which the item finished, or nil if it did not.
    package var endedAt: Double?
    /// True if the item's body was abandoned, because it did not end when asked to.
    package var isAbandoned: Bool
    /// The failure of the item, or nil if the item did not fail.
    package var failure: StepFailure?
    /// The start and end of each attempt, if there was more than one or the minimum delayed the end of the item.
    package var attemptTimes: [Attempt]
    /// The time at which a worker began to run the item, or nil if it ran in this process.
    package var executor: Beginning?
    /// The steps of the item's workflow, or nil if it has none or the report would have too many.
    package var steps: [Step]?
  }
}
