import FlowDiagnostics
import FlowModel

enum WorkflowKey: String, FormatKey {
  case name, description, inputs, secrets, env, deadline, events, queues, defaults, concurrency, steps, outputs
  case durable, history, timeout, finally, cleanup, budgets, keep
  case environmentFile = "env-file"
  case logLimit = "log-limit"
  case path

  static let owner = "a workflow"
  /// The prefix of keys that are ignored. Their values can define anchors.
  static let ignoredPrefix: String? = "x-"

  static func remedy(for foreign: String, value: String?) -> String? { ForeignKeys.remedy(ofWorkflow: foreign) }
  static func counterpart(of foreign: String) -> String? { ForeignKeys.counterpart(ofWorkflow: foreign) }

  var row: KeyRow {
    switch self {
    case .name: KeyRow(.workflowName, isRequired: true, "The name of the workflow in reports")
    case .description: KeyRow(.string, "What the workflow is for")
    case .inputs: KeyRow(.named(.input, .map(FieldKey.self)), "The inputs of a run, given with -i name=value")
    case .secrets:
      KeyRow(
        .named(.secret, .map(SecretKey.self)),
        "Secrets, which a run never shows; each comes from a variable, a file or a command")
    case .env:
      KeyRow(.environment, "Environment variables for the child processes of all steps; values may hold ${{ }}")
    case .deadline:
      KeyRow(
        .durationOr(DeadlineKey.self, allowsExpression: true),
        "The launch gate: it never opens before min and never after max; one duration is max")
    case .events:
      KeyRow(
        .events,
        "Events that come from outside: a list of names, or a mapping from name to description, or to repeats and description"
      )
    case .queues: KeyRow(.named(.queue, .map(QueueKey.self)), "Queues of the workflow's own, by name")
    case .defaults: KeyRow(.map(DefaultsKey.self), "Defaults for all steps")
    case .concurrency: KeyRow(.integer(1...Limits.steps), "How many steps may run at once")
    case .steps: KeyRow(.named(.step, .map(StepKey.self)), isRequired: true, "The steps by id")
    case .outputs: KeyRow(.named(.output, .any), "The outputs of the run; values may read every step with ${{ }}")
    case .durable:
      KeyRow(.boolean, default: "false", "Whether every result is saved to disk before the next step starts")
    case .history:
      KeyRow(.boolean, default: "true", "Whether flowrun records the runs of this workflow; see flowrun runs")
    case .timeout:
      KeyRow(
        .durationAboveZero,
        "How long a run may take from its activation; then it is ended, with cleanup, and has failed")
    case .finally:
      KeyRow(
        .named(.step, .map(StepKey.self)),
        "Steps by id that run when all others have finished, even if the run failed or was cancelled")
    case .cleanup:
      KeyRow(
        .durationAboveZero, default: "5s",
        "How long finally and always() steps have together when a run is cancelled, at most 1h")
    case .budgets:
      KeyRow(
        .list(of: .name, isNonempty: true),
        "Limits on runs, as rules such as p95(gate) <= 2.5s; flowrun simulate checks them")
    case .keep:
      KeyRow(
        .word(KeptPart.allCases.map(\.rawValue)),
        "services: when all other steps have finished, the run goes on with its services until Ctrl-C")
    case .environmentFile:
      KeyRow(
        .environmentFiles,
        "Files of NAME=value lines, relative to the workflow; env overrides them, and later files override earlier ones"
      )
    case .logLimit:
      KeyRow(
        .size(Limits.leastLogBytes...Limits.logBytes), default: MemoryText.format(Limits.usualLogBytes),
        "How much is recorded of what the steps of a run print")
    case .path:
      KeyRow(
        .list(of: .folder, isNonempty: true), "Folders before PATH for the commands of all steps, relative to the file")
    }
  }
}

extension WorkflowKey {
  /// True if the value of the key with this name is a mapping of steps.
  static func holdsSteps(_ name: String) -> Bool {
    name == WorkflowKey.steps.rawValue || name == WorkflowKey.finally.rawValue
  }
}

/// The keys that describe an event in `events`.
enum EventKey: String, FormatKey {
  case repeats, description, value

  static let owner = "an event"

  var row: KeyRow {
    switch self {
    case .repeats:
      KeyRow(
        .boolean, default: "false", "Whether each post counts for flow.on; steps wait for the first one either way")
    case .description: KeyRow(.string, "A description")
    case .value:
      KeyRow(.map(EventValueKey.self), "The type of the value that the event is posted with, and whether it is secret")
    }
  }
}

/// The keys that describe the value of an event: those of a field without `required` and `default`, because an event
/// may always be posted without its value, which is then null.
enum EventValueKey: String, FormatKey {
  case type, `enum`, items, properties, base, secret, description

