import FlowCommandKit
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowSystem

/// What `flowrun run` was asked for; see ``RunCommand`` for the meaning of each.
struct RunRequest: Hashable {
  var file: String
  /// The steps to run, as the command line names them; empty: all.
  var steps: [String] = []
  /// Whether the steps that these need are left out.
  var leavesOutNeeds = false
  /// The words after `--`, which become the input `args`.
  var arguments: [String] = []
  /// Whether the file was found, and not named.
  var isFound = false
  var inputs: [String] = []
  var launch: String?
  var events: [String] = []
  var prewarm: String?
  var isJSON = false
  var outputs = RunOutputs()
  var data: String?
  var isStrict = false
  var pluginFolders: [String] = []
  var isQuiet = false
  /// Whether starts, queues, the critical path and exceeded estimates are shown, too.
  var isVerbose = false
  /// The times in front of lines.
  var times = LineTimes.wall
  var isDurable = false
  var keepsHistory = true
  /// Steps that run though they are up to date.
  var forcedSteps: [String] = []
  /// Whether files of items that are no longer in the list of their step are removed.
  var cleansRemoved = false
  /// The database that keeps the run; nil: the file next to the workflow.
  var store: String?
  /// Where steps are sent; nil: where the file says.
  var on: String?
  /// For how long Slurm is asked again; nil: for the usual time.
  var slurmPatience: String?
  /// For how long the files that a step on a worker produces are awaited; nil: for the usual time.
  var filesWithin: String?
  /// How often a step that was lost with its worker runs again; nil: as usual.
  var lostAttempts: Int?
  /// What steps with `resources` may take at once; nil: what this machine has.
  var resources: String?
  /// Whether the run continues for events from other processes.
  var waitsForEvents = false
}

extension RunRequest {
  /// Throws what is known of the files before anything runs: that one cannot be written, or would be written over.
  func checkFiles() throws {
    try Self.checkFolder(data)
    try outputs.check(among: [file])
  }

  /// Throws when `--data` names nothing.
  static func checkFolder(_ data: String?) throws(UsageProblem) {
    if data == "" { throw UsageProblem("--data is empty; name a folder, or leave --data out") }
  }

  /// How long the run is prewarmed, or nil.
  var prewarmDuration: Duration? {
    get throws(UsageProblem) {
      guard let prewarm else { return nil }
      return try LaunchArguments.duration(prewarm, of: "--prewarm '\(prewarm)'")
    }
  }

  /// For how long Slurm is asked again while its controller refuses everything; nil: for the usual time.
  var slurmPatienceDuration: Duration? {
    get throws(UsageProblem) {
      guard let slurmPatience else { return nil }
      return try LaunchArguments.duration(slurmPatience, of: "--slurm-patience '\(slurmPatience)'")
    }
  }

  /// For how long the files that a step on a worker produces are awaited; nil: for the usual time.
  var filesWithinDuration: Duration? {
    get throws(UsageProblem) {
      guard let filesWithin else { return nil }
      return try LaunchArguments.duration(filesWithin, of: "--files-within '\(filesWithin)'")
    }
  }

  /// What the engine is asked for.
  func options(for workflow: Workflow, _ registry: ActionRegistry) throws(UsageProblem) -> RunOptions {
    let folder = FilePath.folder(of: FilePath.absolute(file))
    var options = RunOptions(
      dataFolder: data.map(FilePath.absolute) ?? "\(folder)/.flowrun/\(workflow.name)", workflowFolder: folder)
    options.inputs = try InputArguments.read(
      inputs, words: arguments, for: workflow.inputs,
      run: RunInformation(id: "", dataFolder: options.dataFolder, workflowFolder: folder))
    options.launch = try LaunchArguments.launch(launch)
    for event in events {
      let (name, delay, value) = try LaunchArguments.event(event, of: workflow, registry)
      if !value.isNull { options.announcedValues[options.announcedEvents.count] = value }
      options.announcedEvents.append((name, delay))
    }
    options.acceptsEvents = waitsForEvents
    options.endsOutsideServices = !waitsForEvents && !workflow.keepsServices
    options.isPrewarmed = prewarm != nil
    for name in forcedSteps where name != "*" && !workflow.steps.contains(where: { $0.id.text == name }) {
      throw UsageProblem("--force: " + RunsCommand.Show.unknown(name, workflow))
    }
    options.forcedSteps = Set(forcedSteps)
    options.removesLeftovers = cleansRemoved
    options.selection = try StepWords.selection(self, workflow)
    if let wait = try filesWithinDuration { options.fileWait = wait }
    options.showsOutput = !isQuiet
    options.capacity = try MachineArguments.capacity(resources)
    return options
  }
}
