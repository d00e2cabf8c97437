import FlowDiagnostics
import FlowModel
import FlowPluginHost
import FlowSyntax
import FlowSystem

/// What an executor is made of: where steps are to go, and what this program knows that it takes to get there.
public struct ExecutorRequest: Sendable {
  /// Where.
  public var address: ExecutorAddress
  /// What workers must have.
  public var needs: WorkerRequirements
  /// The absolute path of the workflow's folder.
  public var workflowFolder: String
  /// The plugin folders that the command line names, as absolute paths.
  public var pluginFolders: [String]
  /// The plugins that are installed, of which some may be executors.
  public var plugins: [InstalledPlugin]
  /// This program's own environment.
  public var environment: [String: String]
  /// Variables of this program that secrets come from: no command gets them, and nothing that leads to another machine.
  public var withheld: Set<String> = []
  /// The steps that take resources of a machine, where that does not count against this one.
  public var requests: [(step: StepID, request: MachineResources)] = []
  /// Whether some of these steps are fan-outs.
  public var hasSizedItems = false
  /// Whether other steps are sent there too.
  public var hasPlainSteps = true
  /// For how long Slurm is asked again while its controller refuses everything.
  public var slurmPatience = Duration.seconds(120)
  /// How often workers are asked for heartbeats.
  package var pulse = PulseRhythm()
  /// Whether they may still be asked.
  package var mayPing: @Sendable () -> Bool = { true }
  /// Receives the workers that are left out or lost.
  public var tell: @Sendable (String) -> Void = { _ in }

  /// A request with everything that has no default.
  public init(
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

  /// The executor, none of whose workers has been started. Asks an engine which slots there are, which may take a
  /// while.
  package func pool() throws(ExecutorProblem) -> WorkerPool {
    let means = try means()
    return WorkerPool(
      name: address.name, starts: means.starts, needs: needs, workflowFolder: workflowFolder,
      copies: address.copiesFiles ? WorkerTerms.Copies(scratch: address["scratch"]) : nil, pulse: pulse,
      mayPing: mayPing, withheld: withheld, release: means.release, sized: means.sized, waiting: means.waiting,
      tell: tell)
  }

  /// The environment of what leads to another machine.
  private var transportEnvironment: [String: String] { environment.filter { !withheld.contains($0.key) } }

  /// How the workers are started, the command that releases what is asked of an engine for them, and how workers for steps that
  /// take resources of a machine are had.
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
      let starts = hasPlainSteps ? engine.starts(workerCommand(program), perNode: try cluster.slotsPerNode()) : []
      var sized = engine.sized { workerCommand(program, result: $0) }
      if hasSizedItems { sized.arrays = try engine.arrays { workerCommand(program, result: $0) } }
      return Means(
        starts: starts, release: engine.release(starts), sized: requests.isEmpty ? nil : sized, waiting: engine.waiting)
    default: return Means(starts: try externalStarts())
    }
  }

  /// Slots of an executor that is a plugin.
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

  /// How a worker is called, behind whatever starts it.
  func workerCommand(_ program: String, result: ResultFile? = nil) -> [String] {
    let result = result.map { ["--result", $0.path] } ?? []
    return [program, "worker", "--stdio"] + result + pluginFolders.flatMap { ["--plugin-dir", $0] }
  }

  /// The default limit of processes of `workers`.
  private static let mostProcesses = 64

  /// Processes of this machine: one a slot, or as many as are asked for.
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
