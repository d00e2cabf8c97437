import FlowModel

/// The keys of a step.
enum StepKey: String, FormatKey {
  case uses, run, shell, needs, with, name, description, after
  case condition = "if"
  case enabled
  case deferral = "defer"
  case blocking, optional, deadline, retry, queue, estimate, prewarm, quiet, color, env
  case onInterrupt = "on-interrupt"
  case foreach, parallel, executor
  case failFast = "fail-fast"
  case inputsFrom = "inputs-from"
  case produces, resources, outputs
  case outputLimit = "output-limit"
  case stop
  case logLimit = "log-limit"
  case mergeOutput = "merge-output"
  case path, interactive
  case service
  case readyWhen = "ready-when"
  case restart

  static let owner = "a step"

  /// The keys that steps of `finally` cannot have, because it determines when they start.
  static let notInFinally: [StepKey] = [.after, .deferral, .blocking, .prewarm]

  static func remedy(for foreign: String, value: String?) -> String? { ForeignKeys.remedy(ofStep: foreign, value) }
  static func counterpart(of foreign: String) -> String? { ForeignKeys.counterpart(ofStep: foreign) }

  static func remedy(insteadOf value: Value) -> String? {
    guard let text = value.stringValue else { return nil }
    return NameKind.action.allows(text)
      ? "write an action under 'uses': { uses: \(text) }"
      : "write a command under 'run': { run: \(value.shortText) }"
  }

  var shape: Shape {
    switch self {
    case .uses: .actionName
    case .run: .command
    case .shell: .name
    case .with: .values
    case .name, .description: .string
    case .needs: .stepNames
    case .after: .eventNames
    case .condition: .expression
    case .enabled: .booleanOrExpression
    case .deferral: .deferral
    case .blocking, .optional, .prewarm, .quiet, .color: .boolean
    case .deadline: .durationOr(DeadlineKey.self, allowsExpression: false)
    case .retry: .map(RetryKey.self)
    case .queue: .queueName
    case .estimate: .estimate
    case .env: .environment
    case .onInterrupt: .word(InterruptPolicy.allCases.map(\.rawValue))
    case .foreach: .foreach
    case .parallel: .integer(1...Limits.items)
    case .failFast, .mergeOutput, .interactive, .service: .boolean
    case .readyWhen: .map(ReadyKey.self)
    case .restart: .map(RestartKey.self)
    case .inputsFrom, .produces: .list(of: .fileRule, isNonempty: true)
    case .executor: .executorAddress
    case .path: .list(of: .folder, isNonempty: true)
    case .resources: .map(ResourcesKey.self)
    case .outputs: .named(.output, .map(FieldKey.self))
    case .stop: .map(StopKey.self)
    case .outputLimit: .size(Limits.leastCommandOutputBytes...Limits.commandOutputBytes)
    case .logLimit: .size(Limits.leastLogBytes...Limits.logBytes)
    }
  }

  var proposals: [String] { self == .shell ? ["sh", "bash", "python"] : [] }

  var defaultText: String? {
    switch self {
    case .condition: "success()"
    case .enabled: "true"
    case .deferral, .optional, .prewarm, .quiet, .mergeOutput, .interactive, .service: "false"
    case .onInterrupt: "rerun"
    case .failFast, .color: "true"
    case .shell: "sh"
    case .outputLimit: MemoryText.format(Limits.usualCommandOutputBytes)
    case .logLimit: MemoryText.format(Limits.usualStepLogBytes)
    default: nil
    }
  }

