import FlowDiagnostics
import FlowModel

enum WorkflowKey: String, FormatKey {
  case name, description, inputs, secrets, env, deadline, events, queues, defaults, concurrency, steps, outputs
  case durable, history, timeout, finally, cleanup, budgets, keep
  case environmentFile = "env-file"
  case logLimit = "log-limit"
  case path

  static let owner = "a workflow"
  /// The prefix of keys that are ignored. They can have anchors.
  static let ignoredPrefix: String? = "x-"

  static func remedy(for foreign: String, value: String?) -> String? { ForeignKeys.remedy(ofWorkflow: foreign) }
  static func counterpart(of foreign: String) -> String? { ForeignKeys.counterpart(ofWorkflow: foreign) }

  var isRequired: Bool { self == .name || self == .steps }

  var shape: Shape {
    switch self {
    case .name: .workflowName
    case .environmentFile: .environmentFiles
    case .path: .list(of: .folder, isNonempty: true)
    case .description: .string
    case .inputs: .named(.input, .map(FieldKey.self))
    case .secrets: .named(.secret, .map(SecretKey.self))
    case .env: .environment
    case .deadline: .durationOr(DeadlineKey.self, allowsExpression: true)
    case .events: .events
    case .queues: .named(.queue, .map(QueueKey.self))
    case .defaults: .map(DefaultsKey.self)
    case .concurrency: .integer(1...Limits.steps)
    case .steps: .named(.step, .map(StepKey.self))
    case .outputs: .named(.output, .any)
    case .durable, .history: .boolean
    case .timeout, .cleanup: .durationAboveZero
    case .logLimit: .size(Limits.leastLogBytes...Limits.logBytes)
    case .budgets: .list(of: .name, isNonempty: true)
    case .keep: .word(KeptPart.allCases.map(\.rawValue))
    case .finally: .named(.step, .map(StepKey.self))
    }
  }

  var defaultText: String? {
    switch self {
    case .durable: "false"
    case .history: "true"
    case .cleanup: "5s"
    case .logLimit: MemoryText.format(Limits.usualLogBytes)
    default: nil
    }
  }

  var summary: String {
    switch self {
    case .name: "The name of the workflow in reports"
    case .description: "What the workflow is for"
    case .inputs: "The inputs of a run, given with -i name=value"
    case .secrets: "Secrets, which a run never shows; each comes from a variable, a file or a command"
    case .env: "Environment variables for the child processes of all steps; values may hold ${{ }}"
    case .deadline: "The launch gate: it never opens before min and never after max; one duration is max"
    case .events:
      "Events that come from outside: a list of names, or a mapping from name to description, or to repeats and description"
    case .queues: "Queues of the workflow's own, by name"
    case .defaults: "Defaults for all steps"
    case .concurrency: "How many steps may run at once"
    case .steps: "The steps by id"
    case .outputs: "The outputs of the run; values may read every step with ${{ }}"
    case .durable: "Whether every result is saved to disk before the next step starts"
    case .environmentFile:
      "Files of NAME=value lines, relative to the workflow; env overrides them, and later files override earlier ones"
    case .path: "Folders before PATH for the commands of all steps, relative to the file"
    case .timeout: "How long a run may take from its activation; then it is ended, with cleanup, and has failed"
    case .finally: "Steps by id that run when all others have finished, even if the run failed or was cancelled"
    case .cleanup: "How long finally and always() steps have together when a run is cancelled, at most 1h"
    case .budgets: "Limits on runs, as rules such as p95(gate) <= 2.5s; flowrun simulate checks them"
    case .keep: "services: when all other steps have finished, the run goes on with its services until Ctrl-C"
    case .history: "Whether flowrun records the runs of this workflow; see flowrun runs"
    case .logLimit: "How much is recorded of what the steps of a run print"
    }
  }
}

extension WorkflowKey {
  /// True if the value of this key is a mapping of steps.
  static func holdsSteps(_ name: String) -> Bool {
    name == WorkflowKey.steps.rawValue || name == WorkflowKey.finally.rawValue
  }
}

/// The keys of an event.
enum EventKey: String, FormatKey {
  case repeats, description, value

  static let owner = "an event"

  var shape: Shape {
    switch self {
    case .repeats: .boolean
    case .description: .string
    case .value: .map(FieldKey.self)
    }
  }

  var defaultText: String? { self == .repeats ? "false" : nil }

  var summary: String {
    switch self {
    case .repeats: "Whether each post counts for flow.on; steps wait for the first one either way"
    case .description: "A description"
    case .value: "The type of the value that the event is posted with, and whether it is secret"
    }
  }
}

/// The keys of a queue.
enum QueueKey: String, FormatKey {
  case qos, width

  static let owner = "a queue"

  var isRequired: Bool { self == .qos }

  var shape: Shape {
    switch self {
    case .qos: .word(StepQueue.allCases.map(\.rawValue))
    case .width: .integer(1...Limits.steps)
    }
  }

  var summary: String {
    switch self {
    case .qos: "The quality of service of the steps in the queue"
    case .width: "How many steps of the queue may run at once"
    }
  }
}

enum DefaultsKey: String, FormatKey {
  case retry, deadline, queue, executor, stop, shell, cwd

  static let owner = "defaults"

  /// The same key of a step, or nil if it is an input of commands.
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

  var shape: Shape { stepKey?.shape ?? .name }
  var summary: String { stepKey?.summary ?? "The folder in which commands run, relative to the file" }
  var proposals: [String] { stepKey?.proposals ?? [] }
}

/// The keys of a file in `env-file`.
enum EnvironmentFileKey: String, FormatKey {
  case path, required

  static let owner = "a file of 'env-file'"

  var isRequired: Bool { self == .path }

  var shape: Shape {
    switch self {
    case .path: .name
    case .required: .boolean
    }
  }

  var defaultText: String? { self == .required ? "true" : nil }

  var summary: String {
    switch self {
    case .path: "The path of the file; it may hold ${{ inputs… }}"
    case .required: "Whether a run cannot start without the file"
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

  var isRequired: Bool { self == .type }

  var defaultText: String? { self == .secret ? "false" : nil }

  var shape: Shape {
    switch self {
    case .type: .word(ValueType.names)
    case .required, .secret: .boolean
    case .default: .any
    case .enum: .list(of: .any, isNonempty: true)
    case .items: .map(FieldKey.self)
    case .properties: .named(.field, .map(FieldKey.self))
    case .base: .word(ValueType.PathBase.allCases.map(\.rawValue))
    case .description: .string
    }
  }

  var summary: String {
    switch self {
    case .type: "The type of the value"
    case .required: "Whether a value must be given; true when there is no default"
    case .secret: "Whether it is a secret: a run never shows it, and -i reads it only from a file"
    case .default: "The value if none is given"
    case .enum: "The only values allowed"
    case .items: "The type of an array's elements"
    case .properties: "The keys of an object; without it any key is allowed"
    case .base: "Where a relative path starts: the run's data folder, or the folder of the workflow file"
    case .description: "A description"
    }
  }
}
