import FlowDiagnostics
import FlowModel

extension WorkflowReader {
  mutating func retry(_ node: NodeID, _ owner: Owner, location: NodeID) -> RetryPolicy? {
    var policy = RetryPolicy(attempts: 1)
    var lists: [(key: RetryKey, node: NodeID)] = []
    forEachKey(of: node, retryKeys, owner: owner, location: location) { reader, key, member in
      let name = Owner.part(key.rawValue, of: owner)
      switch key {
      case .attempts: policy.attempts = reader.integer(member.value, 1...Limits.attempts, name) ?? 1
      case .delay: policy.delay = reader.duration(member.value, name) ?? policy.delay
      case .backoff: policy.backoff = reader.number(member.value, atLeast: 1, name) ?? 1
      case .maxDelay: policy.maxDelay = reader.duration(member.value, name) ?? policy.maxDelay
      case .jitter: policy.jitter = reader.word(member.value, name) ?? .none
      case .attemptDeadline: policy.attemptDeadline = reader.duration(member.value, name)
      case .on, .except:
        lists.append((key, member.key))
        policy.reasons = RetryReasons(reader.reasons(member.value, name), areExcepted: key == .except)
      }
    }
    if lists.count > 1 {
      report(
        .conflictingKeys, "\(owner.text(in: tree)) has 'on' and 'except'", at: span(lists[1].node),
        related: [.init(span(lists[0].node), "'\(lists[0].key.rawValue)' is here")],
        help: "list either the reasons to try again for, or the others")
    }
    return policy
  }

  private mutating func reasons(_ node: NodeID, _ owner: Owner) -> [RetryReasons.Reason] {
    guard tree.kind(node) == .sequence, !tree.elements(node).isEmpty else {
      reportType(
        node, owner, expected: "a list of at least one reason", help: "such as '[timed-out, lost, 75, 100..110]'")
      return []
    }
    return tree.elements(node).compactMap { element in
      if tree.kind(element) == .scalar, let reason = RetryReasons.Reason(tree.text(element)) { return reason }
      reportType(
        element, .part("each reason", of: owner),
        expected:
          "\(RetryReasons.Reason.words.map(\.word).joined(separator: ", ")), an exit status from 1 to 255, a range "
          + "such as 100..110 or the code of an error", help: zerosHelp(element))
      return nil
    }
  }

  /// Returns help that shows an exit status or a range without leading zeros. Returns nil if there are none, or if the
  /// text is also invalid without them.
  private func zerosHelp(_ node: NodeID) -> String? {
    guard tree.kind(node) == .scalar else { return nil }
    let numbers = tree.text(node).split(separator: ".", omittingEmptySubsequences: false).map { part in
      part.isEmpty ? "" : String(part.drop { $0 == "0" })
    }
    let text = numbers.joined(separator: ".")
    guard text.utf8.first.map({ (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }) == true,
      RetryReasons.Reason(text) != nil, text != tree.text(node)
    else { return nil }
    return "write \(text), without leading zeros"
  }
}
