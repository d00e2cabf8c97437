import ArgumentParser
import FlowSystem

/// `flowrun run FILE`: runs a workflow and shows it.
struct RunCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Runs a workflow.",
    discussion: """
      Examples:
        flowrun workflows/launch.yaml
        flowrun hello.yaml -i who=you --report report.json
        flowrun workflows/launch.yaml --launch background --event app.will-enter-foreground@2s
        flowrun build.yaml --watch
      --watch looks after the workflow, the files that it includes, its env-file, plugins, files given with @ and what steps name \
      under 'inputs-from'. A run is never cut off by a change: it ends, and what changed meanwhile runs it again. Ctrl-C \
      cancels the run that goes on, with its cleanup, and ends the watch with exit code 130.
      """)

  @Argument(help: "The workflow file.", completion: Completions.files)
  var file: String

  @OptionGroup var given: LaunchOptions

  @Option(
    name: .customLong("event"), help: "Posts an event so long after the start: NAME@DELAY.",
    completion: Completions.events)
  var events: [String] = []

  @Option(help: "Runs only steps marked prewarm for so long, then activates.")
  var prewarm: String?

  @OptionGroup var output: OutputArguments

  @Option(help: "The folder that keeps what outlives the run; default: .flowrun/NAME next to the workflow.")
  var data: String?

  @Flag(help: "Begins no step before everything that came out of the run until then is on disk.")
  var durable = false

  @Option(help: "The database that keeps the run, as postgres://USER@HOST/NAME; default: a file next to the workflow.")
  var store: String?

  @Flag(name: .customLong("no-history"), help: "Does not remember the run; see flowrun runs.")
  var noHistory = false

  @Option(
    help: "Where portable steps run: workers=4 (processes here), slurm=8,partition=short, a plugin's name, or local.")
  var on: String?

  @Option(help: "What steps with 'resources' may take at once, as cpus=8,memory=16GiB,gpus=1; default: this machine.")
  var resources: String?

  @Option(help: "Runs this step though it is up to date; '*' stands for all. May be given more than once.")
  var force: [String] = []

  @Flag(help: "Says of each step whether it would run, and why; runs nothing.")
  var explain = false

  @Flag(help: "Runs again after each change of what the run reads, until Ctrl-C.")
  var watch = false

  @OptionGroup var plugins: PluginArguments

  /// What the arguments ask for.
  var request: RunRequest {
    RunRequest(
      file: file, inputs: given.inputs, launch: given.launch, events: events, prewarm: prewarm, isJSON: output.json,
      outputs: output.outputs, data: data, isStrict: output.strict, pluginFolders: plugins.folders,
      isQuiet: output.quiet, isVerbose: output.verbose, isDurable: durable, keepsHistory: !noHistory,
      forcedSteps: force, store: store, on: on,
      resources: resources)
  }

  func perform() async throws {
    if watch {
      if explain { throw UsageProblem("--watch runs and --explain does not; leave one of them out") }
      try await RunWatch(request, arguments: Array(ProcessArguments.all.dropFirst())).perform()
    }
    if explain { return try RunExplanation.write(request) }
    let session = try await RunSession.inTask(request)
    await session.end(session.run.report)
  }
}
