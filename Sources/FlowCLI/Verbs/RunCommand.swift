import ArgumentParser
import FlowEngine
import FlowModel
import FlowPluginKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// `flowrun run FILE`: runs a workflow and shows it.
struct RunCommand: Verb {
  static let configuration = CommandConfiguration(commandName: "run", abstract: "Runs a workflow.")

  @Argument(help: "The workflow file.")
  var file: String

  @Option(
    name: [.customShort("i"), .customLong("input")], help: "An input: name=value, or name=@FILE for its content.")
  var inputs: [String] = []

  @Option(
    help:
      "Why the app was launched, one of user, url, notification, location, background, scene; REASON=@FILE adds options."
  )
  var launch: String?

  @Option(name: .customLong("event"), help: "Posts an event so long after the start: NAME@DELAY.")
  var events: [String] = []

  @Option(help: "Runs only steps marked prewarm for so long, then activates.")
  var prewarm: String?

  @Flag(help: "Prints one JSON object an event instead of text.")
  var json = false

  @Option(help: "Writes the report to this file, as JSON.")
  var report: String?

  @Option(help: "Writes a Chrome trace to this file.")
  var trace: String?

  @Option(help: "The folder that keeps what outlives the run; default: .flowrun/NAME beside the workflow.")
  var data: String?

  @Flag(help: "Exits 124 when the gate timed out.")
  var strict = false

  @OptionGroup var plugins: PluginArguments

  func perform() async throws { try await RunSession(self).run() }
}

/// A workflow that cannot be read or run; the description is printed as it is.
struct InvalidWorkflow: Error, CustomStringConvertible {
  let description: String
}

/// One call of `flowrun run`, from reading the file to the exit code.
struct RunSession {
  let command: RunCommand

  init(_ command: RunCommand) { self.command = command }

  func run() async throws {
    let installation = try Installation(around: command.file, given: command.plugins)
    let graph = try LoadedWorkflow.load(command.file, installation)
    let workflow = graph.workflow
    let folder = FileAccess.folder(of: FileAccess.absolute(command.file))
    var options = RunOptions(
      dataFolder: command.data.map(FileAccess.absolute) ?? "\(folder)/.flowrun/\(workflow.name)",
      workflowFolder: folder)
    options.inputs = try InputArguments.read(command.inputs, for: workflow.inputs)
    options.launch = try LaunchArguments.launch(command.launch)
    for event in command.events {
      options.announcedEvents.append(try LaunchArguments.event(event, of: workflow, installation.registry))
    }
    for path in [command.report, command.trace].compactMap({ $0 }) { try FileAccess.checkWritable(path) }
    var prewarm: Duration?
    if let text = command.prewarm { prewarm = try LaunchArguments.duration(text, of: "--prewarm '\(text)'") }
    options.isPrewarmed = prewarm != nil
    do throws(DataFolder.Problem) {
      _ = try DataFolder(making: options.dataFolder)
    } catch {
      throw InvalidWorkflow(description: "flowrun: \(error)\n")
    }
    let trace = command.trace == nil ? nil : TraceRecorder()
    let style = TextStyle(isColored: StandardOutput.isTerminal && Environment.allowsColor)
    let isLive = StandardOutput.isTerminal && !command.json && !Environment.isContinuousIntegration
    let view = isLive ? TerminalView(graph, style: style) : nil
    let main: any RunObserver
    if command.json {
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
      throw InvalidWorkflow(description: "\(command.file): error: \(error)\n")
    }
    let interrupts = Interrupts(run)
    if let view {
      view.draw(run)
      run.repeatedly(every: .milliseconds(100)) { view.draw(run) }
    }
    if let prewarm { activate(run, after: prewarm, options.launch) }
    let report = await run.report
    view?.draw(run)
    if !command.json { StandardOutput.write(SummaryText.text(report, style: style)) }
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
      if let path = command.report {
        try FileAccess.write(JSONText.bytes(of: .object(report.value), layout: .indented) + [10], to: path)
      }
      if let path = command.trace, let trace { try FileAccess.write(trace.bytes, to: path) }
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
      (command.strict && report.gate.outcome == .timedOut ? ExitStatus.gateTimedOut : .success).exit()
    }
  }
}
