import FlowDiagnostics
import FlowModel
import FlowPluginKit
import FlowSystem

/// The action `shell.run`. It runs a command in a separate process group. While the command prints nothing, the step
/// uses no thread.
struct RunShell: Action, DetailedAction {
  static let name = "shell.run"
  static let summary = "Runs a command and gives its output"
  static let errors = [
    ErrorDeclaration("command-failed", "The command exited with another status than 0", isRetryable: true),
    ErrorDeclaration("command-killed", "A signal ended the command", isRetryable: true),
    ErrorDeclaration(
      "command-not-found", "There is no such program; install it or correct its name", isRetryable: false),
    ErrorDeclaration(
      "folder-missing", "The folder to run in is missing; create it or correct `cwd`", isRetryable: false),
    ErrorDeclaration("command-invalid", "The command or its environment is malformed", isRetryable: false),
    ErrorDeclaration("spawn-failed", "The system could not start a process", isRetryable: true),
    ErrorDeclaration(
      "arguments-too-long", "An argument or a variable is longer than the system takes; pass a file", isRetryable: false
    ),
    ErrorDeclaration(
      "output-invalid", "FLOWRUN_OUTPUT does not match the outputs that the step declares",
      isRetryable: false),
    ErrorDeclaration("output-too-large", "The command wrote more than 1 MiB to FLOWRUN_OUTPUT", isRetryable: false),
    ErrorDeclaration(
      InteractiveCommand.noTerminal, "The command is interactive, and flowrun has no terminal here", isRetryable: false),
  ]
  static let outputLimitBytes = Limits.commandOutputsBytes
  static let outputFieldsFromInput: String? = "outputs"
  static let shellTextInput: String? = "command"
  static let isPortable = true
  static let example = """
    uses: shell.run
    with:
      command: make test
      env: { CI: "true" }
    deadline: 5m
    """

  struct Input: ActionInput {
    @Field("Text for the shell, or a list of a program and its arguments") var command: Value
    @Field(
      "The shell of a text: sh, bash, python, or a command with {0} for the file of the script; without it /bin/sh -c")
    var shell: String?
    @Field("The words that a text has as its positional parameters, such as \"$@\"") var arguments: [String] = []
    @Field(refusingNull: "The folder to run in, not null; if the key is left out, that of the step's own file")
    var cwd: SourcePath?
    @Field("Environment variables on top of flowrun's own, the workflow's and the step's", isSecret: true)
    var env: ValueObject = [:]
    @Field("The exit statuses that count as success") var successStatuses = [0]
    @Field("Outputs that the command writes to the file FLOWRUN_OUTPUT as name=value: a declaration by name")
    var outputs: ValueObject = [:]
    @Field("How it is asked to end: signal, and within which time it must before it is killed") var stop: ValueObject =
      [:]
    @Field("How much is kept of standard output, and of standard error: from 1KiB to 64MiB, 1MiB if not given")
    var outputLimit: String?
    @Field("Folders before PATH, in their order; relative ones start at the folder of the step's own file")
    var path: [SourcePath] = []
    @Field("Whether standard output and standard error go to one pipe; then all of it is standard output")
    var mergeOutput = false
    @Field("Whether it has the terminal: standard input and both outputs, of which nothing is recorded")
    var interactive = false
  }

  struct Output: ActionOutput {
    var status: Int
    var stdout: String
    var stderr: String
    /// The values of the outputs that the step declares.
    var named: ValueObject = [:]

    private enum CodingKeys: CodingKey { case status, stdout, stderr }

    // The default implementation uses reflection, which is too slow for thousands of commands.
    var values: ValueObject {
      var values: ValueObject = ["status": status.value, "stdout": stdout.value, "stderr": stderr.value]
      for (name, value) in named { values[name] = value }
      return values
    }

    /// The names of the outputs that every command has.
    static let names: Set<String> = ["status", "stdout", "stderr"]

    static let summaries = [
      "status": "The exit status",
      "stdout":
        "Its standard output as UTF-8 text, without one final line break; an expression that reads more than the "
        + "output limit fails",
      "stderr": "Its standard error, with all line breaks",
    ]
  }

  static func check(_ input: LiteralInput) -> [InputProblem] {
    var problems: [InputProblem] = []
    do throws(Command.CommandLineProblem) {
      let shell = try input["shell"]?.stringValue.map { text throws(Command.CommandLineProblem) in
        try ShellTemplate(text)
      }
      if let value = input["command"] { _ = try Command(value, shell: shell ?? .plain) }
    } catch {
      problems.append(InputProblem(error.isOfShell ? "shell" : "command", error.message))
    }
    if let text = input["output-limit"]?.stringValue {
      do throws(OutputLimit.LimitProblem) { _ = try OutputLimit(text) } catch {
        problems.append(InputProblem("output-limit", error.message))
      }
    }
    if let stop = input["stop"]?.objectValue {
      do throws(StopPolicy.PolicyProblem) { _ = try StopPolicy(stop) } catch {
        problems.append(InputProblem("stop", error.message))
      }
    }
    for member in input["env"]?.objectValue ?? [:] {
      if let problem = ChildEnvironment.problem(with: member) {
        problems.append(InputProblem("env.\(member.key)", problem))
      }
    }
    return problems + outputProblems(input)
  }

