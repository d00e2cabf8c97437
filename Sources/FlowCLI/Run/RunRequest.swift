import FlowCommandKit
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowSystem

/// The arguments of `flowrun run`. ``RunCommand`` explains them.
package struct RunRequest: Hashable {
  var file: String
  /// The steps that the command line names. Empty to run all steps.
  var steps: [String] = []
  /// True if only the named steps run, without their dependencies.
  var leavesOutNeeds = false
  var arguments: [String] = []
  /// True if the command line does not name a file, so that `flowrun.yaml` is used.
  var isFound = false
  var inputs: [String] = []
  var launch: String?
  var events: [String] = []
  var prewarm: String?
  var isJSON = false
  var outputs = RunOutputs()
  var data: String?
  var isStrict = false
  package var pluginFolders: [String] = []
  var isQuiet = false
  /// True to show starts, queues, the critical path and exceeded estimates as well.
  var isVerbose = false
  /// The kind of time that is shown at the beginning of each line.
  var times = LineTimes.wall
  var isDurable = false
  var keepsHistory = true
  var forcedSteps: [String] = []
  /// True to remove the files of items that are no longer in their step's list.
  var cleansRemoved = false
  /// The address of the database that contains the run history. Nil means the store next to the workflow.
  var store: String?
  /// The address of the executor that runs the steps. Nil means that the workflow file decides.
  package var on: String?
  /// The duration for which requests to Slurm are retried, as written. Nil means the default.
  var slurmPatience: String?
  /// The time to wait for files that a step on a worker has written, as written. Nil means the default.
  var filesWithin: String?
  /// The number of times that a step runs again if its worker is lost. Nil means the default.
  package var lostAttempts: Int?
  /// The resources that steps may use at the same time, as written. Nil means the resources of this machine.
  var resources: String?
  /// True to wait for events from other processes even if nothing in the run can post them.
  var waitsForEvents = false
}

extension RunRequest {
  /// Throws if a file name has a mistake that is evident before anything runs.
  func checkFiles() throws {
    try Self.checkFolder(data)
    try outputs.check(among: [file])
  }

  static func checkFolder(_ data: String?) throws(UsageProblem) {
    if data == "" { throw UsageProblem("--data is empty; name a folder, or leave --data out") }
  }

  /// The duration for which the run is prewarmed before it is activated, or nil if it is not prewarmed.
  var prewarmDuration: Duration? {
    get throws(UsageProblem) {
      guard let prewarm else { return nil }
      return try LaunchArguments.duration(prewarm, of: "--prewarm '\(prewarm)'")
    }
  }

  /// The duration for which requests to Slurm are retried while its controller refuses them. Nil means the default.
  package var slurmPatienceDuration: Duration? {
    get throws(UsageProblem) {
      guard let slurmPatience else { return nil }
      return try LaunchArguments.duration(slurmPatience, of: "--slurm-patience '\(slurmPatience)'")
    }
  }

  /// The time to wait for files that a step on a worker has written. Nil means the default.
  var filesWithinDuration: Duration? {
    get throws(UsageProblem) {
      guard let filesWithin else { return nil }
      return try LaunchArguments.duration(filesWithin, of: "--files-within '\(filesWithin)'")
    }
  }

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
      throw UsageProblem("--force: " + LoadedWorkflow.unknownStep(name, workflow))
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
