import ArgumentParser
import FlowCommandKit
import FlowEngine
import FlowSystem

extension FlowCommand {
  /// Runs `flowrun` with the arguments of the process and with the parts that other modules add.
  ///
  /// If the first word is not a subcommand, it is a workflow file or a step of `flowrun.yaml`. If it is none of these
  /// but resembles a subcommand, flowrun suggests that subcommand.
  package static func start(with parts: CommandParts) -> Never {
    CommandParts.current = parts
    FirstProcess.collectOrphans()
    StandardFiles.open()
    if let problem = SystemMinimum.problem {
      StandardOutput.writeError("flowrun: \(problem)\n")
      ExitStatus.failure.exit()
    }
    Interrupts.take()
    let arguments = StepWords.normalized(Array(ProcessArguments.all.dropFirst()))
    if arguments.isEmpty {
      Interrupts.readArguments(nil)
      do { try StepList.write() } catch { tell(error) }
      ExitStatus.success.exit()
    }
    // The argument parser and tasks are avoided here, because each takes longer than the rest of the start.
    if let request = PlainRunArguments.request(arguments) {
      Interrupts.readArguments { request.outputs.removeOldOutputs() }
      do { try RunSession.start(request) } catch { tell(error) }
      MainThread.serve()
    }
    if let misspelt = MisspeltSubcommand.find(in: arguments) {
      StandardOutput.writeError("flowrun: \(misspelt.description)\n")
      ExitStatus.usage.exit()
    }
    if let script = CompletionScript.asked(by: arguments) {
      StandardOutput.write(script.text)
      ExitStatus.success.exit()
    }
    Task {
      do {
        var command = try parseAsRoot(arguments)
        Interrupts.readArguments((command as? any RunningCommand)?.discard)
        if var subcommand = command as? any AsyncParsableCommand {
          try await WorkflowReader.$current.withValue(LoadedWorkflow.reader) { try await subcommand.run() }
        } else {
          try command.run()
        }
      } catch {
        tell(error)
      }
      ExitStatus.success.exit()
    }
    MainThread.serve()
  }

  /// Prints an error and ends the process with the error's exit code.
  static func tell(_ error: any Error) -> Never {
    do {
      try CommandProblems.tell(error)
    } catch {}
    // The argument parser writes help and the version to standard output, and errors to standard error.
    let code = exitCode(for: error)
    let text = fullMessage(for: error)
    if !text.isEmpty {
      let text = plain(text) + "\n"
      if code.isSuccess { StandardOutput.write(text) } else { StandardOutput.writeError(text) }
    }
    ExitStatus.exit(code.rawValue)
  }

  /// Converts an error message of the argument parser to the format of flowrun's own errors, such as `flowrun: unknown
  /// option '--quite'; did you mean '--quiet'?`.
  static func plain(_ text: String) -> String {
    let label = "Error: "
    guard text.hasPrefix(label) else { return text }
    var lines = text.dropFirst(label.count).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    lines[0] = lines[0].replacing(". Did you mean ", with: "; did you mean ")
    if ["Unknown option ", "Missing ", "Unexpected argument ", "The value "].contains(where: lines[0].hasPrefix) {
      lines[0] = lines[0].prefix(1).lowercased() + lines[0].dropFirst()
    }
    let words = lines[0].split(separator: "'", maxSplits: 2)
    if words.count > 1, words[0] == "unknown option ", text.firstRange(of: "\nUsage: flowrun run ") != nil,
      let remedy = ForeignOption.remedy(for: String(words[1]))
    {
      lines[0] = "unknown option '\(words[1])'; \(remedy)"
    }
    return "flowrun: " + lines.joined(separator: "\n")
  }
}
