import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Reads the executor of a step or of the workflow.
extension WorkflowReader {
  /// Reads an address such as `workers=4`, `slurm=8,partition=short` or `local`. A mapping such as `{ slurm: {
  /// partition: short } }` is converted to an address.
  ///
  /// - Parameter attempt: The attempt for which options are evaluated. Nil if the executor applies to all steps, so
  ///   that its options cannot depend on the attempt.
  mutating func executor(_ node: NodeID, _ owner: Owner, attempt: Int? = nil) -> String? {
    if tree.kind(node) == .mapping { return executorMap(node, owner, attempt) }
    guard let text = string(node, owner) else { return nil }
    if Template.containsExpression(text) {
      report(
        .expressionSyntax, "\(owner.text(in: tree)) is known before the run starts and cannot be an expression",
        at: span(node), help: Self.changingHelp)
      return nil
    }
    do throws(ExecutorAddress.AddressProblem) {
      _ = try ExecutorAddress(text)
      return text
    } catch {
      report(.unknownValue, "\(owner.text(in: tree)): \(error.message)", at: span(node), help: error.help)
      return nil
    }
  }

  private static let changingHelp =
    "'time' and 'partition' under 'executor: { slurm: … }' of a step may read 'attempt', as \"${{ attempt * 2 }}h\""

  private mutating func executorMap(_ node: NodeID, _ owner: Owner, _ attempt: Int?) -> String? {
    var address: String?
    if tree.elements(node).isEmpty {
      report(
        .missingKey, "\(owner.text(in: tree)) is empty", at: span(node),
        help: "write '{ slurm: { partition: short } }', or leave 'executor' out")
    }
    forEachKey(of: node, KeyTable<ExecutorKey>(), owner: owner, location: node) { reader, key, member in
      address = reader.slurm(member.value, .part(key.rawValue, of: owner), attempt)
    }
    return address
  }

  private mutating func slurm(_ node: NodeID, _ owner: Owner, _ attempt: Int?) -> String? {
    var slots: Int?
    var words: [String] = []
    var isEmpty = true
    forEachKey(of: node, KeyTable<SlurmKey>(), owner: owner, location: node) { reader, key, member in
      let part = Owner.part(key.rawValue, of: owner)
      isEmpty = false
      switch key {
      case .slots: slots = reader.integer(member.value, 1...ExecutorAddress.mostSlots, part)
      case .perNode:
        if let count = reader.integer(member.value, 1...ExecutorAddress.mostSlots, part) {
          words.append("per-node=\(count)")
        }
      case .options: words += reader.passedThrough(member.value, part)
      default:
        guard let text = reader.slurmValue(key, member.value, part, attempt) else { return }
        let word = "\(key.rawValue)=\(text)"
        if reader.isOption(word, text, at: member.value, part) { words.append(word) }
      }
    }
    if isEmpty, tree.kind(node) == .mapping, tree.elements(node).isEmpty {
      report(
        .missingKey, "\(owner.text(in: tree)) is empty", at: span(node),
        help: "write '{ partition: short }', or leave 'executor' out")
    }
    let first = ExecutorAddress.slurm + (slots.map { "=\($0)" } ?? "")
    guard slots != nil || !words.isEmpty else { return nil }
    let text = ([first] + words).joined(separator: ",")
    do throws(ExecutorAddress.AddressProblem) {
      _ = try ExecutorAddress(text)
      return text
    } catch {
      report(.conflictingKeys, "\(owner.text(in: tree)): \(error.message)", at: span(node), help: error.help)
      return nil
    }
  }

  /// Returns the value of a Slurm option for an attempt, or nil after reporting an error.
  private mutating func slurmValue(_ key: SlurmKey, _ node: NodeID, _ owner: Owner, _ attempt: Int?) -> String? {
    guard tree.kind(node) == .scalar, Template.containsExpression(tree.text(node)) else { return string(node, owner) }
    guard let attempt, SlurmKey.changing.contains(key) else {
      report(
        .expressionSyntax, "\(owner.text(in: tree)) is known before the run starts and cannot be an expression",
        at: span(node), help: Self.changingHelp)
      return nil
    }
    return value(ofExpression: node, owner, attempt)?.jobText
  }

  /// Returns the options in a step's `executor` that depend on the attempt.
  private func changingOptions(of location: StepLocation) -> [(key: SlurmKey, node: NodeID)] {
    guard let executor = tree.member(StepKey.executor.rawValue, of: location.value)?.value,
      tree.kind(executor) == .mapping,
      let slurm = tree.member(ExecutorKey.slurm.rawValue, of: executor)?.value, tree.kind(slurm) == .mapping
    else { return [] }
    return SlurmKey.changing.compactMap { key in
      guard let node = tree.member(key.rawValue, of: slurm)?.value, tree.kind(node) == .scalar,
        Template.containsExpression(tree.text(node))
      else { return nil }
      return (key, node)
    }
  }

