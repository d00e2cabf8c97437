import ArgumentParser
import FlowCLI
import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowInsight
import FlowModel
import FlowPluginKit
import FlowSystem

/// `flowrun simulate FILE`: forecasts runs of a workflow.
struct SimulateCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate", abstract: "Simulates thousands of runs of a workflow on a virtual clock.",
    discussion: """
      No step is executed: the real scheduler runs on a virtual clock, with times drawn from each step's estimate or from \
      the timings that --from has recorded. The same file, seed and options give the same output. The file's budgets and those of --budget are checked; a broken one \
      exits 3.
      Examples:
        flowrun simulate workflows/launch.yaml
        flowrun simulate launch.yaml --slow '*=1.5' --budget 'p95(gate) <= 2.5s' --budget 'missed <= 1%'
        flowrun simulate launch.yaml --from . --defer country-list --format html -o forecast.html
      """)

  @Argument(help: ArgumentHelp("The workflow file.", valueName: "FILE"), completion: Completions.files)
  var file: String

  @OptionGroup var given: LaunchOptions

  @Flag(
    name: .customLong("first-launch"), help: "Simulates the first launch after the installation: launch.first is true.")
  var isFirstLaunch = false

  @Option(
    name: .customLong("event"),
    help: ArgumentHelp("An event that arrives after a delay: NAME@DELAY.", valueName: "NAME@DELAY"),
    completion: Completions.events)
  var events: [String] = []

  @Option(help: ArgumentHelp("How many runs to simulate.", valueName: "COUNT"))
  var runs = 10_000

  @Option(help: ArgumentHelp("The random seed; the same seed gives the same runs.", valueName: "NUMBER"))
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp(
      "Recorded timings to use: a folder with recorded runs (.) or reports, a report, or postgres://USER@HOST/NAME.",
      valueName: "SOURCE"),
    completion: .file())
  var from: [String] = []

  @Option(
    help: ArgumentHelp(
      "How often a recorded run is drawn whole instead of step by step, from 0 to 1.", valueName: "SHARE"))
  var correlation = 0.5

  @Option(
    help: ArgumentHelp("Multiplies the time of a step: STEP=FACTOR; '*=1.5' that of each.", valueName: "STEP=FACTOR"),
    completion: Completions.stepsOfFile)
  var slow: [String] = []

  @Option(
    help: ArgumentHelp("How often an attempt of a step fails: STEP=RATE, from 0 to 1.", valueName: "STEP=RATE"),
    completion: Completions.stepsOfFile)
  var fail: [String] = []

  @Option(
    name: .customLong("defer"), help: ArgumentHelp("Defers a step until the gate has opened.", valueName: "STEP"),
    completion: Completions.stepsOfFile)
  var deferred: [String] = []

  @Option(
    name: .customLong("drop"), help: ArgumentHelp("Leaves a step out.", valueName: "STEP"),
    completion: Completions.stepsOfFile)
  var dropped: [String] = []

  @Flag(name: .customLong("no-minimum"), help: "Leaves the gate's minimum out.")
  var noMinimum = false

  @Option(
    help: ArgumentHelp(
      "The assumed result of a step: steps.ID.outputs.NAME=VALUE, or steps.ID.items=COUNT for a foreach.",
      valueName: "ASSUMPTION"))
  var assume: [String] = []

  @Option(
    help: ArgumentHelp(
      "How many steps may run at once; default: as many as the workflow's queues allow.", valueName: "COUNT"))
  var threads: Int?

  @Option(
    help: ArgumentHelp(
      "What steps with 'resources' may take at once, as cpus=8,memory=16GiB,gpus=1; default: this machine.",
      valueName: "AMOUNTS"))
  var resources: String?

  @Option(
    name: .customLong("budget"),
    help: ArgumentHelp("A rule such as 'p95(gate) <= 2.5s'; exits 3 when it is broken.", valueName: "RULE"))
  var budgets: [String] = []

  @OptionGroup var output: InsightOutput
  @OptionGroup var plugins: PluginArguments

  func perform() async throws {
    let rules = try BudgetArguments.read(budgets, hasBaseline: false)
    try checkNumbers()
    try output.check()
    let installation = try Installation(around: file, given: plugins.folders)
    let graph = try LoadedWorkflow.load(file, installation)
    try BudgetArguments.check(rules, of: graph.workflow)
    var (scene, changes, options) = try scene(graph.workflow, installation)
    options.recordedRuns = try recordedRuns(graph, installation, scene.launch)
    options.correlation = correlation
    let forecast = await forecast(scene, changes, ForecastModel(try scene.stage(changes), options))
    let results = forecast.check(graph.workflow.budgets + rules)
    try write(forecast, results)
    if results.contains(where: \.isBroken) { ExitStatus.budgetBroken.exit() }
  }

  private func checkNumbers() throws(UsageProblem) {
    guard (1...ForecastOptions.runLimit).contains(runs) else {
      throw UsageProblem("--runs \(runs): write a number from 1 to \(ForecastOptions.runLimit)")
    }
    guard (0...1).contains(correlation) else {
      throw UsageProblem("--correlation \(correlation): write a number from 0 to 1")
    }
    if let threads, !(1...Limits.steps).contains(threads) {
      throw UsageProblem("--threads \(threads): write a number from 1 to \(Limits.steps)")
    }
  }

  /// Returns the workflow to simulate, and the hypothetical changes and options given on the command line.
  private func scene(
    _ workflow: Workflow, _ installation: Installation
  ) throws(UsageProblem) -> (ForecastScene, WorkflowChanges, ForecastOptions) {
    guard runs * workflow.steps.count <= ForecastOptions.valueLimit else {
      throw UsageProblem(
        "--runs \(runs): with \(workflow.steps.count.counted("step")) at most "
          + "\((ForecastOptions.valueLimit / workflow.steps.count).counted("run")) can be simulated")
    }
    let steps = StepArguments(workflow: workflow)
    let assumed = try steps.assumptions(assume)
    var launch = try LaunchArguments.launch(given.launch)
    launch.isFirst = isFirstLaunch
    let folder = FilePath.folder(of: FilePath.absolute(file))
    let scene = ForecastScene(
      workflow: workflow, registry: installation.registry,
      inputs: try InputArguments.read(
        given.inputs, for: workflow.inputs, run: RunInformation(id: "", dataFolder: folder, workflowFolder: folder)),
      launch: launch, outputs: assumed.outputs, capacity: try MachineArguments.capacity(resources))
    var changes = WorkflowChanges()
    changes.deferred = Set(try deferred.map { id throws(UsageProblem) in try steps.step(id, "--defer") })
    changes.dropped = Set(try dropped.map { id throws(UsageProblem) in try steps.step(id, "--drop") })
    changes.threads = threads
    var options = ForecastOptions()
    options.runs = runs
    options.seed = seed
    options.slow = try steps.numbers(slow, "--slow", in: 0...1_000, "STEP=FACTOR, such as geocode=2 or '*=1.5'")
    options.failureRates = try steps.numbers(fail, "--fail", in: 0...1, "STEP=RATE, such as pull=0.1")
    options.ignoresMinimum = noMinimum
    options.itemCounts = assumed.items
    options.assumedOutputs = assumed.names
    for event in events {
      let (name, delay, _) = try LaunchArguments.event(event, of: workflow, installation.registry)
      options.events.append(RunPost(afterNanoseconds: delay.nanoseconds, event: name))
    }
    return (scene, changes, options)
  }

  private func forecast(_ scene: ForecastScene, _ changes: WorkflowChanges, _ model: ForecastModel) async -> Forecast {
    var forecast = await ForecastRunner.forecast(model)
    forecast.lookClosely()
    forecast.findSuggestions { change, step in scene.tried(change, step, beside: changes) }
    return forecast
  }

  private func write(_ forecast: Forecast, _ results: [BudgetResult]) throws(FileProblem) {
    try output.write(
      text: { ForecastText(forecast: forecast, budgets: results, style: $0).text },
      json: { ForecastJSON(forecast: forecast, budgets: results).value },
      html: { InsightPages.page(forecast, results).html })
  }

  /// Returns the recorded runs from which durations are drawn: finished runs of this workflow with the same launch
  /// reason, except resumed and prewarmed runs. Throws a usage error if `--from` was given and there are none, or if it
  /// names runs of another workflow.
  private func recordedRuns(
    _ graph: WorkflowGraph, _ installation: Installation, _ launch: Launch
  ) throws -> [RecordedRun] {
    guard !from.isEmpty else { return [] }
    let sources = RunSources(place: try RunPlace.parse([]), plugins: plugins)
    let found = try from.flatMap { try sources.history(of: graph, file: file, in: $0, installation) }
    let ids = Set(graph.workflow.steps.map(\.id.text))
    for other in found
    where other.workflow != graph.workflow.name || !other.course.shape.steps.contains(where: { ids.contains($0.id) }) {
      let run = other.id.isEmpty ? "a run" : "run \(RunReference.short(other.id))"
      throw UsageProblem(
        other.workflow == graph.workflow.name
          ? "--from: \(run) is one of another workflow '\(other.workflow)', which has none of these steps"
          : "--from: \(run) is one of workflow '\(other.workflow)', not of '\(graph.workflow.name)'")
    }
    let fitting = ForecastScene.fitting(found, launch)
    guard !fitting.isEmpty else {
      throw UsageProblem(
        found.isEmpty
          ? "--from: no run of '\(FilePath.absolute(file))' is recorded there"
          : "--from: none of \(found.count.counted("run")) can be used: each was cancelled, resumed or prewarmed, or "
            + "launched for another reason than \(launch.reason.rawValue)")
    }
    return ForecastScene.recorded(fitting, of: graph.workflow, installation.registry, launch)
  }
}
