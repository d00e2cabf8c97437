/// A workflow as read from a file, with all defaults. Its steps may form a cycle, unlike those of a ``WorkflowGraph``.
package struct Workflow: Sendable {
  /// The name in reports.
  package var name: String
  /// A description, or nil.
  package var description: String?
  /// The inputs, which a run sets with `-i`.
  package var inputs: [FieldDeclaration] = []
  /// The secrets, which are available to steps and never shown.
  package var secrets: [SecretDeclaration] = []
  /// Environment variables for commands and plugins. Values may contain `${{ }}`.
  package var environment: ValueObject = [:]
  /// The files in `env-file`. A later file overrides an earlier one, and ``environment`` overrides all of them. Paths
  /// are relative to the workflow's folder and may contain `${{ }}` that reads `inputs`. The program that runs the
  /// workflow reads the files into `RunOptions.fileEnvironment`.
  package var environmentFiles: [EnvironmentFileName] = []
  /// The minimum and maximum of the launch gate, or nil if it has neither.
  package var gate: GateDeadline?
  /// The time after activation at which a run is cancelled, or nil.
  package var timeout: Duration?
  /// The time limit for all cleanup steps of a cancelled run, or nil for 5 s.
  package var cleanup: Duration?
  /// The events that the workflow declares.
  package var events: [EventDeclaration] = []
  /// The queues that the workflow declares.
  package var queues: [QueueDeclaration] = []
  /// The maximum number of steps that run at the same time, or nil.
  package var concurrency: Int?
  /// True if each result is written to disk before further steps start.
  package var isDurable = false
  /// True if a run keeps its services running after all other steps have finished, until it is asked to end.
  package var keepsServices = false
  /// True if runs are recorded in the run history.
  package var keepsHistory = true
  /// The number of bytes of output that are recorded of a run.
  package var logLimitBytes = Limits.usualLogBytes
  /// The limits for times of runs, which `flowrun simulate` checks.
  package var budgets: [BudgetRule] = []
  /// The steps in file order.
  package var steps: [Step]
  /// The default executor of the steps, in the form of `--on`, or nil if steps run on this machine.
  package var executor: String?
  /// The outputs of a run. Values may contain `${{ }}`.
  package var outputs: ValueObject = [:]

  /// The included workflows. Their steps are in ``steps``.
  package var scopes: [WorkflowScope] = []
  /// For each step, 1 plus the index in ``scopes`` of the file that contains it, or 0 for the workflow's own file.
  /// Empty if there are no scopes.
  package var scopeOfStep: [Int32] = []
  /// The declarations of the entries and exits of included workflows, by the `uses` of these steps.
  package var includes: [String: ActionDeclaration] = [:]
  /// The folders of included files and of items' workflows, relative to the workflow's own, by `uses`.
  package var includeFolders: [String: String] = [:]
  /// The workflows that run for items, by `uses`.
  package var itemWorkflows: [String: ItemWorkflow] = [:]
  /// The expressions that were parsed when the file was read. Nil for a workflow that comes from a compiled file or was
  /// built in code.
  package var parsedExpressions: (any ParsedExpressions)?

  /// Creates a workflow.
  package init(name: String, description: String? = nil, steps: [Step]) {
    self.name = name
    self.description = description
    self.steps = steps
  }
}

/// An event that a workflow declares.
package struct EventDeclaration: Sendable, Hashable {
  /// The name in `after` and `--event`.
  package var name: String
  /// A description, or an empty string.
  package var summary: String
  /// True if each post is passed to the event's followers. A step that waits for the event reacts only to the first
  /// post.
  package var repeats: Bool
  /// The type of the event's value, or nil if it has none.
  package var value: FieldDeclaration?

  /// Declares an event.
  package init(_ name: String, summary: String = "", repeats: Bool = false, value: FieldDeclaration? = nil) {
    self.name = name
    self.summary = summary
    self.repeats = repeats
    self.value = value
  }
}

/// The minimum and maximum of the launch gate.
package struct GateDeadline: Sendable, Hashable {
  /// The time before which the gate does not open, or nil.
  package var min: DurationSource?
  /// The time at which the gate opens even if blocking steps have not finished, or nil.
  package var max: DurationSource?

  /// Creates a deadline.
  package init(min: DurationSource? = nil, max: DurationSource? = nil) {
    self.min = min
    self.max = max
  }
}

/// A duration, or an expression that is evaluated at activation.
package enum DurationSource: Sendable, Hashable {
  case literal(Duration)
  /// A string with `${{ }}` that reads `inputs` and `launch`.
  case expression(String)
}

/// A queue that a workflow declares.
package struct QueueDeclaration: Sendable, Hashable {
  /// The queue of the steps that use the terminal, which run one at a time and in file order. No workflow can declare
  /// this name.
  package static let terminal = "the terminal"

  /// The name in a step's `queue`.
  package var name: String
  /// The quality of service of its steps.
  package var qualityOfService: StepQueue
  /// The maximum number of its steps that run at the same time, or nil.
  package var width: Int?

  /// Declares a queue.
  package init(name: String, qualityOfService: StepQueue, width: Int? = nil) {
    self.name = name
    self.qualityOfService = qualityOfService
    self.width = width
  }
}

/// The quality of service of the thread that runs a step. The most urgent comes first.
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