  var summary: String {
    switch self {
    case .uses: "The action, plugin.action, or a workflow, ./file.yaml; or write run"
    case .run: "Short for uses: shell.run with this command: a text for the shell, or a list of program and arguments"
    case .shell: "The shell of run: sh, bash, python, or a command with {0} for the file of the script"
    case .with: "The action's inputs"
    case .name: "A name for people; other steps refer to the id"
    case .description: "What the step does, in a line that 'flowrun' lists"
    case .needs: "The step or steps to start after"
    case .after: "The event or events to wait for as well"
    case .condition: "An expression; when it is false the step is skipped"
    case .enabled:
      "false, or an expression over inputs, env and launch: the step is disabled, and its dependents run without it"
    case .deferral: "true: after the gate opened; idle: after it opened and when nothing else runs; or an expression"
    case .blocking: "Whether the launch gate waits for this step; true unless it is deferred"
    case .optional: "Whether its failure neither fails the run nor stops its dependents"
    case .deadline: "Minimum and maximum of the step from its first start; one duration is the maximum"
    case .retry: "How often and when it is tried again after a failure"
    case .queue: "main, a quality of service, or a name from queues; user-initiated, or utility if deferred"
    case .estimate: "The expected duration: 80ms or 50ms..200ms"
    case .prewarm: "Whether it may run before activation"
    case .quiet: "Whether the output of its commands is kept out of the log"
    case .color: "Whether its commands are asked for colors on a terminal, with FORCE_COLOR=1"
    case .env: "Environment variables for its child processes, on top of the workflow's"
    case .foreach:
      "The items to run the step for: a list, an expression that gives one, or a mapping of items, axes or files"
    case .parallel: "With foreach, how many items may run at once"
    case .inputsFrom:
      "The files that it reads, as paths and patterns; it is skipped while nothing has changed; with foreach each item"
    case .produces: "The files that it produces, as paths and patterns; a changed one makes it run again"
    case .resources: "The capacity that it requests while it runs: { cpus: 4, memory: 8GiB, gpus: 1 }"
    case .outputs: "The outputs that its command writes to the file FLOWRUN_OUTPUT as name=value, each with its type"
    case .outputLimit:
      "How much is kept of the standard output, and of the standard error, of its command; an expression that reads "
        + "more fails"
    case .stop: "How its command is asked to end when the step is cancelled: { signal: INT, within: 10s }"
    case .logLimit: "How much is recorded of what it and its items print: half of it the beginning, half the end"
    case .mergeOutput:
      "Whether its command writes standard output and standard error to one pipe, so that their order is exact"
    case .path: "Folders before PATH for its command, relative to the file; they come before those of the workflow"
    case .interactive:
      "Whether its command has the terminal, as an editor or a login does; one such step runs at a time, and nothing that it "
        + "prints is recorded"
    case .service:
      "Whether its command keeps running: the step succeeds when it is ready, and flowrun stops it at the end of the run"
    case .readyWhen: "When a service is ready: { port: 8080 }, or with http, log or run; without it when it has started"
    case .restart: "Whether a service that ends by itself is started again: { on-exit: failure }"
    case .failFast: "With foreach, whether a failed item ends the others"
    case .executor:
      "Where the step runs, as --on takes it (workers=4, slurm=8), local: here, or { slurm: { partition: long } }"
    case .onInterrupt: "What a resume of a durable run does when its process died while the step ran: rerun or fail"
    }
  }
}

enum DeadlineKey: String, FormatKey {
  case min, max

  static let owner = "a deadline"

  var shape: Shape { .duration }

  var summary: String {
    switch self {
    case .min: "The minimum"
    case .max: "The maximum"
    }
  }
}

enum RetryKey: String, FormatKey {
  case attempts, delay, backoff
  case maxDelay = "max-delay"
  case jitter
  case attemptDeadline = "attempt-deadline"
  case on, except

  static let owner = "retry"

  static func remedy(insteadOf value: Value) -> String? {
    value.integerValue.map { "write '{ attempts: \($0) }'; attempts count the first attempt too" }
  }

  var isRequired: Bool { self == .attempts }

  var shape: Shape {
    switch self {
    case .attempts: .integer(1...Limits.attempts)
    case .delay, .maxDelay, .attemptDeadline: .duration
    case .backoff: .number(atLeast: 1)
    case .jitter: .word(RetryPolicy.Jitter.allCases.map(\.rawValue))
    case .on, .except: .list(of: .retryReason, isNonempty: true)
    }
  }

  var defaultText: String? {
    switch self {
    case .delay: "100ms"
    case .backoff: "1"
    case .maxDelay: "30s"
    case .jitter: "none"
    case .attempts, .attemptDeadline, .on, .except: nil
    }
  }

  var summary: String {
    switch self {
    case .attempts: "Attempts in all, the first included"
    case .delay: "The pause before the second attempt"
    case .backoff: "What the pause is multiplied by after each further attempt"
    case .maxDelay: "The longest pause"
    case .jitter: "full: the pause is drawn from zero to its length"
    case .attemptDeadline: "The maximum of one attempt"
    case .on: "The reasons to try again for, such as [timed-out, lost, 75, 100..110]"
    case .except: "The reasons not to try again for; 'on' cannot be there, too"
    }
  }
}
