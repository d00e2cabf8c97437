import FlowCLI
import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowInsight
import FlowInsightCommands
import FlowModel
import FlowPluginKit
import FlowStore
import FlowSyntax
import FlowSystem

/// The content of the page about one run.
package struct RunPageView: Sendable {
  package let run: StoredRun
  /// The report of the run as a page, with links to the pages of its steps.
  package let page: InsightPage
  /// The names of the events for which steps of the run are waiting.
  package let awaited: [String]
  /// The questions that wait for an answer.
  package let questions: [Question]
  /// The effect of a resume on each step that was running when flowrun ended, one sentence each.
  package let resuming: [String]
  /// True if slack and suggestions are missing, although they could be computed.
  package let isBrief: Bool
  /// The times at which attempts ended, except the last one, in milliseconds from the start of the run, by step or
  /// item.
  package let attemptEnds: ValueObject

  /// A question that a step asks a person.
  package struct Question: Sendable {
    package var step: String
    package var text: String
    package var choices: [String]
    var kind: FlowPluginKit.Question.Kind
    /// The last lines printed by the step's dependencies, each with the id of the step or item that printed it.
    package var printed: [(step: String, line: String)] = []
    /// True if the person enters text rather than choosing an answer.
    package var takesText: Bool { kind != .choice }
    package var isSecret: Bool { kind == .secret }
  }
}

/// The content of the page about one step or item.
package struct StepPageView: Sendable {
  package let uses: String
  /// The name of the step, or its id if it has no `name`.
  package let name: String
  package let state: String
  /// The names and values of properties, such as the queue or the attempts.
  package let facts: [(name: String, value: String)]
  /// The panels about failures of the step, as HTML.
  package let failures: String
  /// The inputs of the step, as written in the workflow file.
  package let inputs: [(name: String, value: String)]
  package let outputs: [(name: String, value: String)]
  /// The durations of the step in recorded runs, in nanoseconds, with the ids of the runs. The newest run is first.
  package let durations: [(run: String, nanoseconds: Int)]
  /// A table of the attempts with their errors, as HTML. Empty if there was only one attempt.
  package var attempts = ""
  /// The items of the step. Empty if it has no `foreach`.
  package var items: [ReportedItem] = []
  /// The environment variables that the step sets, as written in the workflow file.
  package var environment: [(name: String, value: String)] = []
  /// The times at which attempts ended, except the last one, in milliseconds from the start of the run, by step or
  /// item.
  package var attemptEnds: ValueObject = [:]
}

extension RunLibrary {
  private static let keptPages = 4
  /// The largest number of steps for which slack is computed. For more steps, a person would wait too long for the
  /// page.
  private static let analyzedSteps = 2_000

  /// Returns the page of a run in its current state. `stepPage` is the prefix of links to the pages of its steps. If
  /// `isFast` is true, slack and suggestions are included only if they are cached, because computing them can take half
  /// a second. They are also omitted while the run is running and for more than 2,000 steps.
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

  /// The maximum number of steps for which the page describes the effect of a resume.
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

  /// Returns the report of a run as JSON, the same as `flowrun runs show --json`.
  package func report(of run: StoredRun, in store: any RunStore) throws -> Value {
    .object(try HistoryRun(run, store, try Installation(around: run.file, given: pluginFolders)).report.value)
  }

  /// Returns the run as a Chrome trace, in the same format as `flowrun --trace`.
  package func trace(of run: StoredRun, in store: any RunStore) throws -> [UInt8] {
    let recorder = TraceRecorder()
    recorder.receive(try read(run, in: store).reported.events)
    return recorder.bytes
  }

  /// Returns the content of the page about a step or item, or nil if the run has no such step or item.
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

  /// Returns the content of the page about an item such as `convert[42]`, or nil if the run has no such item.
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

  /// Describes when a step became ready, and for which step or event it had waited last. Returns nil if it did not
  /// become ready or had nothing to wait for.
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

  /// Returns a table of the attempts of a step or item with their errors, or an empty string if there was at most one.
  private static func attempts(_ task: TaskInstance, _ times: [Range<Int>], _ recollection: RunRecollection) -> String {
    guard times.count > 1 else { return "" }
    var errors: [Int: String] = [:]
    for entry in recollection.entries {
      switch entry {
      case .tried(task, let attempt, let failure, _), .lost(task, let attempt, let failure, _):
        errors[attempt] = failure?.message
      case .finished(let end, let failure) where end.task == task: errors[times.count] = failure?.message
      default: continue
      }
    }
    let rows = times.enumerated().map { number, time -> [PageTable.Cell] in
      [
        .init("\(number + 1)", Double(number + 1)), .init(nanoseconds: time.lowerBound), .init(nanoseconds: time.count),
        .init(errors[number + 1].map(ReportedFailure.headline) ?? ""),
      ]
    }
    return PageTable(caption: "Attempts", columns: ["attempt", "started", "took", "error"], rows: rows).html
  }

  /// Returns the output of all steps of a run, or of a single step or item, as text.
  package func log(of run: StoredRun, in store: any RunStore, step: String?) throws -> [UInt8] {
    Array(PageLine.text(PageLine.all(of: try LogFollower(run.id, in: store).read().lines), ofStep: step).utf8)
  }

  /// Returns a page that compares two runs, the same as `flowrun compare` creates.
  package func comparison(
    _ before: (run: StoredRun, store: any RunStore), _ after: (run: StoredRun, store: any RunStore)
  ) throws -> InsightPage {
    let (old, new) = (try read(before.run, in: before.store).reported, try read(after.run, in: after.store).reported)
    try SampleCheck.sameWorkflow([old, new])
    return InsightPages.page(RunComparison(RunSample([old]), RunSample([new])), [])
  }

  /// Returns a page about runs of a workflow that ended without being cancelled or resumed: statistics, budgets and a
  /// forecast. Returns nil if fewer than two of these runs can be read.
  package func history(of file: WorkflowFile, _ workflow: Workflow?) throws -> InsightPage? {
    var sample: [ReportedRun] = []
    for run in file.runs where run.epoch == 1 && sample.count < Self.sampledRuns {
      guard [.success, .partial, .failure].contains(run.state), let found = try find(run.id) else { continue }
      // A run may be unreadable if the file or its plugins have changed since.
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

  /// The maximum number of runs that the page about a workflow includes.
  private static let sampledRuns = 50
  /// The maximum number of runs that a forecast simulates, and the maximum number of steps in all of them together.
  private static let (forecastRuns, forecastSteps) = (1_000, 400_000)

  /// The reason why there is no forecast.
  private struct NoForecast: Error { let reason: String }

  /// Returns a forecast of the next run, or the reason why there is none. The forecast assumes the launch reason of the
  /// last run and, for required inputs without a default, the values of the last run.
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
    var reported = RunSources.run(recorded, installation)
    noteItems(in: &reported, of: recorded, installation.registry)
    if run.state == .running {
      reported.inferRunning(until: max(0, WallTime.now - run.startedMilliseconds) * 1_000_000)
    }
    return (recorded, reported)
  }
}
