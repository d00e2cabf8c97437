import FlowModel

/// What a run is given besides the workflow.
public struct RunOptions: Sendable {
  /// Values for the workflow's inputs; those not given have their defaults.
  public var inputs: ValueObject = [:]
  /// Variables below those of the workflow's `env`: what its `env-file` holds.
  public var fileEnvironment: ValueObject = [:]
  /// The same for the workflows that it includes, by their scopes' numbers.
  public var scopeEnvironments: [Int: ValueObject] = [:]
  /// The variables that commands of the run inherit from this process, for `env.NAME` in expressions.
  public var inheritedVariable: @Sendable (String) -> String? = RunOptions.variableOfProcess
  /// The workflow's secrets by name; null for one that is not required and was not found.
  public var secrets: ValueObject = [:]
  /// Why the application was launched. `isFirst` is set from the data folder.
  public var launch = Launch()
  /// The absolute path of the run's data folder; made when missing.
  public var dataFolder: String
  /// The absolute path of the folder in which the workflow file is.
  public var workflowFolder: String
  /// Whether the run waits for ``WorkflowRun/activate(launch:)`` with all but steps marked `prewarm`.
  public var isPrewarmed = false
  /// Events posted from outside, each so long after the start of the run (`--event`).
  public var announcedEvents: [(name: String, delay: Duration)] = []
  /// The values of those events that have one, by their place in ``announcedEvents``.
  public var announcedValues: [Int: Value] = [:]
  /// Whether services whose events come from outside end once the run is otherwise idle and nothing is due to come; for runs
  /// of the command line, where nothing can come.
  public var endsOutsideServices = false
  /// Whether events may come through ``WorkflowRun/post(_:)-(String)`` until ``WorkflowRun/finishPosting()``; the run does not
  /// end before that.
  public var acceptsEvents = false
  /// Receives every event of the run, in order; nil: no observer.
  public var observer: (any RunObserver)?
  /// Whether the observer hears of the lines that commands and programs write, but for those of quiet steps.
  public var showsOutput = true
  /// Whether the observer also hears of the lines that commands have begun to write, each time that they change: for one
  /// that shows them in place, as a live view does.
  public var showsUnfinishedLines = false
  /// Whether commands are asked for colors (`FORCE_COLOR=1`), because the observer shows them.
  public var forcesColor = false
  /// Time that a test controls; nil: the system's.
  public var clock: VirtualClock?
  /// Where the run is recorded; nil: nowhere.
  public var history: RunHistory?
  /// Steps that run though they are up to date, by id; `*` stands for all.
  public var forcedSteps: Set<String> = []
  /// Whether files of items that are not in the list of their step any more are removed after a success.
  public var removesLeftovers = false
  /// The steps to run, with all that they need; nil: all steps.
  public var selection: StepSelection?
  /// The time in which files that a step on another machine produced must appear here after its end.
  public var fileWait = Duration.seconds(10)
  /// Where the draws for retries with jitter come from; the same seed gives the same pauses.
  public var jitterSeed: UInt64 = 0
  /// How long a run that continues waits before anything of it begins: what another process started remotely may run for
  /// so long.
  public var takeoverPause = Duration.zero
  /// Which steps run elsewhere; nil: none.
  public var placement: ExecutorPlacement?
  /// What steps with `handles` may take at once; nil: what this machine has.
  public var capacity: MachineResources?
  /// Gives the W3C trace context that an attempt of a step passes on to commands and plugins as `TRACEPARENT`: of a step, an
  /// item or a step of an item's workflow by its path, such as `convert[3]/read`, and the number of the attempt. Nil: they
  /// get what this process was given.
  public var traceparent: (@Sendable (_ path: String, _ attempt: Int) -> String)?
  /// Steps whose bodies take less are not worth a second thread: waking it costs more than running them.
  package var shortStepNanoseconds = 400
  /// How long the steps may take, by a thread's pace, that it takes in one go: no ready step waits longer for a thread
  /// that is at work on short ones.
  package var batchNanoseconds = 32_000
  /// How long a body that was asked to end may run before it is abandoned; a command has longer.
  package var graceNanoseconds = Plan.usualGraceNanoseconds
  /// How long the calls of `flow.on` continue in that time; the rest of it is for the step itself.
  package var lastCallsNanoseconds = 800_000_000

  /// Whether nothing of it runs: it only shows which steps would.
  package var isTrial = false
  /// Which item of another run's step it is a run for; nil: it is a run by itself.
  package var outer: OuterRun?

  /// Where pools find threads.
  package var threads = PoolThreads.shared

  /// Options with these folders, everything else at its default.
  public init(dataFolder: String, workflowFolder: String) {
    self.dataFolder = dataFolder
    self.workflowFolder = workflowFolder
  }
}

/// Hears the events of a run.
public protocol RunObserver: Sendable {
  /// How much it wants to hear; everything, unless it says otherwise.
  var detail: RunDetail { get }

  /// How much it wants to hear of each item of a step that runs for this many; as much as of steps, unless it says otherwise.
  func detail(ofItems count: Int) -> RunDetail

  /// Takes in the next events. Calls come one after the other, in the order of the run.
  func receive(_ events: [RunEvent])
}

extension RunObserver {
  /// Everything.
  public var detail: RunDetail { .full }

  /// As much as of steps.
  public func detail(ofItems count: Int) -> RunDetail { detail }
}
