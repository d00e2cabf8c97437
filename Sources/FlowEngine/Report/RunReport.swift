import FlowModel
import FlowSecrets

/// All there is to know about a run that has ended. Times are milliseconds from activation; those before it are
/// negative, those of what did not happen nil.
public struct RunReport: Sendable {
  /// The workflow's name.
  public var workflow: String
  /// The run's id.
  public var runID: String
  /// How the run ended.
  public var conclusion: RunConclusion
  /// Why the run itself failed, whatever its steps did: ``timedOut`` if it took longer than its `timeout`; nil: it did not.
  public var reason: String?
  /// The launch gate.
  public var gate: Gate
  /// Why the application was launched; nil when the run ended before activation.
  public var launchReason: LaunchReason?
  /// How long the run was prewarmed before activation.
  public var prewarmMilliseconds: Double
  /// The ways in, in order: the launch itself, and each time the app came to the front from the background (C18).
  public var entries: [AppEntry]
  /// How long steps occupied the main queue.
  public var mainQueueMilliseconds: Double
  /// The steps that the gate (or, without blocking steps, the end) had to wait for, one after the other.
  public var criticalPath: [PathStep]
  /// What the workflow's `outputs` said at the end.
  public var outputs: ValueObject
  /// What went wrong without being a failure, such as a resource that did not close in time.
  public var warnings: [String]
  /// How long the run took from activation to its end.
  public var durationMilliseconds: Double
  /// The keys of items by step, where they come from an object.
  var itemKeys: [StepIndex: [String]] = [:]
  /// The items as people read them, by step.
  var itemNames: [StepIndex: [String]] = [:]
  /// How the workflows of items ended, by instance.
  var itemRuns: [StepIndex: ItemRunSteps] = [:]
  /// Hides the secrets of the run; nil: it has none.
  var mask: SecretMask?
  /// Why the run failed though no step did: its outputs cannot be had. Nil: they can.
  var outputsFailure: StepFailure?
  /// The version of what a report holds as JSON. 2 says what steps came after, their attempts, and who posted events.
  public static let newestSchema = 2
  /// The reason of a run that took longer than its `timeout`.
  public static let timedOut = "timed-out"
  /// The version of this one.
  public internal(set) var schema = Self.newestSchema
  /// The events that were posted, in the order of their first mention.
  public var events: [Event] = []
  /// What limited how many steps ran at once, and whether they waited for the disk: `queues`, `concurrency`, `durable`.
  var limits: ValueObject = [:]
  /// The steps that the run was started for; empty: all.
  public var selected: [String] = []
  /// Where the run came from, and what its failed steps printed last.
  public var origin = Origin()
  /// What the steps' part of the report is read from when someone asks.
  let source: Source

  /// Where the steps' part comes from.
  enum Source: Sendable {
    /// The run as it ended.
    case plan(Plan)
    /// A recorded report.
    case steps([Step])
  }

  /// What a run does not know of itself, and the command that started it does.
  public struct Origin: Sendable {
    /// The workflow file; nil: it is not known.
    public var file: String?
    /// When the run started, in ISO 8601; nil: it is not known.
    public var startedAt: String?
    /// The inputs that it was given, without secret ones.
    public var inputs: ValueObject = [:]
    /// The last lines that failed steps printed, where their failure does not quote them.
    public var lastLines: [StepID: [String]] = [:]
    /// What a cluster's accounting says of the jobs that attempts had for themselves, an object each.
    public var jobs: [Value] = []
    /// Why the accounting does not say all of it; nil: it does.
    public var accountingProblem: String?

    /// Nothing.
    public init() {}
  }

  /// The launch gate in a report.
  public struct Gate: Sendable {
    /// How it opened.
    public var outcome: GateOutcome
    /// When it opened; nil: it never did.
    public var openedAt: Double?
    /// When the last blocking step was satisfied; nil: that did not happen.
    public var readyAt: Double?
    /// How long the minimum kept it shut though everything was ready.
    public var heldByMinMilliseconds: Double
    /// Blocking steps that were not finished at the maximum.
    public var late: [StepID]
    /// Blocking steps that ended unsatisfied before it opened.
    public var failed: [StepID]
    /// Its minimum.
    public var min: Double
    /// Its maximum; nil: it has none.
    public var max: Double?
  }

  /// One way into the app.
  public struct AppEntry: Sendable, Hashable {
    /// What it found.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// Nothing: it is the launch.
      case cold
      /// Steps that had waited for the app to come to the front.
      case warm
      /// Everything there already.
      case hot
    }

