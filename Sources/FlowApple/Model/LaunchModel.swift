import FlowKit
import Observation

/// An observable launch. It shows whether the splash is visible, the progress, and the results.
///
/// ```swift
/// let model = LaunchModel(engine, Workflows.launch, .init(user: "ada"), options: options)
/// model.start(Launch(connectionOptions: connectionOptions))
/// ```
///
/// Events may be posted at any time. Those posted before the start are kept and posted when the run starts.
@MainActor @Observable public final class LaunchModel<Workflow: PackagedWorkflow> {
  /// The phases of a launch.
  public enum Phase: Sendable, Hashable {
    /// The run has not started.
    case idle
    /// The run has started, but the gate has not opened. The splash is visible.
    case launching
    /// The gate has opened. The content is visible, while deferred steps and services may still run.
    case open
    /// The run has ended.
    case ended
    /// The run could not start, or was cancelled before the gate opened. ``LaunchModel/problem`` contains the reason.
    case failed
  }

  /// The phase that the launch has reached.
  public private(set) var phase = Phase.idle
  /// The outcome and time of the gate, or nil if it has not opened.
  public private(set) var gate: GateOpening?
  /// The number of finished steps and the number of all steps.
  public private(set) var progress = RunProgress(finished: 0, total: 0)
  /// The outputs of the workflow, or nil until the run has ended.
  public private(set) var outputs: Workflow.Outputs?
  /// The report of the run, or nil until the run has ended.
  public private(set) var report: RunReport?
  /// The reason why the launch failed, or why an event could not be posted. Nil if there is no problem.
  public private(set) var problem: String?
  /// The run, or nil if it has not started.
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

  /// Creates a launch. Its run accepts events until ``finishPosting()`` is called.
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

  /// True if the splash should be visible. False after a failed launch, so that the content can show the failure.
  public var showsSplash: Bool { phase == .idle || phase == .launching }

  /// Starts the run. Later calls have no effect.
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
    // The gate and the end are awaited separately, because this reader of events may lag behind.
    Task { [weak self] in self?.noteGate(await run.gate) }
    Task { [weak self] in
      for await event in run.events {
        guard case .stepFinished = event.kind else { continue }
        self?.progress = run.progress
      }
    }
    Task { [weak self] in self?.noteEnd(await run.report, await run.gate) }
  }

  /// Waits until the splash may be hidden: the gate has opened, or the launch has failed.
  public func opened() async {
    guard showsSplash else { return }
    await withCheckedContinuation { waiters.append($0) }
  }

  /// Waits until the run has ended or could not be started.
  public func ended() async {
    guard report == nil, phase != .failed || run != nil else { return }
    await withCheckedContinuation { endWaiters.append($0) }
  }

  /// Posts an event from outside the run.
  public func post(_ event: some EventName, value: Value = .null) { post(event.rawValue, value: value) }

  /// Posts an event of the app's life cycle.
  package func post(_ event: LifecycleEvent, value: Value = .null) { post(event.rawValue, value: value) }

  /// Posts an event from outside the run by its name. If the value is not supported, the event is not posted, and
  /// ``problem`` describes the reason.
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

  /// Declares that no more events will be posted, so that the run may end when nothing is left to do.
  public func finishPosting() {
    hasFinishedPosting = true
    run?.finishPosting()
  }

  /// Releases the files that a suspended app must not lock: those of plugins and the run history. ``LifecycleObserver``
  /// calls it when the app enters the background. During background work (``beginBackgroundWork()``), they are released
  /// only at the end of that work.
  ///
  /// The returned task ends when the files have been released, or immediately if background work keeps them.
  @discardableResult public func suspend() -> Task<Void, Never> {
    isInBackground = true
    return backgroundWorkCount == 0 ? releaseFiles() : Task {}
  }

  /// Acquires the files again when the app enters the foreground. If another process has used a file in the meantime,
  /// nothing more is written to it, and ``problem`` reports that.
  @discardableResult public func reactivate() -> Task<Void, Never> {
    isInBackground = false
    return takeFiles()
  }

  /// Starts background work of an app, such as handling a silent push or a `BGTask`. The files are acquired, and
  /// released again at the end of the work unless the app has entered the foreground in the meantime. The work must be
  /// ended when its time is up, and before its completion is reported to the system.
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
      // Files are acquired in the reverse order of their release.
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

  /// Cancels the run: running steps are asked to end, and waiting steps are skipped.
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
