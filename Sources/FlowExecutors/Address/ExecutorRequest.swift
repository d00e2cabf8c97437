import FlowDiagnostics
import FlowModel
import FlowPluginHost
import FlowSyntax
import FlowSystem

/// The parameters from which an executor is created: its address, and properties of the run and its steps.
package struct ExecutorRequest: Sendable {
  /// The address as given in the workflow or with `--on`.
  package var address: ExecutorAddress
  /// The actions and programs that workers must have.
  package var needs: WorkerRequirements
  /// The absolute path of the workflow's folder, in which workers start.
  package var workflowFolder: String
  /// The plugin folders given on the command line, as absolute paths.
  package var pluginFolders: [String]
  /// The installed plugins, some of which may be executors.
  package var plugins: [InstalledPlugin]
  /// The environment of this program.
  package var environment: [String: String]
  /// The variables of this program that contain secrets. They are not passed to commands or other machines.
  package var withheld: Set<String> = []
  /// The remote steps that request resources, with their requests.
  package var requests: [(step: StepID, request: MachineResources)] = []
  /// The steps that limit the time that their commands have to stop, with that time.
  package var stopTimes: [(step: StepID, time: Duration)] = []
  /// True if some of the steps that request resources are fan-outs.
  package var hasSizedItems = false
  /// True if the executor also runs steps that request no resources.
  package var hasPlainSteps = true
  /// The maximum time to repeat a request to Slurm while its controller temporarily refuses requests.
  package var slurmPatience = Duration.seconds(120)
  /// The intervals and time limits of the workers' heartbeats.
  package var pulse = PulseRhythm()
  /// Returns true while workers may be sent pings, which keep them alive.
  package var mayPing: @Sendable () -> Bool = { true }
  /// Receives messages for the user, for example about lost workers.
  package var tell: @Sendable (String) -> Void = { _ in }

  /// Creates a request with default values for the optional settings.
  package init(
    address: ExecutorAddress, needs: WorkerRequirements, workflowFolder: String, pluginFolders: [String],
    plugins: [InstalledPlugin], environment: [String: String]
  ) {
    self.address = address
    self.needs = needs
    self.workflowFolder = workflowFolder
    self.pluginFolders = pluginFolders
    self.plugins = plugins
    self.environment = environment
  }

  /// Creates the executor without starting workers. May block while an engine reports its number of slots.
  package func pool() throws(ExecutorProblem) -> WorkerPool {
    let means = try means()
    return WorkerPool(
      name: address.name, starts: means.starts, needs: needs, workflowFolder: workflowFolder,
      copies: address.copiesFiles ? WorkerTerms.Copies(scratch: address["scratch"]) : nil, pulse: pulse,
      mayPing: mayPing, withheld: withheld, release: means.release, sized: means.sized, waiting: means.waiting,
      tell: tell)
  }

  /// The environment of programs that connect to other machines, without variables that contain secrets.
  private var transportEnvironment: [String: String] { environment.filter { !withheld.contains($0.key) } }

  /// The commands for starting workers and for releasing the engine's allocations, and the workers of steps with
  /// resources.
  private struct Means {
    var starts: [WorkerStart]
    var release: [String]?
    var sized: SizedWorkers?
    var waiting: WorkerPool.WaitingJobs?
  }

  private func means() throws(ExecutorProblem) -> Means {
    switch address.name {
    case ExecutorAddress.workers: return Means(starts: localStarts())
    case ExecutorAddress.slurm:
      let program = address["worker"] ?? "flowrun"
      var engine = SlurmEngine(address: address, environment: transportEnvironment)
      engine.patience = slurmPatience
      engine.tell = tell
      let cluster = try engine.cluster()
      if !engine.defaults.isEmpty { tell("slurm: \(engine.defaults.joined(separator: ", "))") }
      engine.excluded = cluster.excluded
      try engine.check(requests, on: cluster)
      if let warning = try engine.killWaitWarning(for: stopTimes) { tell(warning) }
      let starts = hasPlainSteps ? engine.starts(workerCommand(program), perNode: try cluster.slotsPerNode()) : []
      var sized = engine.sized { workerCommand(program, result: $0) }
      if hasSizedItems { sized.arrays = try engine.arrays { workerCommand(program, result: $0) } }
      return Means(
        starts: starts, release: engine.release(starts), sized: requests.isEmpty ? nil : sized, waiting: engine.waiting)
    default: return Means(starts: try externalStarts())
    }
  }

  /// Returns the starts of the workers of an executor that a plugin provides.
  private func externalStarts() throws(ExecutorProblem) -> [WorkerStart] {
    let known = plugins.filter { $0.manifest.executor != nil }
    guard let plugin = known.first(where: { $0.name == address.name }), let executor = plugin.manifest.executor else {
      let names = [ExecutorAddress.workers, ExecutorAddress.slurm] + known.map(\.name)
      throw ExecutorProblem(
        "there is no executor '\(address.name)'; "
          + (NearestName.question(address.name, among: names) ?? "there are \(names.joined(separator: ", "))"),
        isUsage: true)
    }
    for option in address.options where !ExecutorAddress.commonOptions.contains(option.name) {
      throw ExecutorProblem(
        "'\(address.name)' has no option '\(option.name)'; it has "
          + ExecutorAddress.commonOptions.joined(separator: ", "), isUsage: true)
    }
    let engine = ExternalEngine(
      plugin: plugin, executor: executor, address: address, environment: transportEnvironment)
    return try engine.starts(workerCommand(address["worker"] ?? "flowrun"))
  }

  /// Returns the command line of the worker itself, without the command that starts it on another machine.
  func workerCommand(_ program: String, result: ResultFile? = nil) -> [String] {
    let result = result.map { ["--result", $0.path] } ?? []
    return [program, "worker", "--stdio"] + result + pluginFolders.flatMap { ["--plugin-dir", $0] }
  }

  /// The default maximum number of worker processes on this machine.
  private static let mostProcesses = 64

  /// Returns the starts of the local workers. There is one process per slot, but at most `processes` (64 by default),
  /// over which all slots are spread.
  private func localStarts() -> [WorkerStart] {
    let slots = address.slots
    let processes = min(slots, address["processes"].flatMap { Int($0) } ?? Self.mostProcesses)
    let command = workerCommand(address["worker"] ?? OwnProgram.path)
    return (0..<processes).map { index in
      WorkerStart(
        name: "worker \(index + 1)", command: command, environment: environment,
        slots: slots / processes + (index < slots % processes ? 1 : 0), isLocal: true)
    }
  }
}
