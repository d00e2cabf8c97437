import FlowDiagnostics
import FlowModel

/// Where a step runs.
extension WorkflowReader {
  /// `workers=4`, `slurm=8,partition=short`, `local`, or `{ slurm: { partition: short } }`, which gives the address that says
  /// the same.
  mutating func executor(_ node: NodeID, _ owner: Owner) -> String? {
    if tree.kind(node) == .mapping { return executorMap(node, owner) }
    guard let text = string(node, owner) else { return nil }
    do throws(ExecutorAddress.AddressProblem) {
      _ = try ExecutorAddress(text)
      return text
    } catch {
      report(.unknownValue, "\(owner.text(in: tree)): \(error.message)", at: span(node), help: error.help)
      return nil
    }
  }

  private mutating func executorMap(_ node: NodeID, _ owner: Owner) -> String? {
    var address: String?
    if tree.elements(node).isEmpty {
      report(
        .missingKey, "\(owner.text(in: tree)) is empty", at: span(node),
        help: "write '{ slurm: { partition: short } }', or leave 'executor' out")
    }
    forEachKey(of: node, KeyTable<ExecutorKey>(), owner: owner, location: node) { reader, key, member in
      address = reader.slurm(member.value, .part(key.rawValue, of: owner))
    }
    return address
  }

  private mutating func slurm(_ node: NodeID, _ owner: Owner) -> String? {
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
        guard let text = reader.string(member.value, part) else { return }
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

  /// `['--licenses=matlab:1', --contiguous]`, as an address has them.
  private mutating func passedThrough(_ node: NodeID, _ owner: Owner) -> [String] {
    guard tree.kind(node) == .sequence, !tree.elements(node).isEmpty else {
      reportType(node, owner, expected: "a list of options", help: "such as ['--licenses=matlab:1', '--contiguous']")
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
      let value = text.firstIndex(of: "=").map { String(text[text.index(after: $0)...]) } ?? ""
      if isOption(word, value, at: element, owner) { words.append(word) }
    }
    return words
  }

  /// A message about an option as the list has it.
  private static func plain(_ message: String) -> String {
    message.hasPrefix("'srun.") ? "'--" + message.dropFirst("'srun.".count) : message
  }

  /// Whether an option of an address says what was meant; reports why not.
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
      // What a list begins that the address has no room for looks like the next option there.
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
