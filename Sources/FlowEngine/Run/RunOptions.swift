import FlowModel

/// The options of a run.
public struct RunOptions: Sendable {
  /// The values of the workflow's inputs. A missing input has its default value.
  public var inputs: ValueObject = [:]
  /// The variables in the workflow's `env-file`. Those of its `env` override them.
  package var fileEnvironment: ValueObject = [:]
  /// The variables in the `env-file` of each included workflow, by the index of its scope.
  package var scopeEnvironments: [Int: ValueObject] = [:]
  /// Returns a variable that commands inherit from this process, for `env.NAME` in expressions.
  package var inheritedVariable: @Sendable (String) -> String? = RunOptions.variableOfProcess
  /// The workflow's secrets by name. An optional secret that was not found is null.
  public var secrets: ValueObject = [:]
  /// The reason for the launch. The engine sets `isFirst` from the data folder.
  public var launch = Launch()
  /// The absolute path of the run's data folder, which must exist (``DataFolder/init(making:)``).
  public var dataFolder: String
  /// The absolute path of the folder with the workflow file.
  public var workflowFolder: String
  /// True if only steps with `prewarm` run before ``WorkflowRun/activate(launch:)``.
  package var isPrewarmed = false
  /// The events that are posted from outside (`--event`), each with its delay from the start of the run.
  package var announcedEvents: [(name: String, delay: Duration)] = []
  /// The values of those events, by index in ``announcedEvents``.
  package var announcedValues: [Int: Value] = [:]
  /// True if services that post events from outside are asked to end when no more events are expected and the run is
  /// otherwise idle. For runs on the command line.
  package var endsOutsideServices = false
  /// True if the app may post events (``WorkflowRun/post(_:)-(String)``). The run then continues until
  /// ``WorkflowRun/finishPosting()``.
  public var acceptsEvents = false
  /// The observer that receives the events of the run in order, or nil.
  public var observer: (any RunObserver)? { didSet { lineObserver = nil } }
  /// The same observer if it receives output lines as units, or nil.
  package private(set) var lineObserver: (any LineObserver)?
  /// True if the observer receives the output lines of commands and plugins, except those of quiet steps. The run
  /// history has all of them.
  package var showsOutput = true
  /// True if the observer also receives an unfinished output line each time it changes. For live views.
  package var showsUnfinishedLines = false
  /// True if commands should print colors (`FORCE_COLOR=1`), because the observer shows them.
  package var forcesColor = false
  /// The virtual clock of a test, or nil for the system's clock.
  public var clock: VirtualClock?
  /// The history that records the run, or nil.
  public var history: RunHistory?
  /// The ids of steps that run even if they are up to date, or `*` for all.
  package var forcedSteps: Set<String> = []
  /// True if a successful run removes files that were produced for items that are no longer in their step's list.
  package var removesLeftovers = false
  /// The selected steps, or nil to run all.
  package var selection: StepSelection?
  /// The time for which the run waits for a file that a step produced on another machine to appear here.
  package var fileWait = Duration.seconds(10)
  /// The seed for the pauses before retries. Runs with the same seed have the same pauses.
  package var jitterSeed: UInt64 = 0
  /// The pause before the first step of a resumed run. For this long, remote steps of the earlier process may still be
  /// running.
  package var takeoverPause = Duration.zero
  /// The executors that run steps, or nil if all steps run in this process.
  package var placement: ExecutorPlacement?
  /// The capacity for steps with `resources`, or nil for the capacity of this machine.
  package var capacity: MachineResources?
  /// Returns the W3C trace context of an attempt, which its command or plugin receives as `TRACEPARENT`. The path names
  /// a step, an item or a step in an item's workflow, such as `convert[3]/read`. If nil, commands inherit the variable
  /// of this process.
  package var traceparent: (@Sendable (_ path: String, _ attempt: Int) -> String)?
  /// A thread whose steps take less time wakes no second thread, because waking one takes longer than running them.
  package var shortStepNanoseconds = 400
  /// The estimated duration of the steps that a thread prefetches. No ready step waits longer for a thread that runs
  /// short steps.
  package var batchNanoseconds = 32_000
  /// The time that a body has to end before it is abandoned. Commands have more time.
  package var graceNanoseconds = Plan.usualGraceNanoseconds
  /// The part of the grace in which calls of `flow.on` may continue. The step itself needs the rest.
  package var lastCallsNanoseconds = 800_000_000

  /// True if no step runs, because only the steps that would run are shown.
  package var isTrial = false
  /// The item that this run is started for, or nil if it is not inside another run.
  package var outer: OuterRun?

  /// The threads of all pools.
  package var threads = PoolThreads.shared

  /// Sets an observer that receives output lines as units.
  package mutating func observe(by observer: any LineObserver) {
    self.observer = observer
    lineObserver = observer
  }

  /// Creates options with default values.
  public init(dataFolder: String, workflowFolder: String) {
    self.dataFolder = dataFolder
    self.workflowFolder = workflowFolder
  }
}

/// An observer of a run's events.
public protocol RunObserver: Sendable {
  /// The level of detail of the events. By default all are received.
  var detail: RunDetail { get }

  /// Returns the level of detail for the items of a step with `count` items. By default it is the same as for steps.
  func detail(ofItems count: Int) -> RunDetail

  /// Receives the next events. Calls never overlap, and the events are in the order of the run.
  func receive(_ events: [RunEvent])
}

extension RunObserver {
  /// All events.
  public var detail: RunDetail { .full }

  /// The same detail as for steps.
  public func detail(ofItems count: Int) -> RunDetail { detail }
}
