import FlowCommandKit
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowSystem

/// The arguments of `flowrun run`; see ``RunCommand`` for their meaning.
struct RunRequest: Hashable {
  var file: String
  /// The steps to run as named on the command line; empty for all steps.
  var steps: [String] = []
  /// True to leave out the dependencies of these steps.
  var leavesOutNeeds = false
  /// The words after `--`, which become the input `args`.
  var arguments: [String] = []
  /// True if the file was found by default and not named.
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
  /// True to show starts, queues, the critical path and exceeded estimates, too.
  var isVerbose = false
  /// The times before lines.
  var times = LineTimes.wall
  var isDurable = false
  var keepsHistory = true
  /// The steps to run even if they are up to date.
  var forcedSteps: [String] = []
  /// True to remove files of items that are no longer in the list of their step.
  var cleansRemoved = false
  /// The database for the run history, or nil for the file next to the workflow.
  var store: String?
  /// The executor for the steps, or nil to follow the file.
  var on: String?
  /// The time for which Slurm is retried, or nil for the default.
  var slurmPatience: String?
  /// The maximum wait for files that a step on a worker produces, or nil for the default.
  var filesWithin: String?
  /// The number of times that a step lost with its worker runs again, or nil for the default.
  var lostAttempts: Int?
  /// The resources that steps may use at the same time, or nil for those of this machine.
  var resources: String?
  /// True if the run continues to wait for events from other processes.
  var waitsForEvents = false
}

extension RunRequest {
  /// Throws for errors in file names that are known before anything runs.
  func checkFiles() throws {
    try Self.checkFolder(data)
    try outputs.check(among: [file])
  }

  /// Throws if `--data` is empty.
  static func checkFolder(_ data: String?) throws(UsageProblem) {
    if data == "" { throw UsageProblem("--data is empty; name a folder, or leave --data out") }
  }

  /// The duration of prewarming, or nil without.
  var prewarmDuration: Duration? {
    get throws(UsageProblem) {
      guard let prewarm else { return nil }
      return try LaunchArguments.duration(prewarm, of: "--prewarm '\(prewarm)'")
    }
  }

  /// The time for which Slurm is retried while its controller refuses everything, or nil for the default.
  var slurmPatienceDuration: Duration? {
    get throws(UsageProblem) {
      guard let slurmPatience else { return nil }
      return try LaunchArguments.duration(slurmPatience, of: "--slurm-patience '\(slurmPatience)'")
    }
  }

  /// The maximum wait for files that a step on a worker produces, or nil for the default.
  var filesWithinDuration: Duration? {
    get throws(UsageProblem) {
      guard let filesWithin else { return nil }
      return try LaunchArguments.duration(filesWithin, of: "--files-within '\(filesWithin)'")
    }
  }

  /// Returns the options for the engine.
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
