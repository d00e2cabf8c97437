import FlowEngine
import FlowModel
import FlowPluginKit
import FlowSyntax

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What `flowrun run` was asked for; see ``RunCommand`` for the meaning of each.
struct RunRequest: Hashable {
  var file: String
  var inputs: [String] = []
  var launch: String?
  var events: [String] = []
  var prewarm: String?
  var isJSON = false
  var report: String?
  var trace: String?
  var data: String?
  var isStrict = false
  var pluginFolders: [String] = []
  var isQuiet = false
}

/// A workflow that cannot be read or run; the description is printed as it is.
struct InvalidWorkflow: Error, CustomStringConvertible {
  let description: String
}

/// One call of `flowrun run`, from reading the file to the exit code.
struct RunSession: Sendable {
  /// The run, which goes on.
  let run: WorkflowRun
  private let request: RunRequest
  private let installation: Installation
  private let trace: TraceRecorder?
  private let style: TextStyle
  private let view: TerminalView?

  /// Runs the workflow and ends the process, or says why it cannot be run and ends the process. Returns while it runs.
  static func start(_ request: RunRequest) {
    do {
      let session = try RunSession(request)
      session.run.whenEnded { report in
        if session.installation.host.isEmpty { session.endAtOnce(report) }
        Task { await session.end(report) }
      }
    } catch {
      FlowCommand.tell(error)
    }
  }

  /// Reads the workflow and starts it.
  init(_ request: RunRequest) throws {
    self.request = request
    Interrupts.prepare { signal in Self.reportInterrupt(signal, request) }
    installation = try Installation(around: request.file, given: request.pluginFolders)
    let graph = try LoadedWorkflow.load(request.file, installation)
    let problems = installation.programProblems(of: graph.workflow)
    guard problems.isEmpty else {
      throw InvalidWorkflow(
        description: DiagnosticReport(problems).text(usesColor: StandardOutput.errorAllowsColor))
    }
    let workflow = graph.workflow
    let folder = FileAccess.folder(of: FileAccess.absolute(request.file))
    var options = RunOptions(
      dataFolder: request.data.map(FileAccess.absolute) ?? "\(folder)/.flowrun/\(workflow.name)",
      workflowFolder: folder)
    options.inputs = try InputArguments.read(request.inputs, for: workflow.inputs)
    options.launch = try LaunchArguments.launch(request.launch)
    for event in request.events {
      options.announcedEvents.append(try LaunchArguments.event(event, of: workflow, installation.registry))
    }
    for path in [request.report, request.trace].compactMap({ $0 }) { try FileAccess.checkWritable(path) }
    var prewarm: Duration?
    if let text = request.prewarm { prewarm = try LaunchArguments.duration(text, of: "--prewarm '\(text)'") }
    options.isPrewarmed = prewarm != nil
    do throws(DataFolder.Problem) {
      _ = try DataFolder(making: options.dataFolder)
    } catch {
      throw InvalidWorkflow(description: "flowrun: \(error)\n")
    }
    trace = request.trace == nil ? nil : TraceRecorder()
    style = TextStyle(isColored: StandardOutput.isTerminal && Environment.allowsColor)
    let isLive = StandardOutput.isTerminal && !request.isJSON && !Environment.isContinuousIntegration
    view = isLive ? TerminalView(graph, style: style) : nil
    let main: any RunObserver
    if request.isJSON {
      main = JSONView()
    } else {
      let isBrief = workflow.steps.count > LineView.detailedSteps
      if let view { main = view } else { main = LineView(style: style, isBrief: isBrief) }
    }
    options.observer = main
    options.showsOutput = !request.isQuiet
    if let trace { options.observer = ManyObservers(observers: [main, trace]) }

    Interrupts.holdForStart()
    do throws(PreparedWorkflow.Problem) {
      run = try Engine(registry: installation.registry).start(graph, options: options)
    } catch {
      throw InvalidWorkflow(description: "\(request.file): error: \(error)\n")
    }
    Interrupts.cancel(run)
    if let view {
      view.draw(run)
      run.repeatedly(every: .milliseconds(100)) { [run] in view.draw(run) }
    }
    if let prewarm { activate(after: prewarm, options.launch) }
  }

  /// Shows and writes the report, ends the plugins' programs, and ends the process.
  func end(_ report: RunReport) async -> Never {
    tell(report)
    await installation.close()
    exit(report)
  }

  /// The same where no plugin is external.
  private func endAtOnce(_ report: RunReport) -> Never {
    tell(report)
    exit(report)
  }

  private func tell(_ report: RunReport) {
    view?.draw(run)
    if !request.isJSON { StandardOutput.write(SummaryText.text(report, style: style)) }
    do {
      try write(report)
    } catch {
      FlowCommand.tell(error)
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

  private func write(_ report: RunReport) throws {
    do throws(FileProblem) {
      if let path = request.report {
        try FileAccess.write(JSONText.bytes(of: .object(report.value), layout: .indented) + [10], to: path)
      }
      if let path = request.trace, let trace { try FileAccess.write(trace.bytes, to: path) }
    } catch {
      throw UsageProblem("cannot write \(error)")
    }
  }

  /// Writes the report of a run that a signal kept from starting.
  private static func reportInterrupt(_ signal: Int32, _ request: RunRequest) {
    guard let path = request.report else { return }
    let report = RunReport.ofNoRun(
      of: request.file, why: "signal \(signal) came before the workflow was read and the run had started")
    do throws(FileProblem) {
      try FileAccess.write(JSONText.bytes(of: .object(report.value), layout: .indented) + [10], to: path)
    } catch {
      StandardOutput.writeError("flowrun: cannot write \(error)\n")
    }
  }

  private func exit(_ report: RunReport) -> Never {
    if let signal = Interrupts.first { ExitStatus.exit(128 + signal) }
    switch report.conclusion {
    case .failure: ExitStatus.failure.exit()
    case .cancelled: ExitStatus.failure.exit()
    case .success, .partial:
      (request.isStrict && report.gate.outcome == .timedOut ? ExitStatus.gateTimedOut : .success).exit()
    }
  }
}
