import FlowDiagnostics
import FlowModel
import FlowPluginHost
import FlowSyntax
import FlowSystem

/// The parameters of an executor: the address for the steps, and the settings with which this program reaches it.
package struct ExecutorRequest: Sendable {
  /// The address of the executor.
  package var address: ExecutorAddress
  /// The requirements that workers must meet.
  package var needs: WorkerRequirements
  /// The absolute path of the workflow's folder.
  package var workflowFolder: String
  /// The plugin folders given on the command line, as absolute paths.
  package var pluginFolders: [String]
  /// The installed plugins, some of which may be executors.
  package var plugins: [InstalledPlugin]
  /// The environment of this program.
  package var environment: [String: String]
  /// The variables of this program that contain secrets. They are not passed to commands or other machines.
  package var withheld: Set<String> = []
  /// The steps that request resources of a machine other than this one, with their requests.
  package var requests: [(step: StepID, request: MachineResources)] = []
  /// The times to stop that steps state for their commands.
  package var stopTimes: [(step: StepID, time: Duration)] = []
  /// True if some of these steps are fan-outs.
  package var hasSizedItems = false
  /// True if steps without resources are sent there, too.
  package var hasPlainSteps = true
  /// The time for which requests to Slurm are repeated while its controller refuses all of them.
  package var slurmPatience = Duration.seconds(120)
  /// The intervals of the workers' heartbeats.
  package var pulse = PulseRhythm()
  /// Returns true if workers may still be sent pings.
  package var mayPing: @Sendable () -> Bool = { true }
  /// Receives messages about workers that cannot be used or are lost.
  package var tell: @Sendable (String) -> Void = { _ in }

  /// Creates a request from the values without a default.
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

  /// Creates the executor without starting workers. Asks an engine for its slots, which may take a while.
  package func pool() throws(ExecutorProblem) -> WorkerPool {
    let means = try means()
    return WorkerPool(
      name: address.name, starts: means.starts, needs: needs, workflowFolder: workflowFolder,
      copies: address.copiesFiles ? WorkerTerms.Copies(scratch: address["scratch"]) : nil, pulse: pulse,
      mayPing: mayPing, withheld: withheld, release: means.release, sized: means.sized, waiting: means.waiting,
      tell: tell)
  }

  /// The environment of programs that connect to another machine.
  private var transportEnvironment: [String: String] { environment.filter { !withheld.contains($0.key) } }

  /// The commands for starting workers, for releasing the engine's allocations for them, and for workers of steps with
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

  /// Returns the workers of an executor that is a plugin.
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

  /// Returns the worker's command line, to which the command that starts it is prefixed.
  func workerCommand(_ program: String, result: ResultFile? = nil) -> [String] {
    let result = result.map { ["--result", $0.path] } ?? []
    return [program, "worker", "--stdio"] + result + pluginFolders.flatMap { ["--plugin-dir", $0] }
  }

  /// The default maximum number of worker processes for `workers`.
  private static let mostProcesses = 64

  /// Returns the workers on this machine: one process per slot, up to the requested number of processes.
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
