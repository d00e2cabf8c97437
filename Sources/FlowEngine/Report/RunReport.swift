import FlowModel
import FlowSecrets

/// The report of a run. Times are milliseconds from activation. They are negative before it, and nil for events that
/// did not happen.
public struct RunReport: Sendable {
  /// The name of the workflow.
  public var workflow: String
  /// The id of the run.
  public var runID: String
  /// The conclusion of the run.
  public var conclusion: RunConclusion
  /// The reason why the run failed, if not because of a step: ``timedOut`` if it exceeded its `timeout`, otherwise nil.
  public var reason: String?
  /// The launch gate.
  public var gate: Gate
  /// The reason for the launch, or nil if the run ended before activation.
  package var launchReason: LaunchReason?
  /// The time from the start of prewarming to activation.
  package var prewarmMilliseconds: Double
  /// The launch, and each return of the app to the foreground (C18), in order.
  package var entries: [AppEntry]
  /// The total time that steps ran on the main thread.
  package var mainQueueMilliseconds: Double
  /// The steps that determined when the gate was ready or, without blocking steps, when the run ended, in order.
  package var criticalPath: [PathStep]
  /// The values of the workflow's `outputs`.
  public var outputs: ValueObject
  /// Problems that are not failures, such as a handle that did not close in time.
  public var warnings: [String]
  /// The time from activation to the end.
  public var durationMilliseconds: Double
  /// The keys of items that come from an object, by step.
  var itemKeys: [StepIndex: [String]] = [:]
  /// The names of items that users see, by step.
  var itemNames: [StepIndex: [String]] = [:]
  /// The results of the steps in items' workflows, by instance.
  var itemRuns: [StepIndex: ItemRunSteps] = [:]
  /// Hides the secrets of the run, or nil if it has none.
  var mask: SecretMask?
  /// The failure of an output's expression, which makes the run fail, or nil.
  var outputsFailure: StepFailure?
  /// The failures of the run itself, not of a step: it exceeded its `timeout`, an output was cut, or a durable run could
  /// not be recorded.
  package internal(set) var ownFailures: [StepFailure] = []
  /// The latest version of the report's JSON format. Version 2 added the dependencies and attempts of steps, and the
  /// steps that post events.
  package static let newestSchema = 2
  /// The value of ``reason`` for a run that exceeded its `timeout`.
  public static let timedOut = "timed-out"
  /// The version of the format of this report.
  package internal(set) var schema = Self.newestSchema
  /// The events that were posted.
  package var events: [Event] = []
  /// The values of `queues`, `concurrency` and `durable`, in the report's JSON format.
  var limits: ValueObject = [:]
  /// The ids of the selected steps, or an empty array if all steps ran.
  package var selected: [String] = []
  /// Information from the command that started the run.
  package var origin = Origin()
  /// The data from which steps are created on demand.
  let source: Source

  enum Source: Sendable {
    /// The plan of a run in this process, or one restored from a journal.
    case plan(Plan)
    /// The steps of a report in a file.
    case steps([Step])
  }

  /// Information about a run that only the command that started it has.
  package struct Origin: Sendable {
    /// The workflow file, or nil if it is not known.
    package var file: String?
    /// The start of the run in ISO 8601 format, or nil if it is not known.
    package var startedAt: String?
    /// The inputs of the run, without secret ones.
    package var inputs: ValueObject = [:]
    /// The last output lines of failed steps, by step. A step whose failure message quotes them is left out.
    package var lastLines: [StepID: [String]] = [:]
    /// The accounting records of a cluster about the jobs that ran attempts, as one object each.
    package var jobs: [Value] = []
    /// The reason why accounting records are missing, or nil if they are complete.
    package var accountingProblem: String?

    /// Creates an empty origin.
    package init() {}
  }

