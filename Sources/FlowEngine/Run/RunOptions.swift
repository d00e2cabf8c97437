import FlowModel

/// The options of a run.
public struct RunOptions: Sendable {
  /// The values of the workflow's inputs. Missing ones have their defaults.
  public var inputs: ValueObject = [:]
  /// The variables of the workflow's `env-file`; those of `env` override them.
  public var fileEnvironment: ValueObject = [:]
  /// The variables of included workflows' `env-file`, by the number of the scope.
  public var scopeEnvironments: [Int: ValueObject] = [:]
  /// The variables that commands of the run inherit from this process, for `env.NAME` in expressions.
  public var inheritedVariable: @Sendable (String) -> String? = RunOptions.variableOfProcess
  /// The workflow's secrets by name. Null for an optional one that was not found.
  public var secrets: ValueObject = [:]
  /// The reason for the launch. `isFirst` is set from the data folder.
  public var launch = Launch()
  /// The absolute path of the run's data folder. It is created if it is missing.
  public var dataFolder: String
  /// The absolute path of the workflow file's folder.
  public var workflowFolder: String
  /// True if all steps except those marked `prewarm` wait for ``WorkflowRun/activate(launch:)``.
  public var isPrewarmed = false
  /// The events posted from outside (`--event`), each with its delay from the start of the run.
  public var announcedEvents: [(name: String, delay: Duration)] = []
  /// The values of those events, by their index in ``announcedEvents``.
  public var announcedValues: [Int: Value] = [:]
  /// True if services that post events from outside end once the run is otherwise idle and nothing more is expected.
  /// For runs on the command line.
  public var endsOutsideServices = false
  /// True if ``WorkflowRun/post(_:)-(String)`` may post events until ``WorkflowRun/finishPosting()``. The run does not
  /// end before that.
  public var acceptsEvents = false
  /// The observer that receives every event of the run, in order, or nil.
  public var observer: (any RunObserver)?
  /// True if the observer receives the output lines of commands and programs, except for quiet steps.
  public var showsOutput = true
  /// True if the observer also receives unfinished output lines each time they change, as a live view needs them.
  public var showsUnfinishedLines = false
  /// True if commands are asked for colors (`FORCE_COLOR=1`) because the observer shows them.
  public var forcesColor = false
  /// The clock of a test, or nil for the system's.
  public var clock: VirtualClock?
  /// The history that records the run, or nil.
  public var history: RunHistory?
  /// The ids of steps that run even if they are up to date. `*` means all.
  public var forcedSteps: Set<String> = []
  /// True if a successful step removes the files of items that are no longer in its list.
  public var removesLeftovers = false
  /// The steps to run, with their dependencies, or nil for all steps.
  public var selection: StepSelection?
  /// The maximum time until files that a step produced on another machine must appear here.
  public var fileWait = Duration.seconds(10)
  /// The seed for retry jitter. The same seed results in the same pauses.
  public var jitterSeed: UInt64 = 0
  /// The pause of a resumed run before its first step begins. Steps that another process started remotely may still run
  /// for this long.
  public var takeoverPause = Duration.zero
  /// The placement of steps on executors, or nil if all run here.
  public var placement: ExecutorPlacement?
  /// The capacity for steps with `resources`, or nil for that of this machine.
  public var capacity: MachineResources?
  /// Returns the W3C trace context of an attempt, which commands and plugins receive as `TRACEPARENT`. The path names a
  /// step, an item or a step of an item's workflow, such as `convert[3]/read`. If nil, they receive the one of this
  /// process.
  public var traceparent: (@Sendable (_ path: String, _ attempt: Int) -> String)?
  /// Steps that take less time do not wake a second thread, because waking it takes longer than running them.
  package var shortStepNanoseconds = 400
  /// The estimated duration of the steps that a thread takes at once. No ready step waits longer for a thread that runs
  /// short steps.
  package var batchNanoseconds = 32_000
  /// The time that a body has to end before it is abandoned. Commands have more.
  package var graceNanoseconds = Plan.usualGraceNanoseconds
  /// The part of the grace in which calls of `flow.on` may continue. The rest is for the step itself.
  package var lastCallsNanoseconds = 800_000_000

  /// True if nothing runs and only the steps that would run are shown.
  package var isTrial = false
  /// The item of another run's step that this run belongs to, or nil if it is independent.
  package var outer: OuterRun?

  /// The source of the pools' threads.
  package var threads = PoolThreads.shared

  /// Creates options with these folders and default values.
  public init(dataFolder: String, workflowFolder: String) {
    self.dataFolder = dataFolder
    self.workflowFolder = workflowFolder
  }
}

/// Receives the events of a run.
public protocol RunObserver: Sendable {
  /// The detail of the events it receives. Everything by default.
  var detail: RunDetail { get }

  /// The detail of the events for each item of a step with this number of items. By default the same as for steps.
  func detail(ofItems count: Int) -> RunDetail

  /// Receives the next events. Calls are made one after another, in the order of the run.
  func receive(_ events: [RunEvent])
}

extension RunObserver {
  /// All events.
  public var detail: RunDetail { .full }

  /// The same detail as for steps.
  public func detail(ofItems count: Int) -> RunDetail { detail }
}
