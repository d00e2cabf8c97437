import FlowKit
import Observation

/// An observable launch: whether the splash is shown, the progress, and the results.
///
/// ```swift
/// let model = LaunchModel(engine, Workflows.launch, .init(user: "ada"), options: options)
/// model.start(Launch(connectionOptions: connectionOptions))
/// ```
///
/// Events may be posted at any time. Those posted before the start are sent when it starts.
@MainActor @Observable public final class LaunchModel<Workflow: PackagedWorkflow> {
  /// The phase of a launch.
  public enum Phase: Sendable, Hashable {
    /// The run has not started.
    case idle
    /// The run has started but the gate has not opened, so the splash is shown.
    case launching
    /// The gate has opened: the content is shown while deferred steps and services still run.
    case open
    /// The run has ended.
    case ended
    /// The run could not start, or was cancelled before the gate opened; ``LaunchModel/problem`` has the reason.
    case failed
  }

  /// The current phase of the launch.
  public private(set) var phase = Phase.idle
  /// The outcome of the gate, or nil before it has opened.
  public private(set) var gate: GateOpening?
  /// The number of finished steps, and of all steps.
  public private(set) var progress = RunProgress(finished: 0, total: 0)
  /// The outputs of the workflow, or nil until the run has ended.
  public private(set) var outputs: Workflow.Outputs?
  /// The report, or nil until the run has ended.
  public private(set) var report: RunReport?
  /// The reason why the launch failed, or why an event could not be posted.
  public private(set) var problem: String?
  /// The run, or nil before the start.
  public private(set) var run: TypedRun<Workflow>?

  @ObservationIgnored private let engine: Engine
  @ObservationIgnored private let begin: (Launch) throws -> TypedRun<Workflow>
  @ObservationIgnored private let history: RecordingSuspension?
  @ObservationIgnored private var lastSuspension: Task<Void, Never>?
  @ObservationIgnored private var isInBackground = false
  @ObservationIgnored private var isSuspended = false
  @ObservationIgnored private var backgroundWorkCount = 0
  @ObservationIgnored private var earlyPosts: [(event: String, value: Value)] = []
  @ObservationIgnored private var hasFinishedPosting = false
  @ObservationIgnored private var waiters: [CheckedContinuation<Void, Never>] = []
  @ObservationIgnored private var endWaiters: [CheckedContinuation<Void, Never>] = []

  /// Creates a launch that has not started. Its run accepts events until ``finishPosting()``.
  public init(_ engine: Engine, _ workflow: Workflow, _ inputs: Workflow.Inputs, options: RunOptions) {
    self.engine = engine
    history = options.history?.suspension
    begin = { launch in
      var options = options
      options.acceptsEvents = true
      options.launch = launch
      return try engine.start(workflow, inputs, options: options)
    }
  }

  /// True if the splash is shown. It is hidden after a failed launch, so that the content can show the failure.
  public var showsSplash: Bool { phase == .idle || phase == .launching }

  /// Starts the run. Later calls do nothing.
  public func start(_ launch: Launch = Launch()) {
    guard phase == .idle else { return }
    let run: TypedRun<Workflow>
    do {
      run = try begin(launch)
    } catch {
      return fail("\(error)")
    }
    self.run = run
    phase = .launching
    progress = run.progress
    for post in earlyPosts { self.post(post.event, value: post.value) }
    earlyPosts = []
    if hasFinishedPosting { run.finishPosting() }
    // Gate and end are awaited separately, because readers of events may lag behind.
    Task { [weak self] in self?.noteGate(await run.gate) }
    Task { [weak self] in
      for await event in run.events {
        guard case .stepFinished = event.kind else { continue }
        self?.progress = run.progress
      }
    }
    Task { [weak self] in self?.noteEnd(await run.report, await run.gate) }
  }

  /// Returns when the splash may be hidden: the gate has opened, or the launch has failed.
  public func opened() async {
    guard showsSplash else { return }
    await withCheckedContinuation { waiters.append($0) }
  }

