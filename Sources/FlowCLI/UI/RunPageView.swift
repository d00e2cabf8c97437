import FlowCommandKit
import FlowEngine
import FlowInsight
import FlowModel
import FlowPluginKit
import FlowStore
import FlowSyntax
import FlowSystem

/// A run as a page shows it.
package struct RunPageView: Sendable {
  /// Its state.
  package let run: StoredRun
  /// The page of its report, with links to its steps.
  package let page: InsightPage
  /// Events that steps which have not started wait for.
  package let awaited: [String]
  /// Questions that wait for an answer.
  package let questions: [Question]
  /// Whether slack and suggestions are not worked out, and can be.
  package let isBrief: Bool

  /// What a step asks.
  package struct Question: Sendable {
    /// The step.
    package var step: String
    /// The question.
    package var text: String
    /// What may be answered.
    package var choices: [String]
  }
}

/// A step of a run as a page shows it.
package struct StepPageView: Sendable {
  /// Its action.
  package let uses: String
  /// Its conclusion or state.
  package let state: String
  /// Names and values of what is known of it.
  package let facts: [(name: String, value: String)]
  /// Its failures, as markup.
  package let failures: String
  /// What it was given, as written.
  package let inputs: [(name: String, value: String)]
  /// What it returned.
  package let outputs: [(name: String, value: String)]
  /// How long it took in earlier runs, in nanoseconds, the newest first.
  package let durations: [Int]
}

extension RunLibrary {
  /// How many pages of finished runs are kept.
  private static let keptPages = 4
  /// The number of steps that a run may have for its slack to be looked for while someone waits.
  private static let analyzedSteps = 2_000

  /// The current state of a run; `stepPage` is where pages about its steps are. With `isFast` slack and suggestions, which may
  /// take half a second, are there only if they are known.
  package func view(
    of run: StoredRun, in store: any RunStore, stepPage: String?, isFast: Bool = false
  ) throws -> RunPageView {
    let key = "\(run.id) \(run.epoch) \(run.state) \(stepPage ?? "")"
    let kept = pages.withLock { pages in pages.first { $0.key == key }?.page }
    if let kept, isFast || !kept.isBrief { return kept }
    let (recorded, reported) = try read(run, in: store)
    let canBeAnalyzed = run.state != .running && reported.course.steps.count <= Self.analyzedSteps
    let analysis = RunAnalysis(reported, isBrief: isFast || !canBeAnalyzed)
    let page = InsightPages.page(analysis, [], stepPage: stepPage)
    var awaited: [String] = []
    var questions: [RunPageView.Question] = []
    if run.state == .running {
      for (step, state) in zip(recorded.graph.workflow.steps, reported.course.steps) where state.outcome == nil {
        for event in step.options.after where reported.course.events[event] == nil && !awaited.contains(event) {
          awaited.append(event)
        }
        guard step.uses == "flow.ask", state.startedAt != nil else { continue }
        questions.append(
          RunPageView.Question(
            step: step.id.text, text: step.with["question"]?.stringValue ?? "",
            choices: step.with["choices"]?.arrayValue?.compactMap(\.stringValue) ?? []))
      }
    }
    let view = RunPageView(
      run: run, page: page, awaited: awaited, questions: questions, isBrief: isFast && canBeAnalyzed)
    if run.state != .running {
      pages.withLock { $0 = Array(([(key, view)] + $0.filter { $0.key != key }).prefix(Self.keptPages)) }
    }
    return view
  }

  /// The report of a run as JSON, as `flowrun runs show --json` prints it.
  package func report(of run: StoredRun, in store: any RunStore) throws -> Value {
    .object(try HistoryRun(run, store, try Installation(around: run.file, given: pluginFolders)).value)
  }

  /// A run as a Chrome trace, as `flowrun --trace` writes it.
  package func trace(of run: StoredRun, in store: any RunStore) throws -> [UInt8] {
    let recorder = TraceRecorder()
    recorder.receive(try read(run, in: store).reported.events)
    return recorder.bytes
  }

  /// A step of a run; nil: the run has no step of this name.
  package func step(_ name: String, of run: StoredRun, in store: any RunStore) throws -> StepPageView? {
    let (recorded, reported) = try read(run, in: store)
    let steps = recorded.graph.workflow.steps
    guard let index = steps.firstIndex(where: { $0.id.text == name }) else { return nil }
    let (step, state) = (steps[index], reported.course.steps[index])
    var facts: [(String, String)] = [("action", step.uses)]
    func add(_ name: String, _ nanoseconds: Int?) {
      if let nanoseconds { facts.append((name, PageText.time(nanoseconds))) }
    }
    if let reason = reported.reasons[index] { facts.append(("did not run", reason)) }
    add("started at", state.startedAt)
    if let started = state.startedAt, let ended = state.endedAt { add("took", ended - started) }
    if let started = state.startedAt, let ready = state.readyAt, started > ready { add("waited", started - ready) }
    if state.attemptTimes.count > 1 {
      for (number, attempt) in state.attemptTimes.enumerated() { add("attempt \(number + 1) took", attempt.count) }
    }
    if !step.needs.isEmpty {
      facts.append(("needs", step.needs.map { steps[Int($0)].id.text }.joined(separator: ", ")))
    }
    if !step.options.after.isEmpty { facts.append(("after", step.options.after.joined(separator: ", "))) }
    if let condition = step.options.condition { facts.append(("if", condition)) }
    var own = reported
    own.failures = reported.failures.filter { $0.step == index }
    let durations = RecordedDurations.of(name, in: run.file) { file in
      try? Installation(around: file, given: pluginFolders).registry
    }
    return StepPageView(
      uses: step.uses,
      state: state.outcome?.word ?? (state.startedAt == nil ? "waiting" : "running"), facts: facts,
      failures: InsightPage.failures(own, nil),
      inputs: step.with.map { ($0, $1.stringValue ?? JSONText.write($1)) },
      outputs: (recorded.recollection.outputs(of: recorded.graph)[name]?.objectValue ?? [:]).map {
        ($0, $1.stringValue ?? JSONText.write($1))
      }, durations: durations.map(\.nanoseconds))
  }

