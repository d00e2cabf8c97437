import FlowModel

/// The name, attributes and error of a run's span, in the terms of OpenTelemetry's conventions for pipelines.
///
/// `--otlp` creates spans from the report, and an app's tracer receives them from events. Both use these facts, so that
/// the spans have the same contents.
package struct SpanFacts: Sendable {
  package var name: String
  /// The attributes, which are strings and integers.
  package var attributes: ValueObject
  /// The error, or nil if the span succeeded.
  package var error: String?

  private init(_ name: String, _ attributes: ValueObject) {
    self.name = name
    self.attributes = attributes
  }

  /// Returns the facts of a run that has started.
  package static func run(_ workflow: String, id: String) -> SpanFacts {
    SpanFacts(workflow, ["cicd.pipeline.name": .string(workflow), "cicd.pipeline.run.id": .string(id)])
  }

  /// Returns the facts of a step or item that has started. `queue` is nil for items, which have no separate queue.
  package static func task(_ path: String, queue: String?) -> SpanFacts {
    var facts = SpanFacts(path, ["cicd.pipeline.task.name": .string(path)])
    if let queue { facts.attributes["flowrun.queue"] = .string(queue) }
    return facts
  }

  /// Returns the facts of an attempt at a step or item.
  package static func attempt(_ number: Int, of path: String) -> SpanFacts {
    SpanFacts("\(path) attempt \(number)", ["flowrun.attempt": .integer(number)])
  }

  /// Returns the facts of the opening of the launch gate, which is an event of the run's span.
  package static func gate(_ outcome: GateOutcome) -> SpanFacts {
    SpanFacts("gate opened", ["flowrun.gate.outcome": .string(outcome.word)])
  }

  /// Adds the conclusion of the run.
  package mutating func end(_ conclusion: RunConclusion) {
    attributes["cicd.pipeline.result"] = .string(Self.result(conclusion))
    if conclusion == .failure { error = "the run failed" }
  }

  /// Adds the outcome of a step or item. `conclusion` differs from `outcome` if the step is optional.
  package mutating func end(_ outcome: Outcome, conclusion: Outcome, _ failure: StepFailure?) {
    attributes["cicd.pipeline.task.run.result"] = .string(Self.result(outcome))
    if conclusion != outcome { attributes["flowrun.optional"] = "true" }
    if outcome == .failure || outcome == .timedOut {
      error = failure?.message ?? outcome.word
      attributes["error.type"] = .string(failure?.code ?? outcome.word)
    }
  }

  /// Records that this attempt failed and another one follows. The failure is nil if it is not known.
  package mutating func endWithFailure(_ failure: StepFailure?) { error = failure?.message ?? "the attempt failed" }

  /// Returns the path of the step or item whose span contains that of `path`: `each` for `each[2]`, and `each[2]` for
  /// `each[2]/copy`. Returns nil for a step of the workflow itself.
  package static func parent(of path: String) -> String? {
    let path = path.utf8
    if path.last == UInt8(ascii: "]"), let bracket = path.lastIndex(of: UInt8(ascii: "[")) {
      return String(path[..<bracket])
    }
    guard let bracket = path.lastIndex(of: UInt8(ascii: "]")) else { return nil }
    return String(path[...bracket])
  }

  private static func result(_ outcome: Outcome) -> String {
    switch outcome {
    case .success: "success"
    case .failure: "failure"
    case .timedOut: "timeout"
    case .cancelled: "cancellation"
    case .skipped: "skip"
    }
  }

  private static func result(_ conclusion: RunConclusion) -> String {
    switch conclusion {
    case .success, .partial: "success"
    case .failure: "failure"
    case .cancelled: "cancellation"
    }
  }
}
