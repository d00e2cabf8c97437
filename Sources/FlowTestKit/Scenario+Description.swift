import FlowModel

/// Describes a scenario in readable form: the workflow as YAML, with outside events and the scripts of steps as
/// comments.
extension Scenario: CustomStringConvertible {
  /// The workflow as YAML, with outside events and the scripts of steps as comments.
  public var description: String {
    (workflowLines + stepLines + surroundingLines + scriptLines).joined(separator: "\n")
  }

  private var workflowLines: [String] {
    var lines = ["name: \(workflow.name)"]
    if let gate = workflow.gate {
      let ends = [gate.min.map { "min: \(Self.text($0))" }, gate.max.map { "max: \(Self.text($0))" }].compactMap(\.self)
      lines.append("deadline: { \(ends.joined(separator: ", ")) }")
    }
    if !workflow.events.isEmpty {
      let events = workflow.events.map { "\($0.name): { repeats: \($0.repeats) }" }
      lines.append("events: { \(events.joined(separator: ", ")) }")
    }
    if let concurrency = workflow.concurrency { lines.append("concurrency: \(concurrency)") }
    for queue in workflow.queues {
      lines.append("queues: { \(queue.name): { qos: \(queue.qualityOfService.rawValue)" + Self.width(queue) + " } }")
    }
    return lines
  }

  private var stepLines: [String] {
    var lines = ["steps:"]
    for step in workflow.steps {
      lines.append("  \(step.id):")
      lines.append("    uses: \(step.uses)")
      if !step.needs.isEmpty {
        lines.append("    needs: [\(step.needs.map { workflow.steps[Int($0)].id.text }.joined(separator: ", "))]")
      }
      lines += Self.lines(of: step.options).map { "    " + $0 }
    }
    return lines
  }

  private static func lines(of options: StepOptions) -> [String] {
    var lines: [String] = []
    if !options.after.isEmpty { lines.append("after: [\(options.after.joined(separator: ", "))]") }
    if let fanOut = options.fanOut {
      let limits = [
        fanOut.parallel.map { "parallel: \($0)" }, fanOut.deadline.map { "deadline: \(DurationText.format($0))" },
      ]
      let source = fanOut.event.map { "event: \($0)" } ?? "items: […]"
      let parts = [source, "fail-fast: \(fanOut.isFailFast)"] + limits.compactMap(\.self)
      lines.append("foreach: { \(parts.joined(separator: ", ")) }")
    }
    if let condition = options.condition { lines.append("if: \(condition)") }
    switch options.enabled {
    case .literal(true): break
    case .literal(false): lines.append("enabled: false")
    case .expression(let text): lines.append("enabled: \(text)")
    }
    switch options.deferral {
    case .never: break
    case .afterGate: lines.append("defer: true")
    case .idle: lines.append("defer: idle")
    case .expression(let text): lines.append("defer: \(text)")
    }
    if let blocking = options.blocking { lines.append("blocking: \(blocking)") }
    if options.isOptional { lines.append("optional: true") }
    if let deadline = options.deadline {
      let ends = [
        deadline.min.map { "min: \(DurationText.format($0))" }, deadline.max.map { "max: \(DurationText.format($0))" },
      ]
      lines.append("deadline: { \(ends.compactMap(\.self).joined(separator: ", ")) }")
    }
    if let retry = options.retry { lines.append("retry: { \(text(retry)) }") }
    if let queue = options.queue { lines.append("queue: \(queue)") }
    if let estimate = options.estimate {
      lines.append("estimate: \(DurationText.format(estimate.low))..\(DurationText.format(estimate.high))")
    }
    if let request = options.request {
      lines.append("resources: { cpus: \(request.cpus), memory: \(request.memoryBytes), gpus: \(request.gpus) }")
    }
    if options.prewarm { lines.append("prewarm: true") }
    return lines
  }

  private static func text(_ retry: RetryPolicy) -> String {
    var parts = [
      "attempts: \(retry.attempts)", "delay: \(DurationText.format(retry.delay))", "backoff: \(retry.backoff)",
      "max-delay: \(DurationText.format(retry.maxDelay))", "jitter: \(retry.jitter.rawValue)",
    ]
    if let reasons = retry.reasons {
      parts.append("\(reasons.areExcepted ? "except" : "on"): [\(reasons.listed.map(\.text).joined(separator: ", "))]")
    }
    if let limit = retry.attemptDeadline { parts.append("attempt-deadline: \(DurationText.format(limit))") }
    return parts.joined(separator: ", ")
  }

  private static func text(_ source: DurationSource) -> String {
    switch source {
    case .literal(let duration): DurationText.format(duration)
    case .expression(let text): "\"\(text)\""
    }
  }

  private static func width(_ queue: QueueDeclaration) -> String { queue.width.map { ", width: \($0)" } ?? "" }

  private var surroundingLines: [String] {
    var lines: [String] = []
    if launch != Launch() {
      lines.append("# launch: \(launch.reason.rawValue)\(launch.isFirst ? ", first" : "")")
    }
    if !inputs.isEmpty { lines.append("# inputs: \(inputs.map { "\($0.key)=\($0.value.shortText)" })") }
    if let activatedAt { lines.append("# prewarmed, activated at \(DurationText.format(activatedAt))") }
    for event in outsideEvents { lines.append("# --event \(event.name)@\(DurationText.format(event.at))") }
    if case .open(let until) = outsideSource { lines.append("# posting finishes at \(DurationText.format(until))") }
    if let cancelledAt { lines.append("# cancelled at \(DurationText.format(cancelledAt))") }
    return lines
  }

  private var scriptLines: [String] {
    zip(workflow.steps, scripts).flatMap { step, script in
      var line = "# \(step.id): \(script.attempts.map(\.description).joined(separator: "; then "))"
      if script.isService { line += script.isCommandService ? "; a service, a command" : "; a service" }
      if !script.declaredEvents.isEmpty { line += "; declares \(script.declaredEvents.joined(separator: ", "))" }
      if !script.draws.isEmpty { line += "; draws \(script.draws)" }
      let items = script.items.enumerated().map { index, item in
        "# \(step.id)[\(index)]: "
          + (item.isLeftOut ? "left out" : item.attempts.map(\.description).joined(separator: "; then "))
      }
      return step.options.fanOut == nil ? [line] : items
    }
  }
}

extension StepBehavior: CustomStringConvertible {
  /// A short description of the behavior, such as `fails after 20ms, deaf`.
  package var description: String {
    let time = duration.map { "after \(DurationText.format($0))" } ?? "never"
    var text =
      switch (duration, ending) {
      case (nil, _): "never returns"
      case (_, .success): "succeeds \(time)"
      case (_, .failure(retryable: true)): "fails \(time)"
      case (_, .failure(retryable: false)): "fails for good \(time)"
      }
    if let readyAfter { text += ", ready after \(DurationText.format(readyAfter))" }
    if let retryAfter { text += ", asks for \(DurationText.format(retryAfter)) before the next attempt" }
    for post in posts { text += ", posts \(post.event) after \(DurationText.format(post.after))" }
    switch respondsToCancellationAfter {
    case nil: text += ", deaf"
    case .some(.zero): break
    case .some(let delay): text += ", stops within \(DurationText.format(delay))"
    }
    return text
  }
}
