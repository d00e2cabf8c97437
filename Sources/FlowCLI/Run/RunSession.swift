import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowSecrets
import FlowSyntax
import FlowSystem

/// One call of `flowrun run`, from reading the file to the exit code.
struct RunSession: Sendable {
  let run: WorkflowRun
  private let request: RunRequest
  private let installation: Installation
  private let trace: TraceRecorder?
  private let style: TextStyle
  private let subject: RunSubject
  private let view: TerminalView?
  /// The view for pipes and logs, or nil if another view is used.
  private let lineView: LineView?
  /// The commands that show this run later, or nil if the run is not recorded.
  private let commands: RunCommands?
  private let executors: any StepExecutors
  /// Watches the files of the run while only its services keep it alive. Nil if the run is not part of a watch.
  private let keptWatch: KeptRunWatch?
  /// The loaded workflow with the locations of its steps. Nil if the workflow is large and no findings are written.
  private let loaded: LoadResult?
  /// The time at which this process resumed the run, on the run's clock. Nil if the run started in this process.
  private let resumedAtNanoseconds: Int?
  /// Collects the last lines that steps print. Nil if no report is written.
  private let failureLines: FailureLines?
  /// The inputs of the run, except secrets and values that contain a URL, because a URL can contain a token.
  private let inputs: ValueObject
  /// The maximum number of steps of a workflow whose failures are shown with the location of the step. With more steps,
  /// keeping the whole file in memory would take too much.
  private static let placedSteps = 10_000
  /// The context of the trace that is sent, or nil if none is sent.
  private let context: TraceContext?

  /// Starts or resumes the workflow and returns while it runs. When the run ends, the process ends as well.
  static func start(_ request: RunRequest, resuming resume: PreparedResume? = nil) throws {
    let session = try RunSession(request, resuming: resume)
    session.run.whenEnded { session.end($0) }
  }

  /// Starts or resumes the workflow from an asynchronous function. Throws if the run cannot be started, and otherwise
  /// waits until the process ends. Starting blocks, so it happens on a separate thread.
  static func runInTask(_ request: RunRequest, resuming resume: PreparedResume? = nil) async throws -> Never {
    try await DetachedThread.run { Result { try start(request, resuming: resume) } }.get()
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    preconditionFailure("nothing resumes this task")
  }

