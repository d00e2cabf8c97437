import ArgumentParser
import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowSystem

/// `flowrun call ACTION` calls an action without a workflow.
struct CallCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "call",
    abstract: "Calls one action, without a workflow.",
    discussion: """
      Handles that the action requires are provided first, by the actions that provide them, with their defaults. \
      Prints {"outputs":…} or {"error":{"code":…,"message":…}}; exit code 1 for an error. Paths are relative to the \
      working directory.
      Examples:
        flowrun call flow.set --with '{"values": {"a": 1}}'
        flowrun call geocode.reverse --with '{"latitude": 48.8584, "longitude": 2.2945}'
      """)

  @Argument(help: ArgumentHelp("The action, such as flow.sleep.", valueName: "ACTION"), completion: Completions.actions)
  var action: String

  @Option(name: .customLong("with"), help: ArgumentHelp("The inputs, as a JSON object.", valueName: "JSON"))
  var inputs: String?

  @Flag(help: "Reads one JSON object with inputs per line and writes one result per line.")
  var batch = false

  @Option(
    help: ArgumentHelp(
      "The folder for data kept between calls; default: .flowrun/call in the working directory.", valueName: "FOLDER"))
  var data: String?

  @OptionGroup var plugins: PluginArguments

  func perform() async throws {
    try RunRequest.checkFolder(data)
    let installation = try Installation(given: plugins.folders)
    let registry = installation.registry
    let target = try ActionName.find(action, in: registry)
    if batch, inputs != nil {
      throw UsageProblem("call --batch reads inputs from standard input; leave --with out")
    }
    let call = try PreparedCall(target, inputs: batch ? nil : try given(), registry: registry)
    let folder = FilePath.absolute(data ?? ".flowrun/call")
    do throws(DataFolder.FolderProblem) {
      _ = try DataFolder(making: folder)
    } catch {
      throw InvalidWorkflow(description: "flowrun: \(error) with --data\n")
    }
    var options = RunOptions(dataFolder: folder, workflowFolder: FilePath.absolute("."))
    options.observer = LogView(style: TextStyle(isColored: StandardOutput.errorAllowsColor))
    Interrupts.holdForStart()
    let run = try start(call, options)
    Interrupts.cancel(run)
    StandardOutput.whenFailed { _ in run.cancel() }
    let report = await run.report
    await installation.close()
    if let warning = LeftBehindText.warning() { StandardOutput.writeError("flowrun: \(warning)\n") }
    let answer = call.answer(report)
    if !batch { StandardOutput.write(json: answer.value) }
    if batch, let message = answer.providerFailure { StandardOutput.writeError("flowrun: \(message)\n") }
    if let signal = Interrupts.first { ExitStatus.exit(128 + signal) }
    // If there was no signal, flowrun itself has cancelled the call because standard output has no reader.
    if StandardOutput.isLost, report.conclusion == .cancelled { ExitStatus.outputFailed.exit() }
    (answer.isError ? ExitStatus.failure : .success).exit()
  }

  private func start(_ call: PreparedCall, _ options: RunOptions) throws -> WorkflowRun {
    do throws(PreparedWorkflow.PreparationProblem) {
      return try Engine(registry: call.registry).start(call.graph, options: options)
    } catch {
      throw InvalidWorkflow(description: "flowrun: \(error)\n")
    }
  }

  private func given() throws(UsageProblem) -> ValueObject {
    guard let inputs else { return [:] }
    let value: Value
    do throws(JSONProblem) {
      value = try JSONText.parse(inputs)
    } catch {
      throw UsageProblem("--with '\(inputs)' is not JSON: \(error)")
    }
    guard case .object(let object) = value else {
      throw UsageProblem(#"--with '\#(inputs)' must be a JSON object, such as {"for": "1s"}"#)
    }
    return object
  }
}

private struct LogView: RunObserver {
  let style: TextStyle

  func receive(_ events: [RunEvent]) {
    var lines: [String] = []
    for event in events {
      switch event.kind {
      case .stepLog(_, _, _?, let line), .pluginLog(_, _, let line):
        lines.append(TerminalText.commandLine(line, keepsColors: style.isColored))
      case .stepLog(_, let level, nil, let message): lines += LogText.lines(level, message, style)
      case .warning(let message): lines += LogText.lines(.warning, message, style)
      default: break
      }
    }
    if !lines.isEmpty { StandardOutput.writeError(lines.joined(separator: "\n") + "\n") }
  }
}
