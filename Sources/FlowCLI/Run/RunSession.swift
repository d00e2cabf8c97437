import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowSyntax
import FlowSystem

/// One call of `flowrun run`, from reading the file to the exit code.
struct RunSession: Sendable {
  /// The run, which goes on.
  let run: WorkflowRun
  private let request: RunRequest
  private let installation: Installation
  private let trace: TraceRecorder?
  private let style: TextStyle
  private let subject: RunSubject
  private let view: TerminalView?
  private let executors: RunExecutors

  /// Runs the workflow and ends the process, or says why it cannot be run and ends the process. Returns while it runs.
  static func start(_ request: RunRequest) {
    do {
      let session = try RunSession(request)
      session.run.whenEnded { report in
        if session.installation.host.isEmpty, session.executors.isEmpty { session.endAtOnce(report) }
        Task { await session.end(report) }
      }
    } catch {
      FlowCommand.tell(error)
    }
  }

  /// Reads the workflow and starts it, or goes on with a run.
  init(_ request: RunRequest, resuming resume: PreparedResume? = nil) throws {
    self.request = request
    try request.checkFiles()
    let early = resume == nil ? RunMemory.openEarly(request) : nil
    Interrupts.prepare { signal in Self.reportInterrupt(signal, request) }
    installation = try resume?.installation ?? Installation(around: request.file, given: request.pluginFolders)
    let (graph, loaded) =
      try resume.map { ($0.prepared.graph, $0.loaded) } ?? LoadedWorkflow.loadWithText(request.file, installation)
    let problems = installation.programProblems(of: graph.workflow)
    guard problems.isEmpty else {
      throw InvalidWorkflow(
        description: DiagnosticReport(problems).text(usesColor: StandardOutput.errorAllowsColor))
    }
    let prewarm = try request.prewarmDuration
    var options: RunOptions
    if let resume {
      options = try resume.options(request)
    } else {
      options = try request.options(for: graph.workflow, installation.registry)
      options.history = try RunMemory.history(
        of: FilePath.absolute(request.file), loaded.definition, graph.workflow, installation, request, early)
    }
    // A resume has the inputs that the run was started with; only secret ones are given again.
    var inputs = resume?.plan.header.inputs ?? [:]
    for (name, value) in options.inputs { inputs[name] = value }
    options.fileEnvironment = try EnvironmentFile.values(
      of: graph.workflow, in: options.workflowFolder, inputs: inputs)
    options.scopeEnvironments = try EnvironmentFile.scopeValues(of: graph.workflow, in: options.workflowFolder)
    options.secrets = try SecretValues.fetch(
      for: graph.workflow, loaded, in: options.workflowFolder, options.fileEnvironment)
    StandardOutput.hide(graph.workflow.mask(secrets: options.secrets, inputs: options.inputs))
    do throws(DataFolder.Problem) {
      _ = try DataFolder(making: options.dataFolder)
    } catch {
      throw InvalidWorkflow(description: "flowrun: \(error) with --data\n")
    }
    trace = request.trace == nil ? nil : TraceRecorder()
    style = TextStyle(isColored: StandardOutput.allowsColor)
    let shown = EvaluatedNames.graph(graph, inputs: inputs)
    subject = RunSubject(shown.workflow, isPrewarmed: prewarm != nil)
    let isLive =
      StandardOutput.isTerminal && !request.isJSON && !Environment.isContinuousIntegration
      && Environment.isTerminalCapable
    view = isLive ? TerminalView(shown, subject, style: style) : nil
    let main: any RunObserver
    if request.isJSON {
      main = JSONView()
    } else if let view {
      main = view
    } else {
      main = LineView(style: style, subject: subject)
    }
    options.observer = main
    options.showsUnfinishedLines = view != nil
    let questions = request.isJSON || !TerminalQuestions.canAsk ? nil : TerminalQuestions(style: style, view: view)
    let others: [(any RunObserver)?] = [questions, trace]
    if questions != nil || trace != nil {
      options.observer = ManyObservers(observers: [main] + others.compactMap { $0 })
    }

    executors = try RunExecutors(
      graph.workflow, installation, request, workflowFolder: options.workflowFolder)
    options.placement = executors.placement
    run = try Self.start(graph, resume, options, Engine(registry: installation.registry), executors, request)
    executors.follow(run)
    Interrupts.cancel(run)
    watchOutput()
    if let view {
      view.begin(run)
      run.repeatedly(every: .milliseconds(100)) { [run] in view.draw(run) }
    }
    questions?.begin(run)
    if let prewarm { activate(after: prewarm, options.launch) }
  }