  init(_ request: RunRequest, resuming resume: PreparedResume? = nil) throws {
    self.request = request
    let isWatched = KeptRunWatch.takeRequest()
    try request.checkFiles()
    var hasStarted = false
    var hasFindings = false
    defer { if !hasStarted { request.outputs.removeOld(keepsFindings: hasFindings) } }
    Interrupts.prepare { signal in Self.reportInterrupt(signal, request) }
    Interrupts.ifEndedAtOnce { request.outputs.removeOld() }
    let early = resume == nil ? RunMemory.openEarly(request) : nil
    installation = try resume?.installation ?? Installation(around: request.file, given: request.pluginFolders)
    let (graph, loaded): (WorkflowGraph, LoadResult)
    do {
      (graph, loaded) =
        try resume.map { ($0.prepared.graph, $0.loaded) }
        ?? LoadedWorkflow.loadWithText(
          request.file, installation, steps: request.steps, findings: request.outputs.findings)
    } catch {
      // An `InvalidWorkflow` has no description if its problems have already been printed and written as findings.
      hasFindings = (error as? InvalidWorkflow)?.description.isEmpty == true
      throw error
    }
    self.loaded = request.outputs.findings.isEmpty && graph.workflow.steps.count > Self.placedSteps ? nil : loaded
    resumedAtNanoseconds = resume?.plan.atNanoseconds
    context = request.outputs.otlps.isEmpty ? nil : TraceContext(Environment.value(TraceContext.variable))
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
    // A resumed run has the same inputs as when it was started. Only secret inputs are read again.
    var inputs = resume?.plan.header.inputs ?? [:]
    for (name, value) in options.inputs { inputs[name] = value }
    options.fileEnvironment = try EnvironmentFile.values(
      of: graph.workflow, in: options.workflowFolder, inputs: inputs)
    options.scopeEnvironments = try EnvironmentFile.scopeValues(of: graph.workflow, in: options.workflowFolder)
    options.secrets = try SecretValues.fetch(
      for: graph.workflow, loaded, in: options.workflowFolder, options.fileEnvironment,
      inputs: inputs)
    StandardOutput.hide(graph.workflow.mask(secrets: options.secrets, inputs: options.inputs))
    do throws(DataFolder.FolderProblem) {
      _ = try DataFolder(making: options.dataFolder)
    } catch {
      throw InvalidWorkflow(description: "flowrun: \(error) with --data\n")
    }
    if let context { options.traceparent = { context.traceparent($0, attempt: $1) } }
    trace = request.outputs.traces.isEmpty ? nil : TraceRecorder()
    style = TextStyle(isColored: StandardOutput.allowsColor)
    let shown = EvaluatedNames.graph(graph, inputs: inputs)
    var subject = RunSubject(shown.workflow, isPrewarmed: prewarm != nil)
    if let loaded = self.loaded { subject.place = { loaded.place(of: $0) } }
    self.subject = subject
    commands = options.history == nil && resume == nil ? nil : RunCommands(file: request.file, store: request.store)
    let asksHere = !request.isJSON && TerminalQuestions.canAsk
    let clock = request.times == .wall ? EventClock() : nil
    let isLive =
      StandardOutput.isTerminal && !request.isJSON && !Environment.isContinuousIntegration
      && Environment.isTerminalCapable
    view =
      isLive
      ? TerminalView(
        shown, subject, finished: resume?.keptSteps ?? [], isVerbose: request.isVerbose, asksHere: asksHere,
        clock: clock, commands: commands, style: style) : nil
    let main: any LineObserver
    var lineView: LineView?
    if request.isJSON {
      main = JSONView()
    } else if let view {
      main = view
    } else {
      let view = LineView(
        style: style, subject: subject, isVerbose: request.isVerbose, asksHere: asksHere, clock: clock)
      lineView = view
      main = view
    }
    self.lineView = lineView
    options.observe(by: main)
    options.forcesColor = style.isColored && !request.isJSON && Environment.value("FORCE_COLOR") == nil
    options.showsUnfinishedLines = view != nil
    let questions = asksHere ? TerminalQuestions(style: style, view: view) : nil
    failureLines = request.outputs.reports.isEmpty ? nil : FailureLines()
    let secret = Set(graph.workflow.inputs.filter(\.isSecret).map(\.name))
    self.inputs = ValueObject(inputs.filter { !secret.contains($0.0) && !Self.holdsLink($0.1) })
    let others: [(any LineObserver)?] = [questions, trace, failureLines]
    if others.contains(where: { $0 != nil }) {
      options.observe(by: ManyObservers(observers: [main] + others.compactMap { $0 }))
    }

    executors = try CommandParts.current.executors.executors(
      of: graph.workflow, installation, request, workflowFolder: options.workflowFolder, inputs: inputs)
    options.placement = executors.placement
    Self.reportStopTime(of: graph.workflow)
    let lends = TerminalLending.isPossible(request)
    if lends { ForegroundTerminal.expectOffer() }
    run = try Self.start(graph, resume, options, Engine(registry: installation.registry), executors, request)
    StandardOutput.hide(run.mask)
    executors.follow(run)
    keptWatch = isWatched && graph.workflow.keepsServices ? KeptRunWatch() : nil
    keptWatch?.follow(run, request)
    Interrupts.cancel(run)
    watchOutput()
    if let view {
      view.begin(run)
      run.repeatedly(every: .milliseconds(100)) { [run] in view.draw(run) }
    }
    if lends { TerminalLending.offer(run, view, style) }
    questions?.begin(run)
    hasStarted = true
    if let prewarm { activate(after: prewarm, options.launch) }
  }