    /// What it found.
    public var kind: Kind
    /// The event it began with: `activate`, or `app.will-enter-foreground`.
    public var event: String
    /// Which post of the event, from 1.
    public var number: Int
    /// When the event came.
    public var at: Double
    /// When the gate opened, or the last step with a minimum of its own (`deadline: { min: … }`) that had waited for
    /// the event was over; nil: it did not, or there was nothing to open.
    public var openedAt: Double?
  }

  /// A step on the critical path.
  public struct PathStep: Sendable, Hashable {
    /// The step.
    public var step: StepID
    /// When it started.
    public var start: Double
    /// When it ended.
    public var end: Double
  }

  /// A step in a report.
  public struct Step: Sendable {
    /// The step.
    public var id: StepID
    /// How it ended.
    public var outcome: Outcome
    /// The outcome after `optional` is applied.
    public var conclusion: Outcome
    /// Why it did not run; nil when it did.
    public var reason: SkipReason?
    /// The number of attempts.
    public var attempts: Int
    /// The name of its queue.
    public var queue: String
    /// When nothing held it back but capacity to run.
    public var readyAt: Double?
    /// When its first attempt started.
    public var startedAt: Double?
    /// When it was finished.
    public var endedAt: Double?
    /// From ready to started.
    public var waitedMilliseconds: Double?
    /// How long its body continued after its maximum.
    public var overrunMilliseconds: Double?
    /// Whether it was left behind because it ignored its cancellation.
    public var isAbandoned: Bool
    /// Whether it waited for the gate.
    public var isDeferred: Bool
    /// Whether the gate waited for it.
    public var isBlocking: Bool
    /// Why it failed; nil when it did not.
    public var failure: StepFailure?
    /// The items that it ran for, or did not; nil: it runs once.
    public var items: [Item]?
    /// What it came after: steps.
    public var needs: [StepID]
    /// What it came after: events.
    public var after: [String]
    /// When each of its attempts began and ended, where it had several, or where its minimum held it after its work; an
    /// end is nil if it is not known.
    public var attemptTimes: [Attempt]
    /// When an executor's worker first began with it; nil: it ran in this process.
    public var executor: Beginning?
    /// What it takes of the machine while it runs; nil: that is not counted.
    public var request: MachineResources?
    /// Its `name`; nil: it has none.
    public var name: String?
  }

  /// When a step that an executor runs began there, which is later than its start: it is started remotely first.
  public struct Beginning: Sendable, Hashable {
    /// When it began; nil: it did not.
    public var at: Double?
  }

  /// One of several attempts of a step.
  public struct Attempt: Sendable, Hashable {
    /// When it began; nil: it is not known.
    public var startedAt: Double?
    /// When an executor's worker began with it; nil: none did.
    public var begunAt: Double?
    /// When it was over; nil: it is not known.
    public var endedAt: Double?
  }

  /// An event in a report.
  public struct Event: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// When it was first posted.
    public var at: Double
    /// The step that posted it; nil: it came from outside, or is not known.
    public var postedBy: StepID?
  }

  /// An item of a step in a report.
  public struct Item: Sendable {
    /// The index of the item, from 0.
    public var index: Int
    /// Its key, where the items come from an object.
    public var key: String?
    /// Its key or value as people read it, at most 80 characters; nil if it is not known.
    public var name: String?
    /// How it ended.
    public var outcome: Outcome
    /// The outcome after `optional` is applied.
    public var conclusion: Outcome
    /// Why it did not run; nil when it did.
    public var reason: SkipReason?
    /// The number of attempts.
    public var attempts: Int
    /// When its first attempt started.
    public var startedAt: Double?
    /// When it ended.
    public var endedAt: Double?
    /// Whether it was left behind because it ignored its cancellation.
    public var isAbandoned: Bool
    /// Why it failed; nil when it did not.
    public var failure: StepFailure?
    /// When each of its attempts began and ended, where it had several, or where its minimum held it after its work; an
    /// end is nil if it is not known.
    public var attemptTimes: [Attempt]
    /// When an executor's worker first began with it; nil: it ran in this process.
    public var executor: Beginning?
    /// The steps of the workflow that ran for it; nil: none did, or the report would have too many.
    public var steps: [Step]?
  }
}

extension RunReport {
  /// The report as JSON, with every step at once; ``write(_:)`` takes less memory.
  public var value: ValueObject {
    var object = head
    var steps = ValueObject()
    for step in self.steps { steps[step.id.text] = .object(value(of: step)) }
    object["steps"] = .object(steps)
    for (key, value) in tail { object[key] = value }
    return object
  }

  /// Writes the report as indented JSON with a line break at its end, a few dozen kilobytes at a time.
  public func write<Failure>(_ write: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
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

  /// What is reported of a step, or of the run, without its secrets. All of it was hidden when it came out; this is the last
  /// look before it is written.
  private func hidden(_ object: ValueObject) -> ValueObject { mask?.masked(object) ?? object }

  /// The report without its steps, and how many of them ended which way: what a list of runs shows.
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