  /// The launch gate in a report.
  public struct Gate: Sendable {
    /// The outcome.
    public var outcome: GateOutcome
    /// The time at which the gate opened, or nil if it did not.
    public var openedAt: Double?
    /// The time at which the last blocking step was satisfied, or nil if one was not.
    package var readyAt: Double?
    /// How long the minimum kept the gate closed after all blocking steps were satisfied.
    package var heldByMinMilliseconds: Double
    /// The blocking steps that had not finished at the maximum.
    public var late: [StepID]
    /// The blocking steps that ended unsatisfied before the gate opened.
    public var failed: [StepID]
    /// The minimum of the gate.
    package var min: Double
    /// The maximum of the gate, or nil if it has none.
    package var max: Double?
  }

  /// A launch of the app, or a return to the foreground.
  package struct AppEntry: Sendable, Hashable {
    /// The kinds of entries.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
      /// The launch.
      case cold
      /// A return to the foreground for which steps had waited.
      case warm
      /// A return to the foreground for which no step had waited.
      case hot
    }

    /// The kind of entry.
    package var kind: Kind
    /// The event: `activate`, or `app.will-enter-foreground`.
    package var event: String
    /// The number of the event's post, counted from 1.
    package var number: Int
    /// The time of the event.
    package var at: Double
    /// The time at which the gate opened. For a return to the foreground, the end of the last step that waited for the
    /// event and has a minimum of its own (`deadline: { min: … }`). Nil if there is none.
    package var openedAt: Double?
  }

  /// A step on the critical path.
  package struct PathStep: Sendable, Hashable {
    /// The step.
    package var step: StepID
    /// The time at which it started.
    package var start: Double
    /// The time at which it ended.
    package var end: Double
  }

  /// A step in the report.
  public struct Step: Sendable {
    /// The id of the step.
    public var id: StepID
    /// The outcome.
    public var outcome: Outcome
    /// The outcome, but success if the step is optional and failed or timed out.
    public var conclusion: Outcome
    /// The reason why the step was skipped, or nil if it was not.
    package var reason: SkipReason?
    /// The number of attempts.
    public var attempts: Int
    /// The name of the queue.
    package var queue: String
    /// The time at which the step became ready and waited only for a slot.
    package var readyAt: Double?
    /// The time at which its first attempt started.
    public var startedAt: Double?
    /// The time at which it finished.
    public var endedAt: Double?
    /// The time from ready to started.
    package var waitedMilliseconds: Double?
    /// The time for which the body continued after its maximum.
    package var overrunMilliseconds: Double?
    /// True if its body did not end when asked to, and was abandoned.
    package var isAbandoned: Bool
    /// True if the step starts only after the gate has opened.
    package var isDeferred: Bool
    /// True if the gate waits for the step.
    package var isBlocking: Bool
    /// The failure, or nil if it did not fail.
    public var failure: StepFailure?
    /// The items, or nil if the step is not a fan-out.
    package var items: [Item]?
    /// The dependencies of the step.
    package var needs: [StepID]
    /// The events that it waits for.
    package var after: [String]
    /// The start and end of each attempt, if there were several or the minimum delayed the end of the step.
    package var attemptTimes: [Attempt]
    /// The time at which a worker began to run the step, or nil if it ran in this process.
    package var executor: Beginning?
    /// The resources that the step requested, or nil if it declares none.
    package var request: MachineResources?
    /// The `name` of the step, or nil if it has none.
    public var name: String?
  }

  /// The first time at which a worker began to run a remote step.
  package struct Beginning: Sendable, Hashable {
    /// The time, or nil if no worker has begun.
    package var at: Double?
  }

  /// An attempt of a step or item.
  package struct Attempt: Sendable, Hashable {
    /// The start, or nil if it is not known.
    package var startedAt: Double?
    /// The time at which a worker began to run the attempt, or nil if none did.
    package var begunAt: Double?
    /// The end, or nil if it is not known.
    package var endedAt: Double?
  }

  /// An event in the report.
  package struct Event: Sendable, Hashable {
    /// The name of the event.
    package var name: String
    /// The time of its first post.
    package var at: Double
    /// The step that posted it first, or nil if it came from outside or the step is not known.
    package var postedBy: StepID?
  }

  /// An item in the report.
  package struct Item: Sendable {
    /// The index of the item, counted from 0.
    package var index: Int
    /// The key of the item, or nil if the items come from a list.
    package var key: String?
    /// The name of the item that users see, at most 80 characters, or nil if it is not known.
    package var name: String?
    /// The outcome.
    package var outcome: Outcome
    /// The outcome, but success if the step is optional and the item failed or timed out.
    package var conclusion: Outcome
    /// The reason why the item was skipped, or nil if it was not.
    package var reason: SkipReason?
    /// The number of attempts.
    package var attempts: Int
    /// The time at which its first attempt started.
    package var startedAt: Double?
    /// The time at which the item finished.
    package var endedAt: Double?
    /// True if its body did not end when asked to, and was abandoned.
    package var isAbandoned: Bool
    /// The failure, or nil if it did not fail.
    package var failure: StepFailure?
    /// The start and end of each attempt, if there were several or the minimum delayed the end of the item.
    package var attemptTimes: [Attempt]
    /// The time at which a worker began to run the item, or nil if it ran in this process.
    package var executor: Beginning?
    /// The steps of the item's workflow, or nil if it has none or the report would have too many.
    package var steps: [Step]?
  }
}