  private static func outputProblems(_ input: LiteralInput) -> [InputProblem] {
    let declared = input["outputs"]?.objectValue ?? [:]
    let variable = OutputFile.variable
    guard declared.isEmpty, let text = input["command"]?.stringValue, text.contains(variable) else {
      return NamedOutputs.problems(with: declared)
    }
    return [
      InputProblem(
        "command", "the command uses \(variable), which only a step with declared outputs has",
        help: "declare them at the step: outputs: { name: { type: string } }", isWarning: true)
    ]
  }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    guard let output = try CommandStep(input, in: context).advance(on: .own) else {
      preconditionFailure("a command that has a thread of its own is read to its end")
    }
    return output
  }

  func bodyInParts() -> BodyInParts? {
    let inputs = InputMaker<Input>()
    return BodyInParts { values, context, thread in
      try Self.advance(try CommandStep(inputs.make(values), in: context), on: thread)
    }
  }

  private static func advance(_ step: CommandStep, on thread: StepThread) throws -> BodyInParts.Progress {
    if let output = try step.advance(on: thread) { return .ended(output.values) }
    return .waits(start: { step.wait($0) }, next: { try advance(step, on: thread) })
  }

  static func output(
    of ending: RunningCommand.Ending, _ command: Command, successStatuses: [Int]
  ) throws -> Output {
    switch ending.group.status {
    case .signaled(let number):
      // If a script was run without a shell, the status is the one that the shell would have reported.
      let status = Int(number) + signalStatus
      if successStatuses.contains(status) { return output(of: ending, status: status) }
      throw ActionError(
        "command-killed", message("ended by signal \(number)", command, ending.lastLines), exitStatus: status)
    case .exited(let code):
      guard successStatuses.contains(Int(code)) else {
        throw ActionError(
          "command-failed", message("exited with status \(code)", command, ending.lastLines), exitStatus: Int(code))
      }
      return output(of: ending, status: Int(code))
    }
  }

  /// The number that shells add to the number of a signal to form the exit status.
  private static let signalStatus = 128

  private static func output(of ending: RunningCommand.Ending, status: Int) -> Output {
    Output(
      status: status, stdout: TerminalText.withoutSequences(ending.output).withoutLastLineBreak,
      stderr: TerminalText.withoutSequences(ending.errors))
  }
}

extension Command {
  /// Creates the command of a step. Throws an ``ActionError`` if an input is invalid.
  init(_ value: Value, shell: String?, arguments: [String]) throws {
    do throws(CommandLineProblem) {
      let shell = try shell.map { text throws(CommandLineProblem) in try ShellTemplate(text) }
      try self.init(value, shell: shell ?? .plain)
      try append(arguments: arguments, to: shell ?? .plain)
    } catch {
      throw ActionError("command-invalid", error.message, isRetryable: false)
    }
    moveLongTextToFile()
  }
}

extension RunShell {
  /// The maximum number of characters of the last output line that are quoted in the first line of an error message.
  private static let causeCharacters = 200

  /// Returns the message of a failure. The first line contains the status and the last line of output, which is often
  /// the cause. Without output, it contains the command instead. If there are several last lines, all of them follow.
  private static func message(_ end: String, _ command: Command, _ lines: LastLines) -> String {
    let quoted = lines.quote.split(separator: "\n").dropFirst()
    guard let last = quoted.last else { return "\(end): '\(command.description)'" }
    let text = TerminalText.withoutSequences(String(last.drop { $0 == " " }))
    let cause = text.count > causeCharacters ? text.prefix(causeCharacters) + "…" : text
    return "\(end): \(cause) ('\(command.description)')\(hint(command, lines))"
      + (quoted.count > 1 ? lines.quote : "")
  }

  /// Returns advice to append to the message if `sh` reported an error about syntax of bash, and otherwise an empty
  /// string.
  private static func hint(_ command: Command, _ lines: LastLines) -> String {
    guard command.isForPlainShell else { return "" }
    let quote = lines.quote
    let complaints = ["[[: not found", ": Syntax error: ", ": syntax error "]
    guard complaints.contains(where: { quote.firstRange(of: $0) != nil }) else { return "" }
    return "; sh runs it, so if it is written for bash, write 'shell: bash'"
  }
}

extension String {
  /// The text without one trailing LF or CRLF, so that output can be compared with an expected value.
  fileprivate var withoutLastLineBreak: String {
    // Swift treats CRLF as one character.
    last == "\n" || last == "\r\n" ? String(dropLast()) : self
  }
}