  /// Two runs next to each other, as `flowrun compare` has them.
  package func comparison(
    _ before: (run: StoredRun, store: any RunStore), _ after: (run: StoredRun, store: any RunStore)
  ) throws -> InsightPage {
    let (old, new) = (try read(before.run, in: before.store).reported, try read(after.run, in: after.store).reported)
    try SampleCheck.sameWorkflow([old, new])
    return InsightPages.page(RunComparison(RunSample([old]), RunSample([new])), [])
  }

  /// What the runs of a workflow have in common, with its budgets and a forecast; nil: fewer than two have ended.
  package func history(of file: WorkflowFile, _ workflow: Workflow?) throws -> InsightPage? {
    var sample: [ReportedRun] = []
    for run in file.runs where run.epoch == 1 && sample.count < Self.sampledRuns {
      guard [.success, .partial, .failure].contains(run.state), let found = try find(run.id) else { continue }
      // A run of an earlier version of the file, with other plugins, may not be readable any more.
      if let read = try? read(found.run, in: found.store) { sample.append(read.reported) }
    }
    guard sample.count > 1 else { return nil }
    let runs = RunSample(sample)
    var page = InsightPages.page(runs, runs.check(workflow?.budgets ?? []))
    if let workflow, let forecast = forecast(workflow, file, sample) { page.add(forecast) }
    return page
  }

  /// The number of runs that make the history of a workflow.
  private static let sampledRuns = 50
  /// The number of runs that a forecast plays, and how many of their steps.
  private static let (forecastRuns, forecastSteps) = (1_000, 400_000)

  /// What the next run will be like if it is launched as the last one was; nil: it depends on an input that has no default, or
  /// has too many steps to be played while someone waits.
  private func forecast(_ workflow: Workflow, _ file: WorkflowFile, _ sample: [ReportedRun]) -> Forecast? {
    var launch = Launch()
    if let reason = sample[0].launchReason.flatMap(LaunchReason.init(rawValue:)) { launch.reason = reason }
    let fitting = ForecastScene.fitting(sample, launch)
    guard fitting.count > 1, Self.forecastRuns * workflow.steps.count <= Self.forecastSteps,
      let installation = try? Installation(around: file.path, given: pluginFolders)
    else { return nil }
    let folder = FilePath.folder(of: file.path)
    let run = RunInformation(id: "", dataFolder: folder, workflowFolder: folder)
    guard let inputs = try? InputArguments.read([], for: workflow.inputs, run: run) else { return nil }
    let scene = ForecastScene(
      workflow: workflow, registry: installation.registry, inputs: inputs, launch: launch, outputs: [:])
    guard let stage = try? scene.stage(WorkflowChanges()) else { return nil }
    var options = ForecastOptions()
    options.runs = Self.forecastRuns
    options.recordedRuns = ForecastScene.recorded(fitting, of: workflow, installation.registry, launch)
    let model = ForecastModel(stage, options)
    return Forecast(model, Forecast.blocks(of: options.runs).map { ForecastBlock(model, $0) })
  }

  private func read(_ run: StoredRun, in store: any RunStore) throws -> (recorded: HistoryRun, reported: ReportedRun) {
    let installation = try Installation(around: run.file, given: pluginFolders)
    let recorded = try HistoryRun(run, store, installation)
    var reported = try RunSources.run(recorded, installation)
    if run.state == .running {
      reported.inferRunning(until: max(0, WallTime.now - run.startedMilliseconds) * 1_000_000)
    }
    return (recorded, reported)
  }

  // MARK: Forms

  /// What a workflow can be started with.
  package struct Form: Sendable {
    /// The workflow; nil: it cannot be read, or has an error.
    package var workflow: Workflow?
    /// Why it cannot be started; empty: it can.
    package var problem = ""
  }

  /// The form of a workflow file.
  package func form(of file: String) -> Form {
    do {
      let installation = try Installation(around: file, given: pluginFolders)
      let result = WorkflowLoader(catalog: installation.registry, files: FileAccess.included).load(
        bytes: try FileAccess.read(file), file: file)
      guard let graph = result.graph else { return Form(problem: result.rendered(usesColor: false)) }
      guard graph.workflow.keepsHistory else {
        return Form(
          workflow: graph.workflow, problem: "Its runs are not recorded (history: false); start it on the command line."
        )
      }
      return Form(workflow: graph.workflow)
    } catch {
      return Form(problem: Self.message(of: error))
    }
  }
}
