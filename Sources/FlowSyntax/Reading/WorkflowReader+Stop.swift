import FlowDiagnostics
import FlowModel

extension WorkflowReader {
  /// Reads the value of `stop` in a step or in `defaults`.
  mutating func stopPolicy(_ node: NodeID, _ owner: Owner) -> StopPolicy {
    var stop = StopPolicy()
    forEachKey(of: node, KeyTable<StopKey>(), owner: owner, location: node) { reader, key, member in
      let part = Owner.part(key.rawValue, of: owner)
      switch key {
      case .signal: stop.signal = reader.word(member.value, part) ?? stop.signal
      case .within: stop.within = reader.duration(member.value, atMost: Limits.stopTime, part) ?? stop.within
      }
    }
    return stop
  }

  /// Converts `stop` or its default to the action's input with the same meaning.
  mutating func readStop(
    _ member: MemberCursor.Member?, of location: StepLocation, _ action: Int, _ with: inout ValueObject
  ) {
    let isAction = action >= 0 && actions.entries[action].declaration != nil
    guard let member else {
      guard let stop = defaults.stop, isAction, with[StopPolicy.input] == nil, isCommand(action) else { return }
      with[StopPolicy.input] = stop.value
      return
    }
    let stop = stopPolicy(member.value, .stepKey(.stop, location.key))
    guard isAction || action >= 0 && IncludeLibrary.isFile(actions.entries[action].name) else { return }
    guard isAction, isCommand(action) else {
      return report(
        .conflictingKeys, "'stop' says how a command ends, and '\(actions.entries[action].name)' runs none",
        at: span(member.key), help: "remove 'stop'; only a step that runs a command has it")
    }
    if with[StopPolicy.input] != nil {
      report(
        .conflictingKeys, "'stop' appears on the step and under 'with'", at: span(member.key),
        help: "remove it under 'with'")
    }
    with[StopPolicy.input] = stop.value
  }

  private func isCommand(_ action: Int) -> Bool {
    actions.entries[action].declaration.map { $0.shellTextInput != nil && $0.input(named: StopPolicy.input) != nil }
      ?? false
  }

  /// Reads `cleanup`, the maximum duration of the cleanup at the end of a run.
  mutating func cleanup(_ node: NodeID) -> Duration? {
    guard let time = duration(node, atMost: Limits.cleanupTime, "cleanup") else { return nil }
    if time == .zero { report(.outOfRange, "'cleanup' must be greater than zero", at: span(node)) }
    return time
  }

  private mutating func duration(_ node: NodeID, atMost limit: Duration, _ owner: Owner) -> Duration? {
    guard let time = duration(node, owner) else { return nil }
    guard time <= limit else {
      report(
        .outOfRange,
        "\(owner.text(in: tree)) must be at most \(DurationText.format(limit)), found \(DurationText.format(time))",
        at: span(node))
      return nil
    }
    return time
  }
}
