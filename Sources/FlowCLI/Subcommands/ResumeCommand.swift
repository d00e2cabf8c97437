import ArgumentParser
import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowStore
import FlowSystem

/// `flowrun resume` resumes a run that did not succeed or whose process was killed.
struct ResumeCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Resumes a failed or interrupted run; finished steps are kept.",
    discussion: """
      Examples:
        flowrun resume last
        flowrun resume build.yaml --dry-run
        flowrun resume last-failed --from test --on workers=4
      RUN is a prefix or a suffix of a run's id, 'last', 'last-failed', or a workflow file: its newest unfinished run.
      Succeeded steps are kept with their outputs; all others and their dependents run again, with the inputs of the run. \
      flowrun first prints which steps are kept and which run.
      With --wait, flowrun takes over a running run when its process dies; if the run ends normally, nothing is left to do.
      """)

  @Argument(
    help: ArgumentHelp("The run, or a workflow file; default: the newest unfinished run.", valueName: "RUN"),
    completion: Completions.unfinishedRunsAndFiles)
  var run: String?

  @Option(
    help: ArgumentHelp(
      "Runs this step, or one item of it ('convert[3]'), and its dependents again; may be given more than once.",
      valueName: "STEP"),
    completion: Completions.steps
  )
  var from: [String] = []

  @Option(
    help: ArgumentHelp(
      "Runs only this step and skips other unfinished steps; may be given more than once.", valueName: "STEP"),
    completion: Completions.steps)
  var only: [String] = []

  @Option(
    name: [.customShort("i"), .customLong("input")],
    help: ArgumentHelp(
      "A secret input, which is not recorded: name=@FILE; other inputs are those of the run.", valueName: "NAME=VALUE"))
  var inputs: [String] = []

  @Flag(help: "Keeps succeeded steps that have changed in the file since.")
  var keepChanged = false

  @Flag(help: "Runs succeeded steps again that have changed in the file since.")
  var rerunChanged = false

  @Flag(help: "Waits while another process has the run, and takes over when that process dies.")
  var wait = false

  @Flag(help: "Continues a run that was copied with its folder, in the copy and as another run.")
  var here = false

  @Flag(help: "Prints what would be kept and what would run, and runs nothing.")
  var dryRun = false

  @Option(help: ArgumentHelp("Where portable steps run, as for flowrun run.", valueName: "EXECUTOR"))
  var on: String?

  @Option(
    help: ArgumentHelp(
      "How long flowrun asks Slurm again while its controller refuses everything, as for flowrun run.",
      valueName: "DURATION"))
  var slurmPatience: String?

  @Option(
    help: ArgumentHelp(
      "How long flowrun waits after a step on a worker for the files that it produces, as for flowrun run.",
      valueName: "DURATION"))
  var filesWithin: String?

  @Option(
    help: ArgumentHelp(
      "How often a step that was lost with its worker runs again, as for flowrun run.", valueName: "NUMBER"))
  var lostAttempts: Int?

  @Option(help: ArgumentHelp("What steps with 'resources' may take at once, as for flowrun run.", valueName: "AMOUNTS"))
  var resources: String?

  @OptionGroup var output: OutputArguments
  @OptionGroup var place: RunPlace
  @OptionGroup var plugins: PluginArguments

  /// The interval at which a run is checked while another process holds it.
  private static let lookMilliseconds = 200
  /// The number of further checks, and the interval between them, if the holder of a run has ended but the lock is
  /// still held. Another process may then be taking over.
  private static let (takeoverLooks, takeoverMilliseconds) = (100, 20)
  /// The maximum time for which `--wait` tolerates an unavailable store, for example while a database restarts or fails
  /// over.
  private static let storeAbsence = Duration.seconds(300)

  func perform() async throws {
    try checkArguments()
    var isHandedOver = false
    defer { if !isHandedOver { discard?() } }
    let isFile = run.map { $0.contains(Character(".")) && FilePath.exists($0) } ?? false
    let store = try place.open(file: isFile ? run : nil, writes: !dryRun)
    var stored = try find(isFile, try store.list(RunFilter()))
    while true {
      stored = try await available(stored, store)
      let short = RunReference.short(stored.id)
      guard stored.state != .success || !(from + only).isEmpty else {
        StandardOutput.write("run \(short) succeeded: nothing is left to do\n")
        return
      }
      let request = request(for: stored)
      let copied = CopiedRun(stored)
      if let copied, !here { throw copied.refusal }
      var resume = try PreparedResume(stored, store, request, self)
      if let copied, !dryRun {
        stored = try copied.split(in: store)
        resume = try Self.orForget(stored, in: store) { try PreparedResume(stored, store, request, self) }
        copied.explain(stored, resume)
      }
      if !output.json || dryRun {
        StandardOutput.write(
          ResumeText.text(
            resume.plan, resume.prepared.graph, run: stored.id,
            style: TextStyle(isColored: StandardOutput.allowsColor)))
      }
      if dryRun { return }
      do {
        isHandedOver = true
        try await RunSession.runInTask(request, resuming: resume)
      } catch let problem as StoreProblem where wait && problem.isOfAnotherHolder {
        // Another waiting process has taken over the run, so this one continues to wait.
      } catch {
        if copied != nil { _ = try? store.remove([stored.id]) }
        throw error
      }
    }
  }

  /// Returns the result of `body`. If `body` throws, the run has not started, so it is removed from the store.
  private static func orForget<Result>(
    _ run: StoredRun, in store: any RunStore, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch {
      _ = try? store.remove([run.id])
      throw error
    }
  }

  private func checkArguments() throws(UsageProblem) {
    guard !keepChanged || !rerunChanged else {
      throw UsageProblem("--keep-changed and --rerun-changed cannot be combined; use one of them")
    }
    guard from.isEmpty || only.isEmpty else {
      throw UsageProblem("--from runs a step and its dependents, --only nothing else; use one of them")
    }
    guard inputs.allSatisfy({ $0.firstRange(of: "=@") != nil }) else {
      throw UsageProblem(
        "-i: a resumed run keeps its inputs; only a secret one is given again, as -i NAME=@FILE")
    }
    guard !wait || !dryRun else { throw UsageProblem("--dry-run does not wait; leave one of them out") }
  }

  /// Returns the run as soon as no process holds it. Throws `held` if one does and `--wait` was not given. Also throws
  /// if the run ended during the wait, unless it was interrupted or has succeeded.
  private func available(_ stored: StoredRun, _ store: any RunStore) async throws -> StoredRun {
    let short = RunReference.short(stored.id)
    var isTold = false
    var lastAnswer = ContinuousClock.now
    var takeovers = 0
    while true {
      let isPatient = isTold && lastAnswer.duration(to: .now) < Self.storeAbsence
      guard let now = try look(at: stored, store, isPatient) else {
        try await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
        continue
      }
      lastAnswer = .now
      guard now.state == .running else {
        // A run that has ended during the wait is returned only if it was interrupted or has succeeded.
        guard !isTold || now.state == .interrupted || now.state == .success else {
          throw RunProblem("run \(short) ended by itself: \(now.state.rawValue); see flowrun runs show \(short)")
        }
        return now
      }
      // A process that has just taken over the run will soon be recorded as its holder. Wait for that, so that the
      // error names it.
      if now.holder.isGone, takeovers < Self.takeoverLooks {
        takeovers += 1
        try await Task.sleep(for: .milliseconds(Self.takeoverMilliseconds))
        continue
      }
      guard wait else { throw StoreProblem.held(run: short, by: now.holder) }
      if !isTold {
        isTold = true
        StandardOutput.writeError("flowrun: run \(short) is already running (\(now.holder)); waiting\n")
      }
      try await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
    }
  }

  /// Returns the current state of the run. Returns nil if the store is unavailable and `isPatient` is true.
  private func look(at stored: StoredRun, _ store: any RunStore, _ isPatient: Bool) throws -> StoredRun? {
    let answer = Result { try store.run(stored.id) }
    if isPatient, case .failure(let problem as StoreProblem) = answer, case .unusable = problem { return nil }
    guard let run = try answer.get() else { throw StoreProblem.unknown(run: RunReference.short(stored.id)) }
    return run
  }

  private func request(for stored: StoredRun) -> RunRequest {
    var request = RunRequest(file: stored.file)
    request.isJSON = output.json
    request.outputs = output.outputs
    request.isQuiet = output.quiet
    request.isVerbose = output.verbose
    request.times = output.times
    request.isStrict = output.strict
    request.pluginFolders = plugins.folders
    request.store = place.store
    request.inputs = inputs
    request.on = on
    request.slurmPatience = slurmPatience
    request.filesWithin = filesWithin
    request.lostAttempts = lostAttempts
    request.resources = resources
    return request
  }

  private func find(_ isFile: Bool, _ list: RunList) throws -> StoredRun {
    if let run, !isFile { return try RunReference.find(run, in: list) }
    let file = run.map(FilePath.absolute)
    let own = list.runs.filter { $0.file == file || file == nil }
    let running = own.first { $0.state == .running }
    if wait, let running { return running }
    if let unfinished = own.first(where: { $0.state != .success && $0.state != .running }) { return unfinished }
    if let running { return running }
    throw UsageProblem("no run \(run.map { "of '\($0)' " } ?? "")is unfinished; see flowrun runs")
  }
}

extension RunHolder {
  /// True if the process has certainly ended: it ran on this machine and no longer exists.
  var isGone: Bool {
    guard host == RunMemory.holder.host, let process = pid_t(exactly: process), process > 0 else { return false }
    return kill(process, 0) != 0 && errno == ESRCH
  }
}

extension StoreProblem {
  /// True if the error occurs because another process holds the run.
  fileprivate var isOfAnotherHolder: Bool {
    switch self {
    case .held, .moved, .fenced: true
    default: false
    }
  }
}
