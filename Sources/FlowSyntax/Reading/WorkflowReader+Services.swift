import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Reads services, which are commands that keep running.
extension WorkflowReader {
  /// The keys that a service cannot have, with the suggestion for each.
  private static var refused: [(key: String, help: String)] {
    [
      (StepKey.executor.rawValue, "remove 'executor'; a service runs on this machine"),
      (StepKey.foreach.rawValue, "remove 'foreach'; write a step for each service"),
      (StepKey.inputsFrom.rawValue, "remove 'inputs-from'; a service is started in every run"),
      (StepKey.produces.rawValue, "remove 'produces'; a service is started in every run"),
      (StepKey.outputs.rawValue, "remove 'outputs'; only a command that ends has them"),
      (StepKey.outputLimit.rawValue, "remove 'output-limit'; what a service prints is in the log alone"),
      (StepKey.resources.rawValue, "remove 'resources'; a service would never return them"),
      (StepKey.interactive.rawValue, "remove 'interactive'; a service has no terminal"),
      (StepKey.retry.rawValue, "write 'restart: { on-exit: failure }'"),
      (StepKey.prewarm.rawValue, "remove 'prewarm'"),
    ]
  }

  /// Turns the command of a step with `service: true` into a service, and converts `ready-when` and `restart` to
  /// inputs. Reports keys that a service cannot have, and keys for services on other steps.
  mutating func readService(
    _ keys: CommandKeys, of location: StepLocation, _ action: inout Int, _ uses: inout String, _ with: inout ValueObject
  ) {
    let isService = keys.service.flatMap { boolean($0.value, .stepKey(.service, location.key)) }
    guard isService == true || uses == CommandKeys.serviceAction else {
      for member in [keys.readyWhen, keys.restart].compactMap({ $0 }) where keys.service == nil || isService == false {
        let name = tree.keyName(member.key)
        report(
          .conflictingKeys, "'\(name)' is for a service, which this step is not", at: span(member.key),
          help: "write 'service: true', or remove '\(name)'")
      }
      return
    }
    guard CommandKeys.isCommand(uses) else {
      if let member = keys.service, !uses.isEmpty {
        report(
          .conflictingKeys, "'service: true' makes a service of a command, and '\(uses)' runs none",
          at: span(member.key),
          help: "remove 'service', or write 'run'")
      }
      return
    }
    uses = CommandKeys.serviceAction
    action = actions.indexOfService()
    let place = keys.service ?? keys.run
    for (key, help) in Self.refused {
      guard let member = tree.member(key, of: location.value) else { continue }
      report(
        .conflictingKeys, "\(Owner.step(location.key).text(in: tree)) is a service and cannot have '\(key)'",
        at: span(member.key), related: place.map { [.init(span($0.key), "it is a service here")] } ?? [], help: help)
    }
    if let member = keys.readyWhen {
      takeUp(member, readyCondition(member, location), &with)
    }
    if let member = keys.restart {
      takeUp(member, restartPolicy(member.value, .stepKey(.restart, location.key)).value, &with)
    }
  }

  private mutating func takeUp(_ member: MemberCursor.Member, _ value: Value, _ with: inout ValueObject) {
    let name = tree.keyName(member.key)
    if with[name] != nil {
      report(
        .conflictingKeys, "'\(name)' appears on the step and under 'with'", at: span(member.key),
        help: "remove it under 'with'")
    }
    with[name] = value
  }

  /// Reads `ready-when`, and returns it as the value of an input. The value of its probe may contain expressions. If it
  /// is invalid, returns a valid condition in its place.
  private mutating func readyCondition(_ member: MemberCursor.Member, _ location: StepLocation) -> Value {
    let owner = Owner.stepKey(.readyWhen, location.key)
    var condition = ValueObject()
    var probes: [NodeID] = []
    var isWhole = true
    forEachKey(of: member.value, KeyTable<ReadyKey>(), owner: owner, location: member.key) { reader, key, part in
      let name = Owner.part(key.rawValue, of: owner)
      let isExpression =
        reader.tree.kind(part.value) == .scalar && Template.containsExpression(reader.tree.text(part.value))
      let found = reader.diagnostics.count
      switch key {
      case .log, .http, .port, .run: probes.append(part.key)
      case .every, .within: break
      }
      switch key {
      case .log, .http: if reader.string(part.value, name) == nil { isWhole = false }
      case .port where !isExpression: if reader.integer(part.value, 1...65_535, name) == nil { isWhole = false }
      case .port: break
      case .run:
        if reader.tree.kind(part.value) == .mapping || reader.tree.text(of: part.value)?.isEmpty == true {
          reader.reportType(
            part.value, name, expected: "a command: a text, or a list of a program and its arguments")
          isWhole = false
        }
      case .every, .within:
        if let time = reader.duration(part.value, name), time == .zero {
          reader.report(
            .outOfRange, "\(name.text(in: reader.tree)) must be greater than zero", at: reader.span(part.value))
        }
        if reader.diagnostics.count > found { isWhole = false }
      }
      if isWhole { condition[key.rawValue] = reader.value(part.value) }
    }
    guard isWhole, tree.kind(member.value) == .mapping else { return .object(["log": "."]) }
    if probes.count != 1 {
      report(
        .conflictingKeys,
        "\(owner.text(in: tree)) must have exactly one of \(ReadyCondition.probes.joined(separator: ", ")), found "
          + (probes.isEmpty ? "none" : probes.map { tree.keyName($0) }.joined(separator: " and ")),
        at: span(probes.count > 1 ? probes[1] : member.key),
        help: probes.isEmpty ? "such as 'ready-when: { port: 8080 }'" : "remove all but one of them")
      return .object(["log": "."])
    }
    if !Value.object(condition).containsExpression {
      do throws(StopPolicy.PolicyProblem) { _ = try ReadyCondition(condition) } catch {
        report(.outOfRange, "\(owner.text(in: tree)) is invalid: \(error.message)", at: span(probes[0]))
        return .object(["log": "."])
      }
    }
    return .object(condition)
  }

  private mutating func restartPolicy(_ node: NodeID, _ owner: Owner) -> RestartPolicy {
    var policy = RestartPolicy()
    forEachKey(of: node, KeyTable<RestartKey>(), owner: owner, location: node) { reader, key, member in
      let part = Owner.part(key.rawValue, of: owner)
      switch key {
      case .onExit: policy.ends = reader.word(member.value, part) ?? policy.ends
      case .delay: policy.delay = reader.duration(member.value, part) ?? policy.delay
      case .attempts: policy.attempts = reader.restarts(member.value, part)
      }
    }
    return policy
  }

  /// Reads the maximum number of restarts. Returns nil if it is unlimited, and the default if it is invalid.
  private mutating func restarts(_ node: NodeID, _ owner: Owner) -> Int? {
    if tree.kind(node) == .scalar, tree.text(node) == RestartPolicy.unlimited { return nil }
    let range = RestartPolicy.attemptRange
    guard tree.kind(node) == .scalar, tree.scalarValue(node)?.integerValue != nil else {
      reportType(
        node, owner,
        expected: "an integer from \(range.lowerBound) to \(range.upperBound), or '\(RestartPolicy.unlimited)'")
      return RestartPolicy().attempts
    }
    return integer(node, range, owner) ?? RestartPolicy().attempts
  }
}
