extension Expression {
  /// The references to contexts, in the order in which they are written.
  package var references: [ContextReference] {
    guard let root else { return [] }
    var found: [ContextReference] = []
    collect(from: root, hasFallback: false, into: &found)
    return found
  }

  private func collect(from index: ExpressionNode.Index, hasFallback: Bool, into found: inout [ContextReference]) {
    switch nodes[Int(index)].kind {
    case .null, .boolean, .number, .string, .status: break
    case .name, .index, .filter: collectAccess(index, hasFallback: hasFallback, into: &found)
    case .not(let operand): collect(from: operand, hasFallback: false, into: &found)
    case .comparison(_, let left, let right), .product(let left, let right):
      collect(from: left, hasFallback: false, into: &found)
      collect(from: right, hasFallback: false, into: &found)
    case .and(let parts):
      // If any part is null, the chain is falsy, so a fallback after the chain covers all parts.
      for part in parts { collect(from: part, hasFallback: hasFallback, into: &found) }
    case .or(let parts):
      for part in parts.dropLast() { collect(from: part, hasFallback: true, into: &found) }
      collect(from: parts[parts.count - 1], hasFallback: hasFallback, into: &found)
    case .call(_, let arguments):
      for argument in arguments { collect(from: argument, hasFallback: false, into: &found) }
    }
  }

  /// Collects the references in a chain of member accesses. The name and its literal keys form one reference. Computed
  /// keys may contain further references.
  private func collectAccess(_ index: ExpressionNode.Index, hasFallback: Bool, into found: inout [ContextReference]) {
    var computedKeys: [ExpressionNode.Index] = []
    var current = index
    walk: while true {
      if var reference = reference(at: current, hasFallback: hasFallback) {
        reference.isWhole = current == index
        found.append(reference)
        break walk
      }
      switch nodes[Int(current)].kind {
      case .filter(let target): current = target
      case .index(let target, let key):
        computedKeys.append(key)
        current = target
      default:
        collect(from: current, hasFallback: false, into: &found)
        break walk
      }
    }
    for key in computedKeys.reversed() { collect(from: key, hasFallback: false, into: &found) }
  }

  /// Returns the reference if the node consists of a name and literal keys, or nil for any other node.
  func reference(at index: ExpressionNode.Index, hasFallback: Bool = false) -> ContextReference? {
    var path: [String] = []
    var current = index
    while true {
      switch nodes[Int(current)].kind {
      case .name(let name):
        let range = nodes[Int(index)].range
        return ContextReference(
          name: name, path: path.reversed(), isWhole: true, hasFallback: hasFallback,
          offset: Int(range.lowerBound), length: range.count)
      case .index(let target, let key):
        guard case .string(let text) = nodes[Int(key)].kind else { return nil }
        path.append(text)
        current = target
      default: return nil
      }
    }
  }
}
