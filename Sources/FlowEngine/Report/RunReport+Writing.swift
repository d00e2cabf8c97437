import FlowModel

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
      if stream.count >= 1 << 16 { try write(stream.drain()) }
    }
    stream.close()
    for (key, value) in tail { stream.add(key, value) }
    stream.close()
    try write(stream.drain() + [UInt8(ascii: "\n")])
  }

  private func value(of step: Step) -> ValueObject {
    var object = step.value
    if let record {
      if !hasFinished(step) { (object["outcome"], object["conclusion"]) = (.null, .null) }
      object["kept"] = .boolean(record.kept.contains(step.id))
    }
    if let lines = origin.lastLines[step.id] { object["lastLines"] = .array(lines.map { .string($0) }) }
    return hidden(object)
  }

  /// True if a step has an outcome. In the report of a recorded run, a step that has not finished has none.
  package func hasFinished(_ step: Step) -> Bool { record == nil || step.endedAt != nil }

  /// Hides secrets in a part of the report, as ``masked`` does in the whole report.
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
      "workflow": .string(workflow), "runId": .string(runID),
      "conclusion": record?.hasConclusion ?? true ? .string(conclusion.rawValue) : .null,
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
    if let record { object["state"] = .string(record.state.rawValue) }
    if let file = origin.file { object["file"] = .string(file) }
    if let startedAt = origin.startedAt { object["startedAt"] = .string(startedAt) }
    if !origin.jobs.isEmpty { object["jobs"] = .array(origin.jobs) }
    if let problem = origin.accountingProblem { object["accounting"] = .string(problem) }
    if !origin.inputs.isEmpty { object["inputs"] = .object(origin.inputs) }
    if let record { object["epochs"] = .array(record.epochs) }
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
