import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Reads the options of a step. Few steps have any.
extension WorkflowReader {
  mutating func readOption(
    _ key: StepKey, _ member: MemberCursor.Member, of location: StepLocation, into options: inout StepOptions
  ) {
    let node = member.value
    let owner = Owner.stepKey(key, location.key)
    switch key {
    case .uses, .run, .shell, .needs, .with, .outputs, .outputLimit, .stop, .mergeOutput, .path, .interactive, .service,
      .readyWhen, .restart:
      break
    case .name: options.name = string(node, owner)
    // The description is checked here but not stored. Commands that list steps read it from the file.
    case .description: _ = string(node, owner)
    case .after:
      var seen: Set<String> = []
      options.after = nameNodes(node, owner, "an event").map { tree.text($0) }.filter { seen.insert($0).inserted }
    case .condition: options.condition = condition(node, owner)
    case .enabled: options.enabled = enabled(node, owner)
    case .deferral: options.deferral = deferral(node, owner)
    case .blocking: options.blocking = boolean(node, owner)
    case .optional: options.isOptional = boolean(node, owner) ?? false
    case .deadline: options.deadline = stepDeadline(node, owner)
    case .retry: options.retry = retry(node, owner, location: member.key)
    case .queue: options.queue = queueName(node, owner)
    case .estimate: options.estimate = estimate(node, owner)
    case .prewarm: options.prewarm = boolean(node, owner) ?? false
    case .quiet: options.isQuiet = boolean(node, owner) ?? false
    case .color: options.allowsColor = boolean(node, owner) ?? true
    case .env: options.environment = environment(node, owner)
    case .logLimit: options.logLimitBytes = logLimit(node, owner)
    case .onInterrupt: options.onInterrupt = interruptPolicy(node, owner)
    case .executor: options.executor = executor(node, owner, attempt: 1)
    case .foreach: options.fanOut = fanOut(node, owner, of: location)
    case .inputsFrom: options.inputsFrom = fileRules(node, owner, makes: false)
    case .produces: options.produces = fileRules(node, owner, makes: true)
    case .resources: options.request = machineResources(node, owner)
    case .parallel, .failFast: checkBesideForeach(key, member, of: location)
    }
  }

  /// Applies `defaults` to the options that the step does not set.
  func apply(_ defaults: StepDefaults, to options: inout StepOptions?, _ location: StepLocation) {
    var changed = options ?? StepOptions()
    if changed.retry == nil, tree.member("retry", of: location.value) == nil, changed.queue != QueueDeclaration.terminal
    {
      changed.retry = defaults.retry
    }
    if changed.deadline == nil, tree.member("deadline", of: location.value) == nil {
      changed.deadline = defaults.deadline
    }
    if changed.queue == nil, tree.member("queue", of: location.value) == nil { changed.queue = defaults.queue }
    options = changed
  }

  /// Reads the maximum size of recorded output, in bytes.
  mutating func logLimit(_ node: NodeID, _ owner: Owner) -> Int? {
    size(node, Limits.leastLogBytes...Limits.logBytes, owner).flatMap { try? MemoryText.parse($0) }
  }

  /// Reads `on-interrupt`. `fail` requires a durable run, because only a durable run records which steps have started.
  private mutating func interruptPolicy(_ node: NodeID, _ owner: Owner) -> InterruptPolicy {
    let policy: InterruptPolicy = word(node, owner) ?? .rerun
    if policy == .fail, !workflow.isDurable {
      report(
        .conflictingKeys, "'on-interrupt: fail' needs a durable workflow: only a durable run records what was running",
        at: span(node), help: "write 'durable: true' in the workflow, or remove 'on-interrupt'")
    }
    return policy
  }

  private mutating func condition(_ node: NodeID, _ owner: Owner) -> String? {
    guard tree.kind(node) == .scalar, !tree.text(node).isEmpty, tree.scalarValue(node)?.isNull != true else {
      reportType(node, owner, expected: "an expression")
      return nil
    }
    return bare(tree.text(node))
  }

  /// Returns an expression without its `${{ }}`. An invalid expression is returned unchanged; the check of expressions
  /// reports it.
  private func bare(_ text: String) -> String {
    (try? workflow.texts.condition(text))?.expression.source ?? text
  }

  private mutating func enabled(_ node: NodeID, _ owner: Owner) -> Switch {
    guard let value = switchValue(node, owner, expected: "true, false or an expression") else { return .literal(true) }
    return value
  }

  private mutating func switchValue(_ node: NodeID, _ owner: Owner, expected: String) -> Switch? {
    guard tree.kind(node) == .scalar, let value = tree.scalarValue(node) else {
      reportType(node, owner, expected: expected)
      return nil
    }
    switch value {
    case .boolean(let value): return .literal(value)
    case .string(let text) where booleanHelp(node) == nil && !text.isEmpty:
      return .expression(bare(text))
    default:
      reportType(node, owner, expected: expected, help: booleanHelp(node))
      return nil
    }
  }

