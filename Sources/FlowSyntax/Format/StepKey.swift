import FlowModel

/// The keys that a step can have.
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

  /// The keys that steps in `finally` cannot have, because `finally` determines when its steps start.
  static let notInFinally: [StepKey] = [.after, .deferral, .blocking, .prewarm]

  static func remedy(for foreign: String, value: String?) -> String? { ForeignKeys.remedy(ofStep: foreign, value) }
  static func counterpart(of foreign: String) -> String? { ForeignKeys.counterpart(ofStep: foreign) }

  static func remedy(insteadOf value: Value) -> String? {
    guard let text = value.stringValue else { return nil }
    if text.hasPrefix("["), text.hasSuffix("]") { return "write the command under 'run': { run: \(text) }" }
    return NameKind.action.allows(text)
      ? "write an action under 'uses': { uses: \(text) }"
      : "write a command under 'run': { run: \(value.shortText) }"
  }

  var row: KeyRow {
    switch self {
    case .uses: KeyRow(.actionName, "The action, plugin.action, or a workflow, ./file.yaml; or write run")
    case .run:
      KeyRow(
        .command,
        "Short for uses: shell.run with this command: a text for the shell, or a list of program and arguments")
    case .shell:
      KeyRow(
        .name, default: "sh", proposals: ["sh", "bash", "python"],
        "The shell of run: sh, bash, python, or a command with {0} for the file of the script")
    case .needs: KeyRow(.stepNames, "The step or steps to start after")
    case .with: KeyRow(.values, "The action's inputs")
    case .name: KeyRow(.string, "A name for people; other steps refer to the id")
    case .description: KeyRow(.string, "What the step does, in a line that 'flowrun' lists")
    case .after: KeyRow(.eventNames, "The event or events to wait for as well")
    case .condition: KeyRow(.expression, default: "success()", "An expression; when it is false the step is skipped")
    case .enabled:
      KeyRow(
        .booleanOrExpression, default: "true",
        "false, or an expression over inputs, env and launch: the step is disabled, and its dependents run without it")
    case .deferral:
      KeyRow(
        .deferral, default: "false",
        "true: after the gate opened; idle: after it opened and when nothing else runs; or an expression")
    case .blocking: KeyRow(.boolean, "Whether the launch gate waits for this step; true unless it is deferred")
    case .optional:
      KeyRow(.boolean, default: "false", "Whether its failure neither fails the run nor stops its dependents")
    case .deadline:
      KeyRow(
        .durationOr(DeadlineKey.self, allowsExpression: false),
        "Minimum and maximum of the step from its first start; one duration is the maximum")
    case .retry: KeyRow(.map(RetryKey.self), "How often and when it is tried again after a failure")
    case .queue:
      KeyRow(.queueName, "main, a quality of service, or a name from queues; user-initiated, or utility if deferred")
    case .estimate: KeyRow(.estimate, "The expected duration: 80ms or 50ms..200ms")
    case .prewarm: KeyRow(.boolean, default: "false", "Whether it may run before activation")
    case .quiet: KeyRow(.boolean, default: "false", "Whether the output of its commands is kept out of the log")
    case .color:
      KeyRow(.boolean, default: "true", "Whether its commands are asked for colors on a terminal, with FORCE_COLOR=1")
    case .env: KeyRow(.environment, "Environment variables for its child processes, on top of the workflow's")
    case .onInterrupt:
      KeyRow(
        .word(InterruptPolicy.allCases.map(\.rawValue)), default: "rerun",
        "What a resume of a durable run does when its process died while the step ran: rerun or fail")
    case .foreach:
      KeyRow(
        .foreach,
        "The items to run the step for: a list, an expression that gives one, or a mapping of items, axes or files")
    case .parallel: KeyRow(.integer(1...Limits.items), "With foreach, how many items may run at once")
    case .executor:
      KeyRow(
        .executorAddress,
        "Where the step runs, as --on takes it (workers=4, slurm=8), local: here, or { slurm: { partition: long } }")
    case .failFast: KeyRow(.boolean, default: "true", "With foreach, whether a failed item ends the others")
    case .inputsFrom:
      KeyRow(
        .list(of: .fileRule, isNonempty: true),
        "The files that it reads, as paths and patterns; it is skipped while nothing has changed; with foreach each item"
      )
    case .produces:
      KeyRow(
        .list(of: .fileRule, isNonempty: true),
        "The files that it produces, as paths and patterns; a changed one makes it run again")
    case .resources:
      KeyRow(.map(ResourcesKey.self), "The capacity that it requests while it runs: { cpus: 4, memory: 8GiB, gpus: 1 }")
    case .outputs:
      KeyRow(
        .named(.output, .map(FieldKey.self)),
        "The outputs that its command writes to the file FLOWRUN_OUTPUT as name=value, each with its type")
    case .outputLimit:
      KeyRow(
        .size(Limits.leastCommandOutputBytes...Limits.commandOutputBytes),
        default: MemoryText.format(Limits.usualCommandOutputBytes),
        "How much is kept of the standard output, and of the standard error, of its command; an expression that reads "
          + "more fails")
    case .stop:
      KeyRow(
        .map(StopKey.self), "How its command is asked to end when the step is cancelled: { signal: INT, within: 10s }")
    case .logLimit:
      KeyRow(
        .size(Limits.leastLogBytes...Limits.logBytes), default: MemoryText.format(Limits.usualStepLogBytes),
        "How much is recorded of what it and its items print: half of it the beginning, half the end")
    case .mergeOutput:
      KeyRow(
        .boolean, default: "false",
        "Whether its command writes standard output and standard error to one pipe, so that their order is exact")
    case .path:
      KeyRow(
        .list(of: .folder, isNonempty: true),
        "Folders before PATH for its command, relative to the file; they come before those of the workflow")
    case .interactive:
      KeyRow(
        .boolean, default: "false",
        "Whether its command has the terminal, as an editor or a login does; one such step runs at a time, and nothing that it "
          + "prints is recorded")
    case .service:
      KeyRow(
        .boolean, default: "false",
        "Whether its command keeps running: the step succeeds when it is ready, and flowrun stops it at the end of the run"
      )
    case .readyWhen:
      KeyRow(
        .map(ReadyKey.self),
        "When a service is ready: { port: 8080 }, or with http, log or run; without it when it has started")
    case .restart:
      KeyRow(.map(RestartKey.self), "Whether a service that ends by itself is started again: { on-exit: failure }")
    }
  }
}

