import FlowCommandKit
import FlowDiagnostics
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
  /// What a resume does with the steps that were running when flowrun ended, in sentences.
  package let resuming: [String]
  /// Whether slack and suggestions are not worked out, and can be.
  package let isBrief: Bool
  /// When attempts ended that others followed, by the step or item: milliseconds from the start of the run.
  package let attemptEnds: ValueObject

  /// What a step asks.
  package struct Question: Sendable {
    /// The step.
    package var step: String
    /// The question.
    package var text: String
    /// What may be answered.
    package var choices: [String]
    /// The kind of answer.
    var kind: FlowPluginKit.Question.Kind
    /// The last lines that the steps printed which it depends on, each with the id of its step or item.
    package var printed: [(step: String, line: String)] = []
    /// Whether a text answers it, and not one of the choices.
    package var takesText: Bool { kind != .choice }
    /// Whether the text is a secret.
    package var isSecret: Bool { kind == .secret }
  }
}

/// A step of a run as a page shows it.
package struct StepPageView: Sendable {
  /// Its action.
  package let uses: String
  /// Its name for people, or its id.
  package let name: String
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
  /// The durations of the step in the recorded runs, in nanoseconds, the newest first.
  package let durations: [(run: String, nanoseconds: Int)]
  /// Its attempts with their errors, as markup; empty: there was one.
  package var attempts = ""
  /// Its items; empty: it does not run for several.
  package var items: [ReportedItem] = []
  /// What it adds to its commands' environment, as written.
  package var environment: [(name: String, value: String)] = []
  /// When attempts ended that others followed, by the step or item: milliseconds from the start of the run.
  package var attemptEnds: ValueObject = [:]
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
            choices: AskedQuestion.choices(of: step),
            kind: AskedQuestion.kind(of: step) ?? .secret,
            printed: AskedQuestion.linesPrinted(before: step, in: recorded)))
      }
    }
    let view = RunPageView(
      run: run, page: page, awaited: awaited, questions: questions,
      resuming: Self.resuming(reported, recorded.graph.workflow), isBrief: isFast && canBeAnalyzed,
      attemptEnds: Self.attemptEnds(in: recorded))
    if run.state != .running {
      pages.withLock { $0 = Array(([(key, view)] + $0.filter { $0.key != key }).prefix(Self.keptPages)) }
    }
    return view
  }

  /// The number of steps of which it is said what a resume does with them.
  private static let resumedSteps = 5

  private static func resuming(_ run: ReportedRun, _ workflow: Workflow) -> [String] {
    let steps = run.interrupted.sorted()
    let rest = steps.count - resumedSteps
    return steps.prefix(resumedSteps).map { resuming(run.course.shape.steps[$0].label, workflow.steps[$0]) }
      + (rest > 0 ? ["\(rest) more steps were running when flowrun ended."] : [])
  }

  private static func resuming(_ label: String, _ step: Step) -> String {
    let fails = step.hasOptions && step.options.onInterrupt == .fail
    return "'\(label)' was running when flowrun ended; Resume "
      + (fails ? "does not run it again, because of on-interrupt: fail." : "runs it again from its start.")
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
    guard let index = steps.firstIndex(where: { $0.id.text == name }) else {
      return StepID(unchecked: name).item.flatMap { item(name, $0, recorded, reported) }
    }
    let (step, state) = (steps[index], reported.course.steps[index])
    var facts: [(String, String)] = step.id.text == (step.options.name ?? step.id.text) ? [] : [("id", step.id.text)]
    facts.append(("action", step.uses))
    func add(_ name: String, _ nanoseconds: Int?) {
      if let nanoseconds { facts.append((name, PageText.time(nanoseconds))) }
    }
    if let reason = reported.reasons[index] { facts.append(("did not run", reason)) }
    add("started at", state.startedAt)
    if reported.interrupted.contains(index) {
      facts.append(("state", "was running when flowrun ended"))
      facts.append(("on resume", Self.resuming(step.id.text, step)))
    } else if let started = state.startedAt, let ended = state.endedAt {
      add("took", ended - started)
    }
    if let reason = Self.readiness(of: index, reported) { facts.append(("was ready", reason)) }
    if let started = state.startedAt, let ready = state.readyAt, started > ready {
      let shape = reported.course.shape
      let isLimited = shape.concurrency != nil || shape.widths[shape.steps[index].queue] != nil
      let reason =
        isLimited ? "a slot in its queue" : shape.steps[index].takesResources ? "cpus, memory or gpus" : "a thread"
      facts.append(("waited", "\(PageText.time(started - ready)) for \(reason)"))
    }
    if !step.needs.isEmpty {
      facts.append(("needs", step.needs.map { steps[Int($0)].id.text }.joined(separator: ", ")))
    }
    if !step.options.after.isEmpty { facts.append(("after", step.options.after.joined(separator: ", "))) }
    if let condition = step.options.condition { facts.append(("if", condition)) }
    var own = reported
    own.failures = reported.failures.filter { $0.step == index }
    let durations = RecordedDurations.of(name, in: run.file, store) { file in
      try? Installation(around: file, given: pluginFolders).registry
    }
    var view = StepPageView(
      uses: step.uses, name: step.options.name ?? name,
      state: state.outcome?.word
        ?? (reported.interrupted.contains(index) ? "interrupted" : state.startedAt == nil ? "waiting" : "running"),
      facts: facts,
      failures: InsightPage.failures(own, nil),
      inputs: step.with.map { ($0, $1.stringValue ?? JSONText.write($1)) },
      outputs: (recorded.recollection.outputs(of: recorded.graph)[name]?.objectValue ?? [:]).map {
        ($0, $1.stringValue ?? JSONText.write($1))
      }, durations: durations.map { ($0.run, $0.duration.nanoseconds) })
    view.attempts = Self.attempts(TaskInstance(StepIndex(index)), state.attemptTimes, recorded.recollection)
    view.attemptEnds = Self.attemptEnds(in: recorded)
    view.items = reported.itemStates[index] ?? []
    view.environment = step.options.environment.map { ($0, $1.stringValue ?? JSONText.write($1)) }
    return view
  }

  /// An item of a step, `convert[42]`; nil: the run has no such item.
  private func item(
    _ name: String, _ item: (step: StepID, index: Int), _ recorded: HistoryRun, _ reported: ReportedRun
  ) -> StepPageView? {
    let steps = recorded.graph.workflow.steps
    guard let index = steps.firstIndex(where: { $0.id == item.step }),
      let state = reported.itemStates[index]?.first(where: { $0.index == item.index })
    else { return nil }
    var facts: [(String, String)] = [("item of", steps[index].id.text), ("action", steps[index].uses)]
    if let key = state.key { facts.append(("key", key)) }
    if let value = state.value { facts.append(("value", value.stringValue ?? JSONText.write(value))) }
    if let started = state.startedAt { facts.append(("started at", PageText.time(started))) }
    if let started = state.startedAt, let ended = state.endedAt {
      facts.append(("took", PageText.time(ended - started)))
    }
    facts.append(("attempts", String(state.attempts)))
    var own = reported
    own.failures = reported.failures.filter { $0.step == index && ($0.name == name || $0.name.hasPrefix(name + " ")) }
    let outputs = recorded.recollection.itemOutputs[StepIndex(index)]?[item.index] ?? [:]
    var view = StepPageView(
      uses: steps[index].uses, name: name, state: state.word, facts: facts, failures: InsightPage.failures(own, nil),
      inputs: steps[index].with.map { ($0, $1.stringValue ?? JSONText.write($1)) },
      outputs: outputs.map { ($0, $1.stringValue ?? JSONText.write($1)) }, durations: [])
    let task = TaskInstance(StepIndex(index), item: item.index)
    view.attempts = Self.attempts(task, state.attemptTimes, recorded.recollection)
    view.attemptEnds = Self.attemptEnds(in: recorded)
    view.environment = steps[index].options.environment.map { ($0, $1.stringValue ?? JSONText.write($1)) }
    return view
  }

  /// When a step became ready, and after what: the step or the event it waited for longest. Nil for a step that waited for
  /// neither.
  private static func readiness(of index: Int, _ run: ReportedRun) -> String? {
    guard let ready = run.course.steps[index].readyAt else { return nil }
    let shape = run.course.shape.steps[index]
    let needs = shape.needs.compactMap { need in
      run.course.steps[need].endedAt.map { ($0, "after '\(run.course.shape.steps[need].label)' had ended") }
    }
    let events = shape.after.compactMap { event in
      run.course.events[event].map { ($0.at, "after the event '\(event)' was posted") }
    }
    var causes = needs + events
    if shape.isDeferred, run.course.hasGate, let opened = run.course.openedAt {
      causes.append((opened, "after the gate had opened"))
    }
    guard let last = causes.max(by: { $0.0 < $1.0 }) else { return nil }
    return "at \(PageText.time(ready)), \(last.1)"
  }

  /// The attempts of a step or an item with their errors; empty: there was one.
  private static func attempts(_ task: TaskInstance, _ times: [Range<Int>], _ recollection: RunRecollection) -> String {
    guard times.count > 1 else { return "" }
    var errors: [Int: String] = [:]
    for entry in recollection.entries {
      switch entry {
      case .tried(task, let attempt, let failure, _): errors[attempt] = failure?.message
      case .finished(let end, let failure) where end.task == task: errors[times.count] = failure?.message
      default: continue
      }
    }
    errors = errors.compactMapValues { $0.split(whereSeparator: \.isNewline).first.map(String.init) }
    let rows = times.enumerated().map { number, time -> [PageTable.Cell] in
      [
        .init("\(number + 1)", Double(number + 1)), .init(nanoseconds: time.lowerBound), .init(nanoseconds: time.count),
        .init(errors[number + 1] ?? ""),
      ]
    }
    return PageTable(caption: "Attempts", columns: ["attempt", "started", "took", "error"], rows: rows).html
  }

  /// The lines that the steps of a run printed, or those of one step or item, as text.
  package func log(of run: StoredRun, in store: any RunStore, step: String?) throws -> [UInt8] {
    Array(PageLine.text(PageLine.all(of: try LogFollower(run.id, in: store).read().lines), ofStep: step).utf8)
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
    guard let workflow else { return page }
    let newest = file.runs.first { $0.id == sample[0].id }
    switch forecast(workflow, file, sample, newest.flatMap { RunHeader($0.header) }) {
    case .success(let (forecast, premise)): page.add(forecast, premise: premise)
    case .failure(let absence): page.add(noForecast: absence.reason)
    }
    return page
  }

  /// The number of runs that make the history of a workflow.
  private static let sampledRuns = 50
  /// The number of runs that a forecast plays, and how many of their steps.
  private static let (forecastRuns, forecastSteps) = (1_000, 400_000)

  /// The reason for a missing forecast.
  private struct NoForecast: Error { let reason: String }

  /// A forecast of the next run, with the launch reason of the last run and its values for inputs without a default.
  private func forecast(
    _ workflow: Workflow, _ file: WorkflowFile, _ sample: [ReportedRun], _ newest: RunHeader?
  ) -> Result<(forecast: Forecast, premise: String), NoForecast> {
    func no(_ reason: String) -> Result<(forecast: Forecast, premise: String), NoForecast> {
      .failure(NoForecast(reason: "There is no forecast: " + reason))
    }
    var launch = Launch()
    if let reason = sample[0].launchReason.flatMap(LaunchReason.init(rawValue:)) { launch.reason = reason }
    let fitting = ForecastScene.fitting(sample, launch)
    guard fitting.count > 1 else {
      return no("fewer than two runs with the launch reason '\(launch.reason.rawValue)' have ended in one process.")
    }
    guard Self.forecastRuns * workflow.steps.count <= Self.forecastSteps else {
      return no(
        "the workflow has more than \(Self.forecastSteps / Self.forecastRuns) steps; flowrun simulate makes one.")
    }
    let installation: Installation
    do {
      installation = try Installation(around: file.path, given: pluginFolders)
    } catch {
      return no(Self.message(of: error))
    }
    let folder = FilePath.folder(of: file.path)
    let needed = workflow.inputs.filter { $0.isRequired && $0.defaultValue == nil }
    let missing = needed.first { newest?.inputs[$0.name] == nil }
    if let missing { return no("no recorded run has the input '\(missing.name)'.") }
    let run = RunInformation(id: "", dataFolder: folder, workflowFolder: folder)
    let others = workflow.inputs.filter { !$0.isRequired || $0.defaultValue != nil }
    guard var inputs = try? InputArguments.read([], for: others, run: run) else {
      return no("the defaults of its inputs cannot be read.")
    }
    for field in needed { inputs[field.name] = newest?.inputs[field.name] }
    let names = needed.map { "'\($0.name)'" }.joined(separator: ", ")
    let premise = needed.isEmpty ? "" : ", with \(names) as in the newest run"
    let scene = ForecastScene(
      workflow: workflow, registry: installation.registry, inputs: inputs, launch: launch, outputs: [:])
    let stage: RunStage
    do {
      stage = try scene.stage(WorkflowChanges())
    } catch {
      return no(Self.message(of: error))
    }
    var options = ForecastOptions()
    options.runs = Self.forecastRuns
    options.recordedRuns = ForecastScene.recorded(fitting, of: workflow, installation.registry, launch)
    let model = ForecastModel(stage, options)
    return .success((Forecast(model, Forecast.blocks(of: options.runs).map { ForecastBlock(model, $0) }), premise))
  }

  private func read(_ run: StoredRun, in store: any RunStore) throws -> (recorded: HistoryRun, reported: ReportedRun) {
    let installation = try Installation(around: run.file, given: pluginFolders)
    let recorded = try HistoryRun(run, store, installation)
    var reported = try RunSources.run(recorded, installation)
    noteItems(in: &reported, of: recorded, installation.registry)
    if run.state == .running {
      reported.inferRunning(until: max(0, WallTime.now - run.startedMilliseconds) * 1_000_000)
    }
    return (recorded, reported)
  }
}