  private mutating func deferral(_ node: NodeID, _ owner: Owner) -> Deferral {
    if tree.text(of: node) == "idle" { return .idle }
    switch switchValue(node, owner, expected: "true, false, idle or an expression") {
    case .literal(true): return .afterGate
    case .literal(false), nil: return .never
    case .expression(let text): return .expression(text)
    }
  }

  /// Reads a step's deadline: a mapping with `min` and `max`, or a duration such as `500ms`, which is the maximum.
  mutating func stepDeadline(_ node: NodeID, _ owner: Owner) -> StepDeadline? {
    guard tree.kind(node) == .mapping else { return duration(node, owner).map { StepDeadline(max: $0) } }
    var deadline = StepDeadline()
    forEachKey(of: node, deadlineKeys, owner: owner, location: node) { reader, key, member in
      let value = reader.duration(member.value, .part(key.rawValue, of: owner))
      switch key {
      case .min: deadline.min = value
      case .max: deadline.max = value
      }
    }
    if let min = deadline.min, let max = deadline.max, min > max { reportMinOverMax(min, max, node, owner) }
    return deadline
  }

  private mutating func reportMinOverMax(_ min: Duration, _ max: Duration, _ node: NodeID, _ owner: Owner) {
    let least = tree.member("min", of: node)!
    report(
      .minOverMax,
      "min of \(owner.text(in: tree)), \(DurationText.format(min)), is longer than its max, \(DurationText.format(max))",
      at: span(least.value),
      related: tree.member("max", of: node).map { [.init(span($0.value), "this is the max")] } ?? [])
  }

  /// Reads the deadline of the launch gate: a mapping with `min` and `max`, or a duration, which is the maximum.
  /// Durations can be expressions.
  mutating func gateDeadline(_ node: NodeID) -> GateDeadline? {
    guard tree.kind(node) == .mapping else { return durationSource(node, "deadline").map { GateDeadline(max: $0) } }
    var gate = GateDeadline()
    forEachKey(of: node, deadlineKeys, owner: "deadline", location: node) { reader, key, member in
      let value = reader.durationSource(member.value, "\(key.rawValue) of deadline")
      switch key {
      case .min: gate.min = value
      case .max: gate.max = value
      }
    }
    if case .literal(let min)? = gate.min, case .literal(let max)? = gate.max, min > max {
      reportMinOverMax(min, max, node, "deadline")
    }
    return gate
  }

  private mutating func durationSource(_ node: NodeID, _ owner: Owner) -> DurationSource? {
    if tree.kind(node) == .scalar, isString(node), Template.containsExpression(tree.text(node)) {
      return .expression(tree.text(node))
    }
    return duration(node, owner).map(DurationSource.literal)
  }

  /// Reads the name of a queue: `main`, a quality of service, or a queue that the workflow declares. Reports an unknown
  /// name.
  mutating func queueName(_ node: NodeID, _ owner: Owner) -> String? {
    guard let name = string(node, owner) else { return nil }
    if !Queue.builtIn.contains(name), !queueNames.contains(name), !isSettled {
      let known = Queue.builtIn + workflow.queues.map(\.name)
      let correction = correction(name, among: known)
      report(
        .unknownQueue, "\(owner.text(in: tree)) is '\(name)', which is not a queue", at: span(node),
        help: (correction.map { $0.question + " " } ?? "") + "there are \(Self.list(known))", correction: correction)
    }
    return name
  }

  /// Reads an estimate: a duration such as `80ms`, or a range such as `50ms..200ms`.
  private mutating func estimate(_ node: NodeID, _ owner: Owner) -> Estimate? {
    let text = tree.kind(node) == .scalar && isString(node) ? tree.text(node) : ""
    guard let dots = text.firstRange(of: "..") else { return duration(node, owner).map { Estimate(low: $0, high: $0) } }
    do throws(DurationText.DurationProblem) {
      let low = try DurationText.parse(String(text[..<dots.lowerBound]))
      let high = try DurationText.parse(String(text[dots.upperBound...]))
      guard low <= high else {
        report(
          .minOverMax,
          "\(owner.text(in: tree)) goes from \(DurationText.format(low)) down to \(DurationText.format(high))",
          at: span(node), help: "write the shorter duration first")
        return nil
      }
      return Estimate(low: low, high: high)
    } catch {
      report(
        .invalidDuration,
        "\(owner.text(in: tree)) must be a duration or a range such as 50ms..200ms, found \"\(text)\"",
        at: span(node),
        help: error.help)
      return nil
    }
  }
}
