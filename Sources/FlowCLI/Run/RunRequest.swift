import FlowCommandKit
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowSystem

/// The arguments of `flowrun run`. For their meaning, see ``RunCommand``.
package struct RunRequest: Hashable {
  var file: String
  /// The steps named on the command line; empty to run all steps.
  var steps: [String] = []
  /// True to run these steps without their dependencies.
  var leavesOutNeeds = false
  var arguments: [String] = []
  /// True if the command line does not name the file, and `flowrun.yaml` was found.
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
  /// True to also show starts, queues, the critical path and exceeded estimates.
  var isVerbose = false
  /// The kind of time shown before each line.
  var times = LineTimes.wall
  var isDurable = false
  var keepsHistory = true
  var forcedSteps: [String] = []
  /// True to remove the files of items that are no longer in the list of their step.
  var cleansRemoved = false
  /// The address of the database for the run history, or nil for the store next to the workflow.
  var store: String?
  /// The address of the executor for the steps. Nil means that the workflow file decides.
  package var on: String?
  /// How long requests to Slurm are retried. Nil means the default.
  var slurmPatience: String?
  /// The time to wait for a file that a step on a worker has written, or nil for the default.
  var filesWithin: String?
  /// How many times a step is run again if its worker is lost. Nil means the default.
  package var lostAttempts: Int?
  /// The resources that steps may use at the same time. Nil means the resources of this machine.
  var resources: String?
  /// True to keep waiting for events from other processes when nothing in the run can post them any more.
  var waitsForEvents = false
}

extension RunRequest {
  /// Throws if a file name has an error that is known before anything runs.
  func checkFiles() throws {
    try Self.checkFolder(data)
    try outputs.check(among: [file])
  }

  static func checkFolder(_ data: String?) throws(UsageProblem) {
    if data == "" { throw UsageProblem("--data is empty; name a folder, or leave --data out") }
  }

  /// The time by which the run is prewarmed before its activation, or nil if it is not prewarmed.
  var prewarmDuration: Duration? {
    get throws(UsageProblem) {
      guard let prewarm else { return nil }
      return try LaunchArguments.duration(prewarm, of: "--prewarm '\(prewarm)'")
    }
  }

  /// How long requests to Slurm are retried while its controller does not accept any. Nil means the default.
  package var slurmPatienceDuration: Duration? {
    get throws(UsageProblem) {
      guard let slurmPatience else { return nil }
      return try LaunchArguments.duration(slurmPatience, of: "--slurm-patience '\(slurmPatience)'")
    }
  }

  /// The time to wait for a file that a step on a worker has written, or nil for the default.
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