  /// Starts the run, or resumes it: then nothing is asked of an engine before this process has the run.
  private static func start(
    _ graph: WorkflowGraph, _ resume: PreparedResume?, _ options: RunOptions, _ engine: Engine,
    _ executors: RunExecutors, _ request: RunRequest
  ) throws -> WorkflowRun {
    do {
      let claim = try resume?.claim(engine, options)
      if let claim {
        Interrupts.prepare { signal in
          claim.giveBack()
          Self.reportInterrupt(signal, request)
        }
      }
      do {
        try executors.open()
      } catch {
        claim?.giveBack()
        throw error
      }
      Interrupts.holdForStart()
      do {
        return try claim?.start() ?? engine.start(graph, options: options)
      } catch {
        executors.closeAndWait()
        throw error
      }
    } catch let error as PreparedWorkflow.Problem {
      throw InvalidWorkflow(description: "\(TerminalText.visible(request.file)): error: \(error)\n")
    }
  }

  /// The same from a task, whose thread must not wait.
  static func inTask(_ request: RunRequest, resuming resume: PreparedResume? = nil) async throws -> RunSession {
    let result = try await DetachedThread.run { Result { try RunSession(request, resuming: resume) } }
    return try result.get()
  }

  /// Shows and writes the report, ends the plugins' programs, and ends the process.
  func end(_ report: RunReport) async -> Never {
    await executors.close()
    let code = tell(report)
    await installation.close()
    ExitStatus.exit(code)
  }

  /// The same where no plugin is external.
  private func endAtOnce(_ report: RunReport) -> Never { ExitStatus.exit(tell(report)) }

  /// Whoever reads standard output may go away: where a report or a trace is kept the run goes on, else it is cancelled.
  private func watchOutput() {
    let isKept = request.report != nil || request.trace != nil
    StandardOutput.whenFailed { [run] failure in
      guard failure.isReaderGone else { return }
      if isKept { StandardOutput.forgiveFailure() } else { run.cancel() }
    }
  }

  private func activate(after prewarm: Duration, _ launch: Launch) {
    run.wake(after: prewarm) { [run] in
      do throws(PreparedWorkflow.Problem) {
        try run.activate(launch: launch)
      } catch {
        StandardOutput.writeError("flowrun: \(error)\n")
        ExitStatus.invalidWorkflow.exit()
      }
    }
  }

  /// Shows and writes the report; the exit code of the process.
  private func tell(_ report: RunReport) -> Int32 {
    var report = report
    report.warnings += executors.warnings
    if let warning = LeftBehindText.warning() {
      report.warnings.append(warning)
      if request.isJSON { StandardOutput.writeError("flowrun: \(warning)\n") }
    }
    view?.end(run)
    if !request.isJSON {
      StandardOutput.write(SummaryText.text(report, subject: subject, tellsFailures: view != nil, style: style))
    }
    let code = code(of: report)
    let areWritten = write(report)
    return areWritten ? code : ExitStatus.ofRun(code, losingOutput: true)
  }

  /// Writes what was asked for; whether all of it could be written. What could not is told on standard error.
  private func write(_ report: RunReport) -> Bool {
    var areWritten = true
    func attempt(_ body: () throws(FileProblem) -> Void) {
      do throws(FileProblem) {
        try body()
      } catch {
        StandardOutput.writeError("flowrun: cannot write \(error)\n")
        areWritten = false
      }
    }
    if let path = request.report {
      attempt { () throws(FileProblem) in
        guard !path.hasSuffix(".html") else {
          return try OutputFile.write(Array(InsightPages.page(report).utf8), to: path)
        }
        let file = try OutputFile(path)
        try report.write { (bytes) throws(FileProblem) in try file.write(bytes) }
        try file.finish()
      }
    }
    if let path = request.trace, let trace {
      attempt { () throws(FileProblem) in try OutputFile.write(trace.bytes, to: path) }
    }
    return areWritten
  }

  /// Writes the report of a run that a signal kept from starting.
  private static func reportInterrupt(_ signal: Int32, _ request: RunRequest) {
    guard let path = request.report else { return }
    let report = RunReport.ofNoRun(
      of: request.file, why: "signal \(signal) came before the workflow was read and the run had started")
    do throws(FileProblem) {
      try OutputFile.write(JSONText.bytes(of: .object(report.value), layout: .indented) + [10], to: path)
    } catch {
      StandardOutput.writeError("flowrun: cannot write \(error)\n")
    }
  }

  private func code(of report: RunReport) -> Int32 {
    if let signal = Interrupts.first { return 128 + signal }
    switch report.conclusion {
    case .failure: return ExitStatus.failure.rawValue
    // Without a signal it is flowrun that cancels, when nobody reads what it writes.
    case .cancelled: return (StandardOutput.isLost ? ExitStatus.outputFailed : .failure).rawValue
    case .success, .partial:
      let isTooLate = request.isStrict && report.gate.outcome == .timedOut
      return (isTooLate ? ExitStatus.gateTimedOut : .success).rawValue
    }
  }
}