  /// Returns when the run has ended or could not start.
  public func ended() async {
    guard report == nil, phase != .failed || run != nil else { return }
    await withCheckedContinuation { endWaiters.append($0) }
  }

  /// Posts an event from outside.
  public func post(_ event: some EventName, value: Value = .null) { post(event.rawValue, value: value) }

  /// Posts an event of the app's life cycle.
  package func post(_ event: LifecycleEvent, value: Value = .null) { post(event.rawValue, value: value) }

  /// Posts an event from outside by its name. An event with an unsupported value is not posted, and sets ``problem``.
  public func post(_ event: String, value: Value = .null) {
    guard let run else {
      earlyPosts.append((event, value))
      return
    }
    if value.isNull { return run.run.post(event) }
    do {
      try run.run.post(event, value: value)
    } catch {
      problem = "\(error)"
    }
  }

  /// Ends the posting of events: the run may end when nothing is left to do.
  public func finishPosting() {
    hasFinishedPosting = true
    run?.finishPosting()
  }

  /// Releases the files that a suspended app must not lock when the app is in the background: those of plugins, and the
  /// run history. ``LifecycleObserver`` calls it. During background work (``beginBackgroundWork()``), they are released
  /// at its end.
  ///
  /// The task ends when they are released, or at once if background work keeps them.
  @discardableResult public func suspend() -> Task<Void, Never> {
    isInBackground = true
    return backgroundWorkCount == 0 ? releaseFiles() : Task {}
  }

  /// Acquires the files again when the app enters the foreground. If another process has used one meanwhile, nothing
  /// more is written to it, and ``problem`` reports this.
  @discardableResult public func reactivate() -> Task<Void, Never> {
    isInBackground = false
    return takeFiles()
  }

  /// Begins background work of an app, such as handling a silent push or a `BGTask`. The files are acquired, and
  /// released at the end of the work unless the app has entered the foreground meanwhile. End the work when its time is
  /// up, and before you report to the system that it is done.
  public func beginBackgroundWork() -> BackgroundWork {
    backgroundWorkCount += 1
    if isInBackground { takeFiles() }
    return BackgroundWork { [self] in
      backgroundWorkCount -= 1
      return isInBackground && backgroundWorkCount == 0 ? releaseFiles() : Task {}
    }
  }

  private func releaseFiles() -> Task<Void, Never> {
    guard !isSuspended else { return lastSuspension ?? Task {} }
    isSuspended = true
    return afterEarlierSuspensions { [engine, history] in
      await engine.suspend()
      await history?.suspend()
    }
  }

  @discardableResult private func takeFiles() -> Task<Void, Never> {
    guard isSuspended else { return lastSuspension ?? Task {} }
    isSuspended = false
    return afterEarlierSuspensions { [weak self, engine, history] in
      // In the reverse order.
      do { try await history?.reactivate() } catch { self?.problem = "history: \(error)" }
      do { try await engine.reactivate() } catch { self?.problem = "\(error)" }
    }
  }

  private func afterEarlierSuspensions(_ body: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
    let earlier = lastSuspension
    let task = Task {
      await earlier?.value
      await body()
    }
    lastSuspension = task
    return task
  }

  /// Cancels the run: running steps are stopped, waiting ones are skipped.
  public func cancel() { run?.cancel() }

  private func noteGate(_ gate: GateOpening) {
    guard phase == .launching else { return }
    guard gate.openedAt != nil else { return fail("the launch was cancelled before the gate opened") }
    self.gate = gate
    phase = .open
    release()
  }

  private func noteEnd(_ report: RunReport, _ gate: GateOpening) {
    noteGate(gate)
    progress = run?.progress ?? progress
    outputs = Workflow.Outputs(values: report.outputs)
    self.report = report
    if phase == .open { phase = .ended }
    release()
  }

  private func fail(_ reason: String) {
    problem = reason
    phase = .failed
    release()
  }

  private func release() {
    for waiter in waiters { waiter.resume() }
    waiters = []
    guard report != nil || run == nil else { return }
    for waiter in endWaiters { waiter.resume() }
    endWaiters = []
  }
}
