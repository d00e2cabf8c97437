import FlowModel
import FlowPluginKit

/// A report can be encoded and decoded in the format of `--report` by any encoder or decoder.
extension RunReport: Codable {
  /// Encodes the report as the object that `--report` writes.
  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }

  /// Decodes a report. Its steps are sorted by id, because decoders do not preserve the order of members. To preserve
  /// it, use ``init(_:allowsMissing:)``.
  public init(from decoder: any Decoder) throws { try self.init(ValueObject(from: decoder)) }

  /// Creates a report from its JSON object. Throws a `DecodingError` that names the first invalid member.
  ///
  /// - Parameter allowsMissing: True if missing members are replaced by a default. Otherwise only members that older
  ///   versions of flowrun did not write may be missing.
  package init(_ value: ValueObject, allowsMissing: Bool = false) throws {
    let members = ReportMembers(value, allowsMissing: allowsMissing)
    let record = try value["state"] == nil ? nil : Record(members)
    let steps = try members.object("steps")
    source = .steps(try Step.all(in: steps, isRecorded: record != nil))
    gate = try Gate(members.object("gate"))
    entries = try members.objects("entries").map { try AppEntry($0) }
    criticalPath = try members.objects("criticalPath").map {
      PathStep(step: try $0.step($0.text("step")), start: try $0.number("start"), end: try $0.number("end"))
    }
    workflow = try members.text("workflow")
    runID = try members.text("runId")
    conclusion =
      record?.hasConclusion ?? true
      ? try members.word("conclusion", .cancelled, \.rawValue)
      : try members.wordOrNull("conclusion", \.rawValue) ?? .cancelled
    self.record = record
    reason = value["reason"]?.stringValue
    launchReason = try members.wordOrNull("launchReason", \.rawValue)
    durationMilliseconds = try members.number("durationMilliseconds")
    prewarmMilliseconds = try members.number("prewarmMilliseconds")
    mainQueueMilliseconds = try members.number("mainQueueMilliseconds")
    outputs = try members.object("outputs").value
    warnings = try members.texts("warnings")
    // Older reports lack the following members.
    schema = value["schema"] == nil ? 1 : try members.integer("schema")
    events =
      value["events"] == nil
      ? []
      : try members.objects("events").map { event in
        Event(
          name: try event.text("name"), at: try event.number("at"),
          postedBy: try event.textOrNull("postedBy").map(event.step))
      }
    selected = value["selected"]?.arrayValue?.compactMap(\.stringValue) ?? []
    origin.file = value["file"]?.stringValue
    origin.startedAt = value["startedAt"]?.stringValue
    origin.inputs = value["inputs"]?.objectValue ?? [:]
    origin.jobs = value["jobs"]?.arrayValue ?? []
    origin.accountingProblem = value["accounting"]?.stringValue
    for (id, step) in steps.value {
      let lines = step.objectValue?["lastLines"]?.arrayValue?.compactMap(\.stringValue) ?? []
      if !lines.isEmpty { origin.lastLines[steps.step(id)] = lines }
    }
    for name in ["queues", "concurrency", "durable"] { limits[name] = value[name] }
  }
}

extension RunReport.Record {
  fileprivate init(_ members: ReportMembers) throws {
    let kept = try members.object("steps").value.filter { $0.value.objectValue?["kept"]?.booleanValue == true }
    self.init(
      state: try members.word("state", .cancelled, \.rawValue),
      epochs: try members.objects("epochs").map { .object($0.value) }, kept: Set(kept.map { members.step($0.key) }))
  }
}

extension RunReport.Gate {
  fileprivate init(_ members: ReportMembers) throws {
    self.init(
      outcome: try members.word("outcome", .cancelled, \.word), openedAt: try members.numberOrNull("openedAt"),
      readyAt: try members.numberOrNull("readyAt"),
      heldByMinMilliseconds: try members.number("heldByMinMilliseconds"),
      late: try members.texts("late").map(members.step), failed: try members.texts("failed").map(members.step),
      min: try members.numberOrNull("min") ?? 0, max: try members.numberOrNull("max"))
  }
}

