import ArgumentParser
import FlowCommandKit
import FlowSystem

/// `flowrun run FILE STEP…` runs a workflow or some of its steps, and shows the progress.
struct RunCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Runs a workflow, or some of its steps.",
    discussion: """
      Examples:
        flowrun workflows/launch.yaml
        flowrun hello.yaml -i who=you --report report.json
        flowrun workflows/launch.yaml --launch background --event app.will-enter-foreground@2s
        flowrun build.yaml --watch
        flowrun build.yaml test lint
        flowrun test -- --filter Parser
      Without FILE, the workflow is flowrun.yaml in this folder or in one above it, up to the repository's root. Named steps run \
      with all that they need; --no-needs leaves the others out. Words after -- are the input 'args', a list of strings; a \
      command reads them as "$@".
      --watch watches the workflow, the files that it includes, its env-file, plugins, files given with @ and the files that \
      steps list under 'inputs-from'. A change never interrupts a run; the workflow runs again after the current run. Ctrl-C \
      cancels the current run, with its cleanup, and ends the watch with exit code 130.
      """)

  @Argument(
    help: ArgumentHelp("The workflow file; default: flowrun.yaml.", valueName: "FILE"), completion: StepWords.first)
  var file: String?

  @Argument(
    help: ArgumentHelp("The steps to run, with all that they need; default: all steps.", valueName: "STEP"),
    completion: StepWords.steps)
  var steps: [String] = []

  /// The words after `--`. `StepWords.normalized` converts each of them to this option.
  @Option(name: .customLong(StepWords.argumentOption), help: .private)
  var arguments: [String] = []

  @Flag(name: .customLong("no-needs"), help: "Runs the named steps without those that they need.")
  var noNeeds = false

  @OptionGroup var given: LaunchOptions

  @Option(
    name: .customLong("event"),
    help: ArgumentHelp(
      "Posts an event after a delay, with a value if the event has one: NAME@DELAY[=JSON].", valueName: "NAME@DELAY"),
    completion: Completions.events)
  var events: [String] = []

  @Flag(help: "Keeps the run going for events from flowrun post, until it is cancelled.")
  var waitForEvents = false

  @Option(
    help: ArgumentHelp("Runs only steps marked prewarm for this long, then activates the run.", valueName: "DURATION"))
  var prewarm: String?

  @OptionGroup var output: OutputArguments

  @Option(
    help: ArgumentHelp(
      "The folder for data kept between runs; default: .flowrun/NAME next to the workflow.", valueName: "FOLDER"))
  var data: String?

  @Flag(help: "Saves every result to disk before starting the next step.")
  var durable = false

  @Option(
    help: ArgumentHelp(
      "The database that stores the run, as postgres://USER@HOST/NAME; default: a file next to the workflow.",
      valueName: "URL"))
  var store: String?

  @Flag(name: .customLong("no-history"), help: "Does not record the run; see flowrun runs.")
  var noHistory = false

  @Option(
    help: ArgumentHelp(
      "Where portable steps run: workers=4 (processes here), slurm=8,partition=short, a plugin's name, or local.",
      valueName: "EXECUTOR"))
  var on: String?

  @Option(
    help: ArgumentHelp(
      "How long flowrun asks Slurm again while its controller refuses everything; default: 2m.",
      valueName: "DURATION"))
  var slurmPatience: String?

  @Option(
    help: ArgumentHelp(
      "How long flowrun waits after a step on a worker for the files that it produces; default: 10s.",
      valueName: "DURATION"))
  var filesWithin: String?

  @Option(
    help: ArgumentHelp(
      "How often a step that was lost with its worker runs again, without retry; default: 3.", valueName: "NUMBER"))
  var lostAttempts: Int?

  @Option(
    help: ArgumentHelp(
      "What steps with 'resources' may take at once, as cpus=8,memory=16GiB,gpus=1; default: this machine.",
      valueName: "AMOUNTS"))
  var resources: String?

  @Option(
    help: ArgumentHelp(
      "Runs this step even if it is up to date; '*' means all. May be given more than once.", valueName: "STEP"))
  var force: [String] = []

  @Flag(help: "Removes files of items that are no longer in the list of their step, after a success.")
  var cleanRemoved = false

  @Flag(help: "Shows for each step whether it would run, and why; runs nothing.")
  var explain = false

  @Flag(help: "Runs again after each change of a file that the run reads, until Ctrl-C.")
  var watch = false

  @OptionGroup var plugins: PluginArguments

  var request: RunRequest {
    get throws {
      let words = try StepWords(file, steps)
      return request(of: words)
    }
  }

  private func request(of words: StepWords) -> RunRequest {
    RunRequest(
      file: words.file, steps: words.steps, leavesOutNeeds: noNeeds, arguments: arguments, isFound: words.isFound,
      inputs: given.inputs, launch: given.launch, events: events, prewarm: prewarm, isJSON: output.json,
      outputs: output.outputs, data: data, isStrict: output.strict, pluginFolders: plugins.folders,
      isQuiet: output.quiet, isVerbose: output.verbose, times: output.times, isDurable: durable,
      keepsHistory: !noHistory,
      forcedSteps: force, cleansRemoved: cleanRemoved, store: store, on: on,
      slurmPatience: slurmPatience, filesWithin: filesWithin, lostAttempts: lostAttempts,
      resources: resources, waitsForEvents: waitForEvents)
  }

  func perform() async throws {
    let request = try request
    if watch {
      if explain { throw UsageProblem("--watch runs and --explain does not; leave one of them out") }
      try await RunWatch(request, arguments: Array(ProcessArguments.all.dropFirst())).perform()
    }
    if explain { return try RunExplanation.write(request) }
    try await RunSession.runInTask(request)
  }
}