  /// Reports an option that depends on the attempt if the step has no `resources`, because its attempts then share a
  /// job with other steps. Also reports `nodelist` if `partition` depends on the attempt.
  mutating func checkChangingOptions(_ location: StepLocation, hasResources: Bool) {
    guard let (key, node) = changingOptions(of: location).first else { return }
    let owner = Owner.stepKey(.executor, location.key)
    if !hasResources {
      report(
        .conflictingKeys,
        "\(owner.text(in: tree)): '\(key.rawValue)' reads 'attempt', but the step shares its job with others",
        at: span(node), help: "add 'resources: { cpus: 1 }', which gives each attempt a job of its own")
    }
    for (key, node) in changingOptions(of: location) where key == .partition {
      guard
        let slurm = tree.member(StepKey.executor.rawValue, of: location.value).flatMap({
          tree.member(ExecutorKey.slurm.rawValue, of: $0.value)
        }), let nodes = tree.member(SlurmKey.nodelist.rawValue, of: slurm.value)
      else { continue }
      report(
        .conflictingKeys,
        "\(owner.text(in: tree)): 'nodelist' names nodes of one partition, and 'partition' reads 'attempt'",
        at: span(nodes.value), related: [.init(span(node), "the partition is here")],
        help: "use 'constraint' in place of 'nodelist'")
    }
  }

  /// Returns the options of an attempt's job that differ from those of the first attempt, or nil if there are none.
  /// Invalid options are reported and omitted.
  mutating func job(_ location: StepLocation, attempt: Int) -> ClusterJob? {
    var job = ClusterJob()
    let owner = Owner.part(ExecutorKey.slurm.rawValue, of: .stepKey(.executor, location.key))
    for (key, node) in changingOptions(of: location) {
      let part = Owner.part(key.rawValue, of: owner)
      guard let first = slurmValue(key, node, part, 1), let text = slurmValue(key, node, part, attempt),
        !text.hasSameBytes(as: first), isOption("\(key.rawValue)=\(text)", text, at: node, part)
      else { continue }
      switch key {
      case .time: job.timeLimit = try? ExecutorAddress.limit(text)
      default: job.partition = text
      }
    }
    return job == ClusterJob() ? nil : job
  }

  /// Reads options for `srun` such as `['--licenses=matlab:1', --contiguous]`. Returns them as options of an address.
  private mutating func passedThrough(_ node: NodeID, _ owner: Owner) -> [String] {
    guard tree.kind(node) == .sequence, !tree.elements(node).isEmpty else {
      reportType(
        node, owner, expected: "a list of at least one option", help: "such as ['--licenses=matlab:1', '--contiguous']")
      return []
    }
    var words: [String] = []
    for element in tree.elements(node) {
      guard let text = string(element, .part("each option", of: owner)) else { continue }
      guard text.hasPrefix("--"), !text.prefix(while: { $0 != "=" }).contains(" ") else {
        report(
          .unknownValue, "\(owner.text(in: tree)): '\(text)' is not an option", at: span(element),
          help: "write '--NAME=VALUE' or '--NAME', with the option's long name")
        continue
      }
      let word = "srun." + text.dropFirst(2)
      let value = text.parted(at: "=").after ?? ""
      if isOption(word, value, at: element, owner) { words.append(word) }
    }
    return words
  }

  /// Adapts a message about an option of an address to the form `--NAME` that options have in the list.
  private static func plain(_ message: String) -> String {
    message.hasPrefix("'srun.") ? "'--" + message.dropFirst("'srun.".count) : message
  }

  /// True if an option of an address is valid. Otherwise, the problem is reported.
  private mutating func isOption(_ word: String, _ value: String, at node: NodeID, _ owner: Owner) -> Bool {
    do throws(ExecutorAddress.AddressProblem) {
      guard !value.isEmpty || !word.contains("=") else {
        throw ExecutorAddress.AddressProblem(message: "a value is missing", help: "write one, or leave it out")
      }
      let options = try ExecutorAddress("\(ExecutorAddress.slurm)=1,\(word)").options
      guard options.count == 1, options[0].value == value else {
        throw ExecutorAddress.AddressProblem(
          message: "'\(value)' cannot be passed on with its comma", help: "give one value")
      }
      return true
    } catch {
      // In an address, text with `=` after a comma would be another option.
      let hasLostComma = !error.message.hasPrefix("'srun.") && value.contains(",") && value.contains("=")
      report(
        .unknownValue,
        "\(owner.text(in: tree)): "
          + (hasLostComma ? "'\(value)' has a comma with NAME=VALUE after it" : Self.plain(error.message)),
        at: span(node),
        help: hasLostComma ? "flowrun cannot pass that on; give the parts as options of their own" : error.help)
      return false
    }
  }
}

extension Value {
  /// The value of an expression in an option, as text.
  fileprivate var jobText: String {
    stringValue ?? numberValue.flatMap { Int(exactly: $0) }.map(String.init) ?? shortText
  }
}