  /// Starts or resumes the run. A resumed run is claimed before the executors open, so that two processes never request
  /// resources for it.
  private static func start(
    _ graph: WorkflowGraph, _ resume: PreparedResume?, _ options: RunOptions, _ engine: Engine,
    _ executors: any StepExecutors, _ request: RunRequest
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
    } catch let error as PreparedWorkflow.PreparationProblem {
      throw InvalidWorkflow(description: "\(TerminalText.visible(request.file)): error: \(error)\n")
    }
  }

  /// Ends the executors and the programs of plugins, prints and writes the report, and ends the process. Without
  /// executors and programs, there is nothing to wait for, and no task is created.
  private func end(_ report: RunReport) {
    if installation.host.isEmpty, executors.isEmpty { ExitStatus.exit(tell(report)) }
    Task {
      await executors.close()
      var report = report
      (report.origin.jobs, report.origin.accountingProblem) = await executors.accounts()
      let code = tell(report)
      await installation.close()
      ExitStatus.exit(code)
    }
  }

  /// Handles the end of standard output's reader. The run continues if it has another output, and is otherwise
  /// cancelled.
  private func watchOutput() {
    let isKept = request.outputs.isKept
    StandardOutput.whenFailed { [run] failure in
      guard failure.isReaderGone else { return }
      if isKept { StandardOutput.forgiveFailure() } else { run.cancel() }
    }
  }

  private func activate(after prewarm: Duration, _ launch: Launch) {
    run.wake(after: prewarm) { [run] in
      do throws(PreparedWorkflow.PreparationProblem) {
        try run.activate(launch: launch)
      } catch {
        StandardOutput.writeError("flowrun: \(error)\n")
        ExitStatus.invalidWorkflow.exit()
      }
    }
  }

  /// Prints and writes the report. Returns the exit code for the run.
  private func tell(_ report: RunReport) -> Int32 {
    Interrupts.awaitReportTurn()
    var report = report
    // Executors may have warned while they were being closed, after the run had ended.
    report.warnings += executors.warnings.map { run.mask?.masked($0) ?? $0 }.filter { !report.warnings.contains($0) }
    if let warning = LeftBehindText.warning() {
      report.warnings.append(warning)
      if request.isJSON { StandardOutput.writeError("flowrun: \(warning)\n") }
    }
    view?.end(run)
    if !request.isJSON {
      StandardOutput.write(summary(of: report).text)
    }
    if let failureLines {
      report.origin.lastLines = failureLines.lines(of: report)
      report.origin.file = request.file
      report.origin.inputs = inputs
      report.origin.startedAt = WallTime.text((WallTime.nanoseconds - run.nowNanoseconds) / 1_000_000)
    }
    let code = code(of: report)
    let account = request.outputs.needsAccount ? account(of: report) : nil
    let areWritten = request.outputs.write(report, account, trace: trace)
    Interrupts.ifEndedAtOnce(nil)
    if let account { request.outputs.export(account, context) }
    if areWritten, keptWatch?.hasEndedWait == true { return KeptRunWatch.exitCode }
    return areWritten ? code : ExitStatus.ofRun(code, losingOutput: true)
  }

  private func summary(of report: RunReport) -> SummaryText {
    var summary = SummaryText(
      report: report, subject: subject, style: style, commands: commands, hasShownFailures: true,
      isVerbose: request.isVerbose, columns: view.map { _ in TerminalSize.current.columns })
    if let view {
      let lineCount = summary.text.utf8.count { $0 == UInt8(ascii: "\n") }
      summary.hasShownFailures = view.showsFailures(besideLines: lineCount)
      summary.shownWarnings = view.warningsInView(besideLines: lineCount)
    } else if let lineView {
      summary.shownWarnings = lineView.warnings.inView(ofRows: ShownWarnings.logRows)
    }
    return summary
  }

  private static func holdsLink(_ value: Value) -> Bool {
    let text = JSONText.write(value).lowercased()
    return text.firstRange(of: "://") != nil || text.firstRange(of: "%3a%2f%2f") != nil
  }

  /// Writes the outputs of a run that did not start because of a signal.
  private static func reportInterrupt(_ signal: Int32, _ request: RunRequest) {
    let report = RunReport.ofNoRun(
      of: request.file, why: "signal \(signal) came before the workflow was read and the run had started")
    _ = request.outputs.write(
      report, RunAccount(report, file: request.file, mask: nil, activatedAtNanoseconds: WallTime.nanoseconds),
      trace: nil)
  }

  private func account(of report: RunReport) -> RunAccount {
    // The clock of a resumed run continues where it stopped, so only times of events in this process are converted
    // correctly.
    let begin = WallTime.nanoseconds - run.nowNanoseconds
    let prewarm = Int(report.prewarmMilliseconds * 1_000_000)
    var account = RunAccount(
      report, file: request.file, mask: run.mask, activatedAtNanoseconds: begin + prewarm)
    account.resumedAt = resumedAtNanoseconds.map { Double($0 - prewarm) / 1_000_000 }
    account.loaded = loaded
    account.isStrict = request.isStrict
    return account
  }

  private func code(of report: RunReport) -> Int32 {
    if let signal = Interrupts.firstThatCancels { return 128 + signal }
    switch report.conclusion {
    case .failure: return ExitStatus.failure.rawValue
    // If there was no signal, flowrun itself has cancelled the run because standard output has no reader.
    case .cancelled: return (StandardOutput.isLost ? ExitStatus.outputFailed : .failure).rawValue
    case .success, .partial:
      let isTooLate = request.isStrict && report.gate.outcome == .timedOut
      return (isTooLate ? ExitStatus.gateTimedOut : .success).rawValue
    }
  }
}
