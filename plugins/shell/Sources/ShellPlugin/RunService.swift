import FlowModel
import FlowPluginKit
import FlowSystem

/// The action `shell.service`. It runs a command that keeps running, in a separate process group.
struct RunService: StepService, DetailedAction {
  static let name = "shell.service"
  static let summary = "Runs a command that keeps running until the run ends"
  static let errors = [
    ErrorDeclaration("service-ended", "The command ended before flowrun stopped it", isRetryable: false),
    ErrorDeclaration("not-ready", "The command was not ready in time; see `ready-when`", isRetryable: false),
    ErrorDeclaration(
      "address-in-use", "Another program answers at the port; stop it, or use another port",
      isRetryable: false),
    ErrorDeclaration(
      "command-not-found", "There is no such program; install it or correct its name", isRetryable: false),
    ErrorDeclaration(
      "folder-missing", "The folder to run in is missing; create it or correct `cwd`", isRetryable: false),
    ErrorDeclaration("command-invalid", "The command or its environment is malformed", isRetryable: false),
    ErrorDeclaration("spawn-failed", "The system could not start a process", isRetryable: false),
    ErrorDeclaration(
      "arguments-too-long", "An argument or a variable is longer than the system takes; pass a file", isRetryable: false
    ),
  ]
  static let shellTextInput: String? = "command"
  static let isPortable = true
  static let example = """
    uses: shell.service
    with:
      command: python3 -m http.server 8080
      ready-when: { port: 8080 }
    """

  typealias Output = NoOutput

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
    @Field("When it is ready: one of log, port, http and run, with every and within; without it when it has started")
    var readyWhen: ValueObject?
    @Field("Whether it is started again when it ends by itself: on-exit, delay and attempts")
    var restart: ValueObject = [:]
    @Field("How it is asked to end: signal, and within which time it must before it is killed") var stop: ValueObject =
      [:]
    @Field("Folders before PATH, in their order; relative ones start at the folder of the step's own file")
    var path: [SourcePath] = []
    @Field("Whether standard output and standard error go to one pipe; then all of it is standard output")
    var mergeOutput = false
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
    func check(_ name: String, _ make: (ValueObject) throws(StopPolicy.PolicyProblem) -> Void) {
      guard let value = input[name]?.objectValue else { return }
      do throws(StopPolicy.PolicyProblem) { try make(value) } catch {
        problems.append(InputProblem(name, error.message))
      }
    }
    check(StopPolicy.input) { value throws(StopPolicy.PolicyProblem) in _ = try StopPolicy(value) }
    check(RestartPolicy.input) { value throws(StopPolicy.PolicyProblem) in _ = try RestartPolicy(value) }
    check(ReadyCondition.input) { value throws(StopPolicy.PolicyProblem) in
      guard case .log(let text) = try ReadyCondition(value).probe else { return }
      do throws(LinePattern.PatternProblem) { _ = try LinePattern(text) } catch {
        problems.append(InputProblem("\(ReadyCondition.input).log", error.message))
      }
    }
    for member in input["env"]?.objectValue ?? [:] {
      if let problem = ChildEnvironment.problem(with: member) {
        problems.append(InputProblem("env.\(member.key)", problem))
      }
    }
    return problems
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> NoOutput {
    let end: Result<Void, any Error>
    do throws(SystemError) {
      end = try await DetachedThread.run { Result { try Self.service(input, context).perform() } }
    } catch {
      throw ActionError("spawn-failed", "the service has no thread: \(error.reason)", isRetryable: false)
    }
    try end.get()
    return NoOutput()
  }

  func bodyInParts() -> BodyInParts? {
    let inputs = InputMaker<Input>()
    return BodyInParts { values, context, thread in
      try Self.service(inputs.make(values), context).progress(on: thread)
    }
  }

  /// Creates the service of a step. Throws an ``ActionError`` if an input is invalid or the script cannot be written.
  private static func service(_ input: Input, _ context: ActionContext) throws -> CommandService {
    var command = try Command(input.command, shell: input.shell, arguments: input.arguments)
    guard let place = command.scriptArgument, let text = command.text else {
      return try service(command, nil, input, context)
    }
    let script = try ScriptFile(text)
    command.arguments[place] = script.path
    return try service(command, script, input, context)
  }

  private static func service(
    _ command: Command, _ script: consuming ScriptFile?, _ input: Input, _ context: ActionContext
  ) throws -> CommandService {
    let condition: ReadyCondition?
    let restart: RestartPolicy
    let stop: StopPolicy
    do throws(StopPolicy.PolicyProblem) {
      condition = try input.readyWhen.map { value throws(StopPolicy.PolicyProblem) in try ReadyCondition(value) }
      restart = try RestartPolicy(input.restart)
      stop = try StopPolicy(input.stop)
    } catch {
      throw ActionError("input", error.message, isRetryable: false)
    }
    let folder = input.cwd?.path ?? context.run.workflowFolder
    func start(of command: Command, _ inner: InnerRuns.Command? = nil) throws -> CommandStart {
      var variables = context.environment
      variables[InnerRuns.variable] = inner?.value
      let environment = try ChildEnvironment.make(
        variables, input.env, without: context.withheldVariables, folders: input.path.map(\.path))
      return try CommandStart(command, folder: folder, environment: environment, inner: inner)
    }
    let probe: ReadyProbe?
    switch condition?.probe {
    case .port(let port)?: probe = .port(port)
    case .http(let address)?: probe = .http(address)
    case .run(let value)?:
      var asking = try Command(value, shell: input.shell, arguments: [])
      // A script file would have to exist as long as the service is probed, so the script is passed to `sh` instead.
      if asking.scriptArgument != nil { asking = try Command(value, shell: "sh", arguments: []) }
      probe = .command(try start(of: asking).program)
    case .log(let text)?:
      do throws(LinePattern.PatternProblem) { probe = .line(try LinePattern(text)) } catch {
        throw ActionError("input", "ready-when: \(error.message)", isRetryable: false)
      }
    case nil: probe = nil
    }
    return CommandService(
      start: try start(of: command, InnerRuns.begin()), script: script, stop: stop, restart: restart,
      condition: condition, probe: probe, mergesOutput: input.mergeOutput, context)
  }
}
