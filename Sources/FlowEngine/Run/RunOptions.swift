import FlowModel

/// The options of a run.
public struct RunOptions: Sendable {
  /// The values of the workflow's inputs. A missing input has its default value.
  public var inputs: ValueObject = [:]
  /// The variables in the workflow's `env-file`. Those of its `env` override them.
  package var fileEnvironment: ValueObject = [:]
  /// The variables in the `env-file` of each included workflow, by the index of its scope.
  package var scopeEnvironments: [Int: ValueObject] = [:]
  /// Returns the value of a variable of this process, for `env.NAME` in expressions, or nil if commands do not inherit
  /// it.
  package var inheritedVariable: @Sendable (String) -> String? = RunOptions.variableOfProcess
  /// The workflow's secrets by name. An optional secret that was not found is null.
  public var secrets: ValueObject = [:]
  /// The reason for the launch and its options. The engine sets `isFirst` from the data folder.
  public var launch = Launch()
  /// The absolute path of the run's data folder, which must exist (``DataFolder/init(making:)``).
  public var dataFolder: String
  /// The absolute path of the folder with the workflow file.
  public var workflowFolder: String
  /// True if the run is prewarmed: only steps with `prewarm` run before ``WorkflowRun/activate(launch:)``.
  package var isPrewarmed = false
  /// The events that are posted from outside the run (`--event`), each with its delay from the start of the run.
  package var announcedEvents: [(name: String, delay: Duration)] = []
  /// The values of the announced events, by index in ``announcedEvents``.
  package var announcedValues: [Int: Value] = [:]
  /// True if services that post events from outside the run are asked to end when no more events are expected and the
  /// run is otherwise idle. Runs on the command line set it, unless they wait for events or keep their services.
  package var endsOutsideServices = false
  /// True if the app may post events (``WorkflowRun/post(_:)-(String)``). The run then continues until
  /// ``WorkflowRun/finishPosting()``.
  public var acceptsEvents = false
  /// The observer that receives the events of the run in order, or nil if there is none.
  public var observer: (any RunObserver)? {
    didSet {
      lineObserver = nil
      isObserved = observer != nil
    }
  }
  /// True if there is an observer. Testing `observer` itself copies it, for which the runtime creates the type of the
  /// optional.
  private(set) var isObserved = false
  /// The observer, if it receives a step's lines in groups; otherwise nil.
  package private(set) var lineObserver: (any LineObserver)?
  /// True if the observer receives the output lines of commands and plugins, except those of quiet steps. The run
  /// history records all lines.
  package var showsOutput = true
  /// True if the observer also receives an unfinished output line each time it changes, which live views need.
  package var showsUnfinishedLines = false
  /// True if commands should print colors (`FORCE_COLOR=1`), because the observer shows them.
  package var forcesColor = false
  /// The virtual clock of a test, or nil to use the system's clock.
  public var clock: VirtualClock?
  /// The history in which the run is recorded, or nil if it is not recorded.
  public var history: RunHistory?
  /// The ids of steps that run even if they are up to date, or `*` for all.
  package var forcedSteps: Set<String> = []
  /// True if a successful run removes files that were produced for items that are no longer in the step's list.
  package var removesLeftovers = false
  /// The selected steps, or nil to run all.
  package var selection: StepSelection?
  /// The maximum time for which the run waits until a file that a step produced on another machine appears here.
  package var fileWait = Duration.seconds(10)
  /// The seed for the pauses before retries. Runs with the same seed have the same pauses.
  package var jitterSeed: UInt64 = 0
  /// The pause before the first step of a resumed run. During it, remote steps of the earlier process may still be
  /// running.
  package var takeoverPause = Duration.zero
  /// The executors that run steps, or nil if all steps run in this process.
  package var placement: ExecutorPlacement?
  /// The capacity for steps with `resources`, or nil for the capacity of this machine.
  package var capacity: MachineResources?
  /// Returns the W3C trace context of an attempt, which its command or plugin receives as `TRACEPARENT`. The path is
  /// that of a step, an item or a step in an item's workflow, such as `convert[3]/read`. If the closure is nil,
  /// commands inherit the variable of this process.
  package var traceparent: (@Sendable (_ path: String, _ attempt: Int) -> String)?
  /// The duration below which steps count as short. A thread that runs short steps wakes no second thread, because that
  /// would take longer than the steps.
  package var shortStepNanoseconds = 400
  /// The maximum estimated duration of the steps that a thread prefetches together. No ready step waits longer than
  /// this for a thread that runs short steps.
  package var batchNanoseconds = 32_000
  /// The time in which a body must return after it was asked to end. Otherwise, it is abandoned. Commands have more
  /// time.
  package var graceNanoseconds = Plan.usualGraceNanoseconds
  /// The part of the grace in which calls by `flow.on` may continue. The step itself needs the rest.
  package var lastCallsNanoseconds = 800_000_000

  /// True if no step runs, because the run only shows which steps would run.
  package var isTrial = false
  /// The item for which this run was started, or nil if it is not inside another run.
  package var outer: OuterRun?

  /// The threads on which steps run. By default, all runs of the process share them.
  package var threads = PoolThreads.shared

  /// Sets an observer that receives a step's lines in groups.
  package mutating func observe(by observer: any LineObserver) {
    self.observer = observer
    lineObserver = observer
  }

  /// Creates options for a run with these folders. All other options have their defaults.
  public init(dataFolder: String, workflowFolder: String) {
    self.dataFolder = dataFolder
    self.workflowFolder = workflowFolder
  }
}

/// Receives the events of a run, for example to show them to users.
public protocol RunObserver: Sendable {
  /// The level of detail of the events that the observer receives. By default, it receives all.
  var detail: RunDetail { get }

  /// Returns the level of detail for the items of a step with `count` items. By default it is the same as for steps.
  func detail(ofItems count: Int) -> RunDetail

  /// Receives the next events. Calls never overlap, and the events are in the order of the run.
  func receive(_ events: [RunEvent])
}

extension RunObserver {
  /// All events are received by default.
  public var detail: RunDetail { .full }

  /// By default, items have the same level of detail as steps.
  public func detail(ofItems count: Int) -> RunDetail { detail }
}