extension RunReport {
  /// The report as a JSON object with all steps. ``write(_:)`` needs less memory.
  package var value: ValueObject {
    var object = head
    var steps = ValueObject()
    for step in self.steps { steps[step.id.text] = .object(value(of: step)) }
    object["steps"] = .object(steps)
    for (key, value) in tail { object[key] = value }
    return object
  }

  /// Writes the report as indented JSON with a line break at the end, in parts of about 64 KiB.
  package func write<Failure>(_ write: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    var stream = JSONObjectStream()
    for (key, value) in head { stream.add(key, value) }
    stream.open("steps")
    for index in 0..<stepCount {
      let step = step(StepIndex(index))
      stream.add(step.id.text, .object(value(of: step)))
      if stream.count >= 1 << 16 { try write(stream.take()) }
    }
    stream.close()
    for (key, value) in tail { stream.add(key, value) }
    stream.close()
    try write(stream.take() + [UInt8(ascii: "\n")])
  }

  private func value(of step: Step) -> ValueObject {
    var object = step.value
    if let lines = origin.lastLines[step.id] { object["lastLines"] = .array(lines.map { .string($0) }) }
    return hidden(object)
  }

  /// Hides secrets in a part of the report. Its values were masked before, so this is a second line of defense.
  private func hidden(_ object: ValueObject) -> ValueObject { mask?.masked(object) ?? object }

  /// The report with the number of steps per outcome instead of its steps, for lists of runs.
  var summary: ValueObject {
    var object = head
    for (key, value) in tail { object[key] = value }
    var counts = ValueObject()
    for (outcome, count) in outcomeCounts { counts[outcome.word] = .integer(count) }
    object["outcomes"] = .object(counts)
    return object
  }

  private var head: ValueObject {
    hidden([
      "schema": .integer(schema),
      "workflow": .string(workflow), "runId": .string(runID), "conclusion": .string(conclusion.rawValue),
      "gate": .object(gate.value), "launchReason": launchReason.map { .string($0.rawValue) } ?? .null,
      "durationMilliseconds": .number(durationMilliseconds), "entries": .array(entries.map { .object($0.value) }),
      "prewarmMilliseconds": .number(prewarmMilliseconds), "mainQueueMilliseconds": .number(mainQueueMilliseconds),
      "criticalPath": .array(
        criticalPath.map {
          ["step": .string($0.step.text), "start": .number($0.start), "end": .number($0.end)]
        }),
    ])
  }

  private var tail: ValueObject {
    var object: ValueObject = [
      "events": .array(events.map { .object($0.value) }),
      "queues": limits["queues"] ?? .null, "concurrency": limits["concurrency"] ?? .null,
      "durable": limits["durable"] ?? .null,
      "outputs": .object(outputs), "warnings": .array(warnings.map { .string($0) }),
    ]
    if let reason { object["reason"] = .string(reason) }
    if !selected.isEmpty { object["selected"] = .array(selected.map { .string($0) }) }
    if let file = origin.file { object["file"] = .string(file) }
    if let startedAt = origin.startedAt { object["startedAt"] = .string(startedAt) }
    if !origin.jobs.isEmpty { object["jobs"] = .array(origin.jobs) }
    if let problem = origin.accountingProblem { object["accounting"] = .string(problem) }
    if !origin.inputs.isEmpty { object["inputs"] = .object(origin.inputs) }
    return hidden(object)
  }
}