extension RunReport.AppEntry {
  fileprivate init(_ members: ReportMembers) throws {
    self.init(
      kind: try members.word("kind", .cold, \.rawValue), event: try members.text("event"),
      number: try members.integer("number"), at: try members.number("at"),
      openedAt: try members.numberOrNull("openedAt"))
  }
}

extension RunReport.Step {
  fileprivate static func all(in members: ReportMembers, isRecorded: Bool = false) throws -> [Self] {
    try members.value.map { id, _ in try Self(id: members.step(id), members.object(id), isRecorded) }
  }

  fileprivate init(id: StepID, _ members: ReportMembers, _ isRecorded: Bool) throws {
    // A recorded step that has not finished has no outcome.
    let isOpen = isRecorded && members.isNull("outcome")
    let outcome = isOpen ? Outcome.cancelled : try members.word("outcome", .cancelled, \.word)
    self.init(
      id: id, outcome: outcome, conclusion: isOpen ? .cancelled : try members.word("conclusion", outcome, \.word),
      reason: try members.wordOrNull("reason", \.word), attempts: try members.integer("attempts"),
      queue: try members.text("queue"), readyAt: try members.numberOrNull("readyAt"),
      startedAt: try members.numberOrNull("startedAt"), endedAt: try members.numberOrNull("endedAt"),
      waitedMilliseconds: try members.numberOrNull("waitedMilliseconds"),
      overrunMilliseconds: try members.numberOrNull("overrunMilliseconds"),
      isAbandoned: try members.boolean("abandoned"), isDeferred: try members.boolean("deferred"),
      isBlocking: try members.boolean("blocking"), failure: try members.failure("error"),
      items: members.value["items"] == nil ? nil : try members.objects("items").map { try RunReport.Item($0) },
      needs: members.value["needs"] == nil ? [] : try members.texts("needs").map(members.step),
      after: members.value["after"] == nil ? [] : try members.texts("after"),
      attemptTimes: try RunReport.Attempt.all(of: members), executor: try RunReport.Beginning(of: members),
      request: members.value["resources"] == nil ? nil : try MachineResources(members.object("resources")),
      name: members.value["name"] == nil ? nil : try members.textOrNull("name"))
  }
}

extension MachineResources {
  fileprivate init(_ members: ReportMembers) throws {
    self.init(
      cpus: try members.integer("cpus"), memoryBytes: try members.integer("memoryBytes"),
      gpus: try members.integer("gpus"))
  }
}

extension RunReport.Item {
  fileprivate init(_ members: ReportMembers) throws {
    let outcome = try members.word("outcome", Outcome.cancelled, \.word)
    self.init(
      index: try members.integer("index"), key: try members.textOrNull("key"),
      name: members.value["name"] == nil ? nil : try members.textOrNull("name"),
      outcome: outcome, conclusion: try members.word("conclusion", outcome, \.word),
      reason: try members.wordOrNull("reason", \.word), attempts: try members.integer("attempts"),
      startedAt: try members.numberOrNull("startedAt"), endedAt: try members.numberOrNull("endedAt"),
      isAbandoned: try members.boolean("abandoned"), failure: try members.failure("error"),
      attemptTimes: try RunReport.Attempt.all(of: members), executor: try RunReport.Beginning(of: members),
      steps: members.value["steps"] == nil ? nil : try RunReport.Step.all(in: members.object("steps")))
  }
}

extension RunReport.Attempt {
  fileprivate static func all(of members: ReportMembers) throws -> [Self] {
    guard members.value["attemptTimes"] != nil else { return [] }
    return try members.objects("attemptTimes").map { attempt in
      Self(
        startedAt: try attempt.numberOrNull("startedAt"),
        begunAt: attempt.value["begunAt"] == nil ? nil : try attempt.numberOrNull("begunAt"),
        endedAt: try attempt.numberOrNull("endedAt"))
    }
  }
}

extension RunReport.Beginning {
  fileprivate init?(of members: ReportMembers) throws {
    guard members.value["begunAt"] != nil else { return nil }
    self.init(at: try members.numberOrNull("begunAt"))
  }
}
