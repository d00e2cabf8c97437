import FlowDiagnostics
import FlowModel

extension WorkflowDocument {
  /// An entry of the outline: a key of the workflow, or a step.
  package struct Section: Sendable {
    package var name: String
    package var detail: String
    package var isStep: Bool
    /// The range of the entry with its content.
    package var span: TextSpan
    /// The range of the entry's name.
    package var nameSpan: TextSpan
    package var children: [Section] = []
  }

  /// A hint that an editor shows inside the text, such as the type of an output.
  package struct Hint: Sendable {
    package var offset: Int
    package var text: String
    package var isType: Bool
  }

  /// Returns the keys of the workflow in file order. The steps are entries below `steps` and `finally`.
  package func outline() -> [Section] {
    guard let check, let tree, let root = tree.root, tree.kind(root) == .mapping else { return [] }
    return check.locations.keys.map { key, member in
      var section = Section(
        name: key.rawValue, detail: tree.text(of: member.value) ?? "", isStep: false,
        span: TextSpan(tree.span(member.key).start, tree.contentEnd(member.value)), nameSpan: tree.span(member.key))
      if WorkflowKey.holdsSteps(key.rawValue) {
        let inside = tree.span(member.value)
        section.children = check.locations.steps.enumerated().filter {
          let start = tree.span($1.key).start
          return inside.start <= start && start < inside.end
        }.map { index, location in
          Section(
            name: tree.keyName(location.key),
            detail: workflow.steps.indices.contains(index) ? workflow.steps[index].uses : "",
            isStep: true,
            span: TextSpan(
              tree.span(location.key).start, max(tree.span(location.key).end, tree.contentEnd(location.value))),
            nameSpan: tree.span(location.key))
        }
      }
      return section
    }
  }

  /// Returns the ranges that can be folded: mappings, lists and strings of several lines. Each starts at the line of
  /// its key.
  package func folds() -> [TextSpan] {
    guard let tree, let root = tree.root else { return [] }
    let lines = LineTable(source)
    var folds: [TextSpan] = []
    var open = [root]
    while let node = open.popLast() {
      guard tree.nodes[node].kind == .mapping || tree.nodes[node].kind == .sequence else { continue }
      let isMap = tree.nodes[node].kind == .mapping
      var position = node + 1
      while position < tree.next(node) {
        let value = isMap ? tree.next(position) : position
        let span = TextSpan(tree.span(position).start, tree.contentEnd(value))
        if lines.line(of: span.start) < lines.line(of: max(span.start, span.end - 1)) { folds.append(span) }
        open.append(value)
        position = tree.next(value)
      }
    }
    return folds.sorted()
  }

  /// Returns the ranges of the whole file and of all nodes and members of mappings that contain the byte at `offset`,
  /// smallest first.
  package func selections(at offset: Int) -> [TextSpan] {
    var spans = [TextSpan(0, source.bytes.count)]
    guard let tree, var current = tree.root else { return spans }
    walk: while true {
      let isMap = tree.nodes[current].kind == .mapping
      guard isMap || tree.nodes[current].kind == .sequence else { break }
      spans.append(TextSpan(tree.span(current).start, tree.contentEnd(current)))
      var position = current + 1
      while position < tree.next(current) {
        let value = isMap ? tree.next(position) : position
        let span = TextSpan(tree.span(position).start, max(tree.span(position).end, tree.contentEnd(value)))
        if span.start <= offset, offset <= span.end {
          spans.append(span)
          let key = tree.span(position)
          if isMap, key.start <= offset, offset <= key.end {
            spans.append(key)
            break walk
          }
          guard tree.span(value).start <= offset else { break walk }
          current = value
          if tree.nodes[value].kind == .scalar { spans.append(tree.span(value)) }
          continue walk
        }
        position = tree.next(value)
      }
      break
    }
    var smallest = spans[0]
    var result = [smallest]
    for span in spans.dropFirst() where span.start >= smallest.start && span.end <= smallest.end && span != smallest {
      smallest = span
      result.append(span)
    }
    return result.reversed()
  }

  /// Returns the hints in a range: the types of outputs that expressions read, and the steps on the longest path to the
  /// gate.
  package func hints(in range: TextSpan) -> [Hint] {
    guard let check, let tree else { return [] }
    var hints: [Hint] = []
    let path = result.graph == nil ? [] : check.longestPathToGate()
    if path.count > 1, path.contains(where: { (check.longestTime(of: $0) ?? .zero) > .zero }) {
      for (number, step) in path.enumerated() {
        let end = tree.span(check.locations.steps[step].key).end + 1
        if range.start <= end, end <= range.end {
          hints.append(Hint(offset: end, text: "critical path, \(number + 1) of \(path.count)", isType: false))
        }
      }
    }
    for occurrence in symbols()?.occurrences ?? []
    where occurrence.symbol.kind == .step && !occurrence.isDefinition && range.start <= occurrence.span.start
      && occurrence.span.end <= range.end
    {
      guard let (expression, start, site) = expression(at: occurrence.span.start),
        let reference = expression.references.first(where: {
          start + $0.offset <= occurrence.span.start && occurrence.span.end <= start + $0.offset + $0.length
        }), reference.path.count > 2, let type = check.type(of: reference, site)
      else { continue }
      hints.append(Hint(offset: start + reference.offset + reference.length, text: type.words, isType: true))
    }
    return hints.sorted { $0.offset < $1.offset }
  }
}
