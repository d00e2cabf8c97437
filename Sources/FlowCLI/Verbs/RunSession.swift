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
struct RunRequest {
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
}

/// A workflow that cannot be read or run; the description is printed as it is.
struct InvalidWorkflow: Error, CustomStringConvertible {
  let description: String
}

/// One call of `flowrun run`, from reading the file to the exit code.
struct RunSession {
  let request: RunRequest

  init(_ request: RunRequest) { self.request = request }

  func run() async throws {
    let installation = try Installation(around: request.file, given: request.pluginFolders)
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
    let trace = request.trace == nil ? nil : TraceRecorder()
    let style = TextStyle(isColored: StandardOutput.isTerminal && Environment.allowsColor)
    let isLive = StandardOutput.isTerminal && !request.isJSON && !Environment.isContinuousIntegration
    let view = isLive ? TerminalView(graph, style: style) : nil
    let main: any RunObserver
    if request.isJSON {
      main = JSONView()
    } else {
      let isBrief = workflow.steps.count > LineView.detailedSteps
      if let view { main = view } else { main = LineView(style: style, isBrief: isBrief) }
    }
    options.observer = main
    if let trace { options.observer = ManyObservers(observers: [main, trace]) }
    options.environment = Environment.variables

    let run: WorkflowRun
    do throws(PreparedWorkflow.Problem) {
      run = try Engine(registry: installation.registry).start(graph, options: options)
    } catch {
      throw InvalidWorkflow(description: "\(request.file): error: \(error)\n")
    }
    let interrupts = Interrupts(run)
    if let view {
      view.draw(run)
      run.repeatedly(every: .milliseconds(100)) { view.draw(run) }
    }
    if let prewarm { activate(run, after: prewarm, options.launch) }
    let report = await run.report
    view?.draw(run)
    if !request.isJSON { StandardOutput.write(SummaryText.text(report, style: style)) }
    try write(report, trace: trace)
    await installation.close()
    exit(report, interruptedBy: interrupts.first)
  }

  private func activate(_ run: WorkflowRun, after prewarm: Duration, _ launch: Launch) {
    run.wake(after: prewarm) {
      do throws(PreparedWorkflow.Problem) {
        try run.activate(launch: launch)
      } catch {
        StandardOutput.writeError("flowrun: \(error)\n")
        ExitStatus.invalidWorkflow.exit()
      }
    }
  }

  private func write(_ report: RunReport, trace: TraceRecorder?) throws {
    do throws(FileProblem) {
      if let path = request.report {
        try FileAccess.write(JSONText.bytes(of: .object(report.value), layout: .indented) + [10], to: path)
      }
      if let path = request.trace, let trace { try FileAccess.write(trace.bytes, to: path) }
    } catch {
      throw UsageProblem("cannot write \(error)")
    }
  }

  private func exit(_ report: RunReport, interruptedBy signal: Int32?) -> Never {
    if let signal { ExitStatus.exit(128 + signal) }
    switch report.conclusion {
    case .failure: ExitStatus.failure.exit()
    case .cancelled: ExitStatus.failure.exit()
    case .success, .partial:
      (request.isStrict && report.gate.outcome == .timedOut ? ExitStatus.gateTimedOut : .success).exit()
    }
  }
}