extension RunReport.Gate {
  fileprivate var value: ValueObject {
    [
      "outcome": .string(outcome.word), "openedAt": .optional(openedAt), "readyAt": .optional(readyAt),
      "heldByMinMilliseconds": .number(heldByMinMilliseconds), "late": .array(late.map { .string($0.text) }),
      "failed": .array(failed.map { .string($0.text) }), "min": .number(min), "max": .optional(max),
    ]
  }
}

extension RunReport.Event {
  fileprivate var value: ValueObject {
    ["name": .string(name), "at": .number(at), "postedBy": postedBy.map { .string($0.text) } ?? .null]
  }
}

extension RunReport.AppEntry {
  fileprivate var value: ValueObject {
    [
      "kind": .string(kind.rawValue), "event": .string(event), "number": .integer(number), "at": .number(at),
      "openedAt": .optional(openedAt),
    ]
  }
}

extension RunReport.Step {
  fileprivate var value: ValueObject {
    var object = own
    if let name { object["name"] = .string(name) }
    if !needs.isEmpty { object["needs"] = .array(needs.map { .string($0.text) }) }
    if !after.isEmpty { object["after"] = .array(after.map { .string($0) }) }
    if !attemptTimes.isEmpty { object["attemptTimes"] = .array(attemptTimes.map(\.value)) }
    if let executor { object["begunAt"] = .optional(executor.at) }
    if let request {
      object["resources"] = .object([
        "cpus": .integer(request.cpus), "memoryBytes": .integer(request.memoryBytes), "gpus": .integer(request.gpus),
      ])
    }
    guard let items else { return object }
    object["items"] = .array(items.map { .object($0.value) })
    return object
  }

  private var own: ValueObject {
    [
      "outcome": .string(outcome.word), "conclusion": .string(conclusion.word),
      "reason": reason.map { .string($0.word) } ?? .null, "attempts": .integer(attempts), "queue": .string(queue),
      "readyAt": .optional(readyAt), "startedAt": .optional(startedAt), "endedAt": .optional(endedAt),
      "waitedMilliseconds": .optional(waitedMilliseconds), "overrunMilliseconds": .optional(overrunMilliseconds),
      "abandoned": .boolean(isAbandoned), "deferred": .boolean(isDeferred), "blocking": .boolean(isBlocking),
      "error": failure.map(\.value) ?? .null,
    ]
  }
}

extension RunReport.Attempt {
  fileprivate var value: Value {
    var object: ValueObject = ["startedAt": .optional(startedAt), "endedAt": .optional(endedAt)]
    if let begunAt { object["begunAt"] = .number(begunAt) }
    return .object(object)
  }
}

extension RunReport.Item {
  fileprivate var value: ValueObject {
    var object = own
    if !attemptTimes.isEmpty { object["attemptTimes"] = .array(attemptTimes.map(\.value)) }
    if let executor { object["begunAt"] = .optional(executor.at) }
    if let steps { object["steps"] = .object(ValueObject(steps.map { ($0.id.text, .object($0.value)) })) }
    return object
  }

  private var own: ValueObject {
    [
      "index": .integer(index), "key": key.map { .string($0) } ?? .null,
      "name": name.map { .string($0) } ?? .null, "outcome": .string(outcome.word),
      "conclusion": .string(conclusion.word), "reason": reason.map { .string($0.word) } ?? .null,
      "attempts": .integer(attempts), "startedAt": .optional(startedAt), "endedAt": .optional(endedAt),
      "abandoned": .boolean(isAbandoned), "error": failure.map(\.value) ?? .null,
    ]
  }
}

extension Value {
  fileprivate static func optional(_ number: Double?) -> Value { number.map { .number($0) } ?? .null }
}
