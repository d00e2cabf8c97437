import FlowModel
import FlowPluginKit

/// Runs a command in a process group of its own and waits for it on the step's thread.
struct RunShell: Action {
  static let name = "shell.run"
  static let summary = "Runs a command and gives its output"
  static let errors = [
    ErrorDeclaration("command-failed", "The command exited with another status than 0", isRetryable: true),
    ErrorDeclaration("command-killed", "A signal ended the command", isRetryable: true),
    ErrorDeclaration(
      "command-not-found", "There is no such program; install it or correct its name", isRetryable: false),
    ErrorDeclaration("folder-missing", "The folder to run in is missing; make it or correct `cwd`", isRetryable: false),
    ErrorDeclaration("command-invalid", "The command or its environment is malformed", isRetryable: false),
    ErrorDeclaration(
      "output-too-large", "The command wrote more than 1 MiB; send its output to a file", isRetryable: false),
    ErrorDeclaration("spawn-failed", "The system could not start a process", isRetryable: true),
  ]
  static let example = """
    uses: shell.run
    with:
      command: make test
      env: { CI: "true" }
    deadline: 5m
    """

  struct Input: ActionInput {
    @Field("Text for /bin/sh -c, or a list of a program and its arguments") var command: Value
    @Field("The folder to run in; without it, the workflow's") var cwd: SourcePath?
    @Field("Environment variables on top of flowrun's own, the workflow's and the step's") var env: ValueObject = [:]
    @Field("The exit statuses that are no failure") var successStatuses = [0]
  }

  struct Output: ActionOutput {
    var status: Int
    var stdout: String
    var stderr: String

    // Stated, because a command may come by the thousand: the default finds the properties by reflection, every time.
    var values: ValueObject { ["status": status.value, "stdout": stdout.value, "stderr": stderr.value] }

    static let summaries = [
      "status": "The exit status", "stdout": "What the command wrote, as UTF-8 text",
      "stderr": "What it wrote to standard error, as UTF-8 text",
    ]
  }

  static func check(_ input: LiteralInput) -> [InputProblem] {
    var problems: [InputProblem] = []
    if let value = input["command"] {
      do throws(Command.Problem) { _ = try Command(value) } catch {
        problems.append(InputProblem("command", error.message))
      }
    }
    for member in input["env"]?.objectValue ?? [:] {
      if let problem = ChildEnvironment.problem(with: member) {
        problems.append(InputProblem("env.\(member.key)", problem))
      }
    }
    return problems
  }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    let command: Command
    do throws(Command.Problem) { command = try Command(input.command) } catch {
      throw ActionError("command-invalid", error.message, isRetryable: false)
    }
    let environment = try ChildEnvironment.make(context.environment, input.env)
    let child = ChildProcess(
      command: command, folder: input.cwd?.path ?? context.run.workflowFolder, environment: environment.entries,
      path: environment.path)
    let ending = try child.run(in: context)
    if ending.leftBehind { context.log("ended what '\(command.description)' had left running", level: .warning) }
    return try Self.output(of: ending, command, successStatuses: input.successStatuses)
  }

  private static func output(
    of ending: ChildProcess.Ending, _ command: Command, successStatuses: [Int]
  ) throws -> Output {
    let stdout = String(decoding: ending.output, as: UTF8.self)
    let stderr = String(decoding: ending.errorOutput, as: UTF8.self)
    if let signal = ending.signal {
      throw ActionError(
        "command-killed", "'\(command.description)' was ended by signal \(signal)" + LastLines.quote(stdout, stderr))
    }
    guard successStatuses.contains(ending.exitStatus) else {
      throw ActionError(
        "command-failed",
        "'\(command.description)' exited with status \(ending.exitStatus)" + LastLines.quote(stdout, stderr))
    }
    return Output(status: ending.exitStatus, stdout: stdout, stderr: stderr)
  }
}
