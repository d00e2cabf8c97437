/// A workflow as read from a file, with all defaults. Its dependencies may form a cycle; those of a ``WorkflowGraph``
/// cannot.
package struct Workflow: Sendable {
  /// The name of the workflow, which identifies it in reports and in the run history.
  package var name: String
  /// The description of the workflow, or nil if it has none.
  package var description: String?
  /// The inputs of a run, which `-i` sets.
  package var inputs: [FieldDeclaration] = []
  /// The secrets that steps can use. They are never shown.
  package var secrets: [SecretDeclaration] = []
  /// The environment variables of commands and plugins. Values may contain `${{ }}`.
  package var environment: ValueObject = [:]
  /// The files in `env-file`. Later files override earlier ones, and ``environment`` overrides all of them. Paths are
  /// relative to the workflow's folder and may contain `${{ }}` that reads `inputs`.
  ///
  /// The program that runs the workflow reads the files into `RunOptions.fileEnvironment`.
  package var environmentFiles: [EnvironmentFileName] = []
  /// The minimum and maximum of the launch gate, or nil if the workflow sets neither.
  package var gate: GateDeadline?
  /// The time after activation at which a run is cancelled, or nil if the run has no time limit.
  package var timeout: Duration?
  /// The time limit for all cleanup steps of a cancelled run together. Nil means 5 s.
  package var cleanup: Duration?
  /// The events that the workflow declares under `events`.
  package var events: [EventDeclaration] = []
  /// The queues that the workflow declares under `queues`.
  package var queues: [QueueDeclaration] = []
  /// The maximum number of steps that run at the same time, or nil if their number is not limited.
  package var concurrency: Int?
  /// True if the result of each step is written to disk before further steps start.
  package var isDurable = false
  /// True if a run keeps its services alive after all other steps have finished, until it is asked to end.
  package var keepsServices = false
  /// True if runs of the workflow are recorded in the run history.
  package var keepsHistory = true
  /// The maximum number of bytes that are recorded of a run's output.
  package var logLimitBytes = Limits.usualLogBytes
  /// The rules that limit the times of runs. `flowrun simulate` checks them.
  package var budgets: [BudgetRule] = []
  /// The steps in file order, followed by those of included files.
  package var steps: [Step]
  /// The default executor of the steps, as written after `--on`, which takes precedence. Nil means that steps run on
  /// this machine.
  package var executor: String?
  /// The outputs of a run, by name. Values may contain `${{ }}`.
  package var outputs: ValueObject = [:]

  /// The included workflows. Their steps are also in ``steps``.
  package var scopes: [WorkflowScope] = []
  /// For each step, 1 plus the index in ``scopes`` of the file that contains it, or 0 if it is in the main file. Empty
  /// if no files are included.
  package var scopeOfStep: [Int32] = []
  /// The declarations of the entries and exits of included workflows, by the value of `uses` in these steps.
  package var includes: [String: ActionDeclaration] = [:]
  /// The folders of included files and of workflows that run for items, relative to the main workflow's folder, by the
  /// value of `uses`.
  package var includeFolders: [String: String] = [:]
  /// The workflows that run for items, by the value of `uses`.
  package var itemWorkflows: [String: ItemWorkflow] = [:]
  /// The expressions that were parsed when the file was read. Nil if the workflow comes from a compiled file or was
  /// built in code.
  package var parsedExpressions: (any ParsedExpressions)?

  package init(name: String, description: String? = nil, steps: [Step]) {
    self.name = name
    self.description = description
    self.steps = steps
  }
}

package struct EventDeclaration: Sendable, Hashable {
  /// The name of the event, as used in `after` and `--event`.
  package var name: String
  /// The description of the event, or an empty string.
  package var summary: String
  /// True if followers of the event receive each post. A step that only waits for the event reacts only to its first
  /// post.
  package var repeats: Bool
  /// The type of the event's value, or nil if the event has no value.
  package var value: FieldDeclaration?

  /// Declares an event without a value. It does not call the other initializer with nil, because the runtime would
  /// create the type of the optional.
  package init(_ name: String, summary: String = "", repeats: Bool = false) {
    self.name = name
    self.summary = summary
    self.repeats = repeats
  }

  /// Declares an event with a value, or without one if `value` is nil.
  package init(_ name: String, summary: String = "", repeats: Bool = false, value: FieldDeclaration?) {
    self.init(name, summary: summary, repeats: repeats)
    self.value = value
  }
}

/// The minimum and maximum of the launch gate.
package struct GateDeadline: Sendable, Hashable {
  /// The time before which the gate does not open, or nil if there is none.
  package var min: DurationSource?
  /// The time at which the gate opens even if blocking steps have not finished, or nil if there is none.
  package var max: DurationSource?

  package init(min: DurationSource? = nil, max: DurationSource? = nil) {
    self.min = min
    self.max = max
  }
}

/// A duration, or an expression that is evaluated at activation.
package enum DurationSource: Sendable, Hashable {
  case literal(Duration)
  /// A string with expressions in `${{ }}` that can read `inputs` and `launch`.
  case expression(String)
}

/// A queue that a workflow declares under `queues`.
package struct QueueDeclaration: Sendable, Hashable {
  /// The queue of the steps that use the terminal. They run one at a time, in file order. A workflow cannot declare a
  /// queue with this name.
  package static let terminal = "the terminal"

  /// The name by which a step's `queue` refers to the queue.
  package var name: String
  /// The quality of service at which the queue's steps run.
  package var qualityOfService: StepQueue
  /// The maximum number of the queue's steps that run at the same time, or nil if their number is not limited.
  package var width: Int?

  package init(name: String, qualityOfService: StepQueue, width: Int? = nil) {
    self.name = name
    self.qualityOfService = qualityOfService
    self.width = width
  }
}

/// The quality of service of the thread that runs a step. The most urgent one comes first.
public enum StepQueue: String, Sendable, Hashable, CaseIterable {
  case userInteractive = "user-interactive"
  case userInitiated = "user-initiated"
  case utility
  case background
}

extension Workflow {
  /// Returns the direct and indirect dependencies of a step.
  package func upstream(of step: StepIndex) -> Set<StepIndex> {
    var found: Set<StepIndex> = []
    var rest = Array(steps[Int(step)].needs)
    while let next = rest.popLast() {
      if found.insert(next).inserted { rest += steps[Int(next)].needs }
    }
    return found
  }
}