  static let owner = "the value of an event"

  static func counterpart(of foreign: String) -> String? { FieldKey.counterpart(of: foreign) }

  static func remedy(for foreign: String, value: String?) -> String? {
    switch FieldKey(rawValue: foreign) {
    case .required?:
      "leave it out: an event may be posted without its value, which is then null; "
        + "write … || a default where the value is read"
    case .default?:
      "leave it out: the value of an event that is posted without one is null; "
        + "write … || \(value.flatMap { $0.isEmpty ? nil : "'\($0)'" } ?? "a default") where the value is read"
    default: FieldKey.remedy(for: foreign, value: value)
    }
  }

  static func remedy(insteadOf value: Value) -> String? {
    guard let word = value.stringValue else { return nil }
    let type = ValueType.names.contains(word) ? word : ForeignKeys.types[word.lowercased()]
    return "write '{ type: \(type ?? "string") }'"
  }

  /// The same key of a field.
  var field: FieldKey {
    switch self {
    case .type: .type
    case .enum: .enum
    case .items: .items
    case .properties: .properties
    case .base: .base
    case .secret: .secret
    case .description: .description
    }
  }

  var row: KeyRow {
    switch self {
    case .secret: KeyRow(.boolean, default: "false", "Whether it is a secret: a run never shows it")
    default: field.row
    }
  }
}

/// The keys that describe a queue in `queues`.
enum QueueKey: String, FormatKey {
  case qos, width

  static let owner = "a queue"

  var row: KeyRow {
    switch self {
    case .qos:
      KeyRow(
        .word(StepQueue.allCases.map(\.rawValue)), isRequired: true, "The quality of service of the steps in the queue")
    case .width: KeyRow(.integer(1...Limits.steps), "How many steps of the queue may run at once")
    }
  }
}

enum DefaultsKey: String, FormatKey {
  case retry, deadline, queue, executor, stop, shell, cwd

  static let owner = "defaults"

  /// The key of a step with the same meaning, or nil if the value is an input of commands.
  private var stepKey: StepKey? {
    switch self {
    case .retry: .retry
    case .deadline: .deadline
    case .queue: .queue
    case .executor: .executor
    case .stop: .stop
    case .shell: .shell
    case .cwd: nil
    }
  }

  var row: KeyRow {
    stepKey?.row.shared() ?? KeyRow(.name, "The folder in which commands run, relative to the file")
  }
}

/// The keys of an entry in `env-file` that is written as a mapping.
enum EnvironmentFileKey: String, FormatKey {
  case path, required

  static let owner = "a file of 'env-file'"

  var row: KeyRow {
    switch self {
    case .path: KeyRow(.name, isRequired: true, "The path of the file; it may hold ${{ inputs… }}")
    case .required: KeyRow(.boolean, default: "true", "Whether a run cannot start without the file")
    }
  }
}

/// The keys of a field: an input of the workflow, an input or output of an action in a manifest, or a property of an
/// object.
enum FieldKey: String, FormatKey {
  case type, required, `default`, `enum`, items, properties, base, secret, description

  static let owner = "a field"

  static func counterpart(of foreign: String) -> String? { foreign == "options" ? FieldKey.enum.rawValue : nil }

  static func remedy(for foreign: String, value: String?) -> String? {
    counterpart(of: foreign).map {
      Correction(foreign, to: $0).question + " the type is that of its values, such as 'type: string'"
    }
  }

  static func remedy(insteadOf value: Value) -> String? {
    guard let word = value.stringValue else { return nil }
    let type = ValueType.names.contains(word) ? word : ForeignKeys.types[word.lowercased()]
    return type.map { "write '{ type: \($0) }'" } ?? "write '{ type: string, default: \(value.shortText) }'"
  }

  var row: KeyRow {
    switch self {
    case .type: KeyRow(.word(ValueType.names), isRequired: true, "The type of the value")
    case .required: KeyRow(.boolean, "Whether a value must be given; true when there is no default")
    case .default: KeyRow(.any, "The value if none is given")
    case .enum: KeyRow(.list(of: .any, isNonempty: true), "The only values allowed")
    case .items: KeyRow(.map(FieldKey.self), "The type of an array's elements")
    case .properties:
      KeyRow(.named(.field, .map(FieldKey.self)), "The keys of an object; without it any key is allowed")
    case .base:
      KeyRow(
        .word(ValueType.PathBase.allCases.map(\.rawValue)),
        "Where a relative path starts: the run's data folder, or the folder of the workflow file")
    case .secret:
      KeyRow(
        .boolean, default: "false", "Whether it is a secret: a run never shows it, and -i reads it only from a file")
    case .description: KeyRow(.string, "A description")
    }
  }
}
