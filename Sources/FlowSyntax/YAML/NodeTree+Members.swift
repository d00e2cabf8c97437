import FlowDiagnostics

/// Iterates over the members of a mapping in file order, and then over the members that it merges.
struct MemberCursor {
  typealias Member = (key: NodeID, value: NodeID)

  private var position: NodeID
  private let end: NodeID
  private var merged: [Member]?
  private var location = 0

  fileprivate init(position: NodeID, end: NodeID, merged: [Member]?) {
    self.position = position
    self.end = end
    self.merged = merged
  }

  /// Returns the next key and value, or nil at the end.
  @inline(__always)
  mutating func next(in tree: borrowing NodeTree) -> Member? {
    if let merged {
      guard location < merged.count else { return nil }
      location += 1
      return merged[location - 1]
    }
    guard position < end else { return nil }
    let key = position
    let value = tree.next(key)
    position = tree.next(value)
    return (key, value)
  }
}

extension NodeTree {
  /// Returns the members of a mapping. An alias to a mapping and merge keys are resolved.
  ///
  /// Errors in merge keys are added to `failures`.
  func members(of id: NodeID, failures: inout [Diagnostic]) -> MemberCursor {
    let mapping = resolve(id)
    let merged = nodes[mapping].hasMerge ? mergedMembers(of: mapping, failures: &failures) : nil
    return MemberCursor(position: mapping + 1, end: next(mapping), merged: merged)
  }

  private func isMergeKey(_ id: NodeID) -> Bool {
    guard nodes[id].kind == .scalar, nodes[id].style == .plain, nodes[id].tag == .none else { return false }
    return text(id) == "<<"
  }

  /// Returns the mapping's own members, followed by members of merged mappings. Own keys override merged ones, and an
  /// earlier merged mapping overrides a later one.
  private func mergedMembers(of mapping: NodeID, failures: inout [Diagnostic]) -> [MemberCursor.Member] {
    var own: [MemberCursor.Member] = []
    var sources: [NodeID] = []
    var position = mapping + 1
    while position < next(mapping) {
      let value = next(position)
      if isMergeKey(position) {
        sources += mergeSources(value, failures: &failures)
      } else {
        own.append((position, value))
      }
      position = next(value)
    }
    var seen = Set(own.compactMap { kind($0.key) == .scalar ? text($0.key) : nil })
    for source in sources {
      var cursor = members(of: source, failures: &failures)
      while let member = cursor.next(in: self) {
        if kind(member.key) == .scalar, seen.insert(text(member.key)).inserted { own.append(member) }
      }
    }
    return own
  }

  private func mergeSources(_ value: NodeID, failures: inout [Diagnostic]) -> [NodeID] {
    switch kind(value) {
    case .mapping: return [value]
    case .sequence where elements(value).allSatisfy({ kind($0) == .mapping }): return elements(value)
    default:
      failures.append(
        Diagnostic(
          .mergeKey, "'<<' takes a mapping or a list of mappings", at: span(value),
          help: "write '<<: *name' with '&name' at a mapping, or quote the key"))
      return []
    }
  }
}