enum DeadlineKey: String, FormatKey {
  case min, max

  static let owner = "a deadline"

  var row: KeyRow {
    switch self {
    case .min: KeyRow(.duration, "The minimum")
    case .max: KeyRow(.duration, "The maximum")
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

  var row: KeyRow {
    switch self {
    case .attempts: KeyRow(.integer(1...Limits.attempts), isRequired: true, "Attempts in all, the first included")
    case .delay: KeyRow(.duration, default: "100ms", "The pause before the second attempt")
    case .backoff:
      KeyRow(.number(atLeast: 1), default: "1", "What the pause is multiplied by after each further attempt")
    case .maxDelay: KeyRow(.duration, default: "30s", "The longest pause")
    case .jitter:
      KeyRow(
        .word(RetryPolicy.Jitter.allCases.map(\.rawValue)), default: "none",
        "full: the pause is drawn from zero to its length")
    case .attemptDeadline: KeyRow(.duration, "The maximum of one attempt")
    case .on:
      KeyRow(
        .list(of: .retryReason, isNonempty: true),
        "The reasons to try again for, such as [timed-out, lost, 75, 100..110]")
    case .except:
      KeyRow(.list(of: .retryReason, isNonempty: true), "The reasons not to try again for; 'on' cannot be there, too")
    }
  }
}
