import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Reports numbers that may be converted to text and would then look different, such as `3.10` and `0755`.
extension WorkflowCheck {
  mutating func checkNumbers() {
    if let node = locations.value(.outputs), workflow.outputs.contains(where: { $0.value.holdsNumber }) {
      checkSpelling(below: node, "an output of the run", [], [])
    }
    for step in workflow.steps.indices where !isSettled {
      if workflow.steps[step].hasOptions, let fanOut = workflow.steps[step].options.fanOut {
        checkItems(fanOut, of: step)
      }
      guard workflow.steps[step].with.contains(where: { $0.value.holdsNumber }),
        let declaration = actions.declaration(ofStep: step), let node = node(.with, of: step)
      else { continue }
      for input in declaration.inputs where workflow.steps[step].with[input.name]?.holdsNumber == true {
        guard input.type.takesAnything, let value = tree.member(input.name, of: node)?.value else { continue }
        checkSpelling(below: value, "the input '\(input.name)'", [], [])
      }
    }
  }

  private mutating func checkItems(_ fanOut: FanOut, of step: Int) {
    guard let node = node(.foreach, of: step) else { return }
    switch fanOut.source {
    case .items(let items) where items.holdsNumber:
      let items = tree.kind(node) == .mapping ? tree.member(ForeachKey.items.rawValue, of: node)?.value : node
      if let items { checkSpelling(below: items, "an item", [], itemPaths(of: step)) }
    case .axes:
      let paths = itemPaths(of: step)
      for key in [ForeachKey.axes, .exclude, .include] {
        if let part = tree.member(key.rawValue, of: node)?.value { checkSpelling(below: part, "an item", [], paths) }
      }
    default: break
    }
  }

  /// Returns the paths of the members of `item` that the step reads in file paths, in lower case. An empty path means
  /// the whole item.
  private func itemPaths(of step: Int) -> [[String]] {
    let files = [StepKey.inputsFrom, .produces].compactMap { node($0, of: step) }
    let inputs = actions.declaration(ofStep: step)?.inputs.filter(\.type.holdsPath) ?? []
    let given = node(.with, of: step).map { with in inputs.compactMap { tree.member($0.name, of: with)?.value } } ?? []
    return (files + given).flatMap { texts(below: $0) }.flatMap { text in
      ((try? workflow.texts.template(text))?.expressions ?? []).flatMap(\.expression.references)
        .filter { $0.name.lowercased() == ItemContext.item }.map { $0.path.map { $0.lowercased() } }
    }
  }

  private func texts(below node: NodeID) -> [String] {
    switch tree.kind(node) {
    case .scalar, .alias: return [tree.text(node)]
    case .sequence: return tree.elements(node).flatMap { texts(below: $0) }
    case .mapping:
      var texts: [String] = []
      var ignored: [Diagnostic] = []
      var members = tree.members(of: node, failures: &ignored)
      while let member = members.next(in: tree) { texts += self.texts(below: member.value) }
      return texts
    }
  }

  /// Reports all numbers below a node that would look different as text.
  ///
  /// - Parameters:
  ///   - keys: The keys that lead to the node.
  ///   - paths: The members that are read as paths.
  private mutating func checkSpelling(below node: NodeID, _ owner: String, _ keys: [String], _ paths: [[String]]) {
    switch tree.kind(node) {
    case .sequence: for element in tree.elements(node) { checkSpelling(below: element, owner, keys, paths) }
    case .mapping:
      var ignored: [Diagnostic] = []
      var members = tree.members(of: node, failures: &ignored)
      while let member = members.next(in: tree) {
        checkSpelling(below: member.value, owner, keys + [tree.keyName(member.key).lowercased()], paths)
      }
    case .scalar, .alias:
      guard let value = tree.scalarValue(node), value.holdsNumber else { return }
      let (text, printed) = (tree.text(node), value.expressionText)
      guard printed != text else { return }
      let isPath = paths.contains { path in path.isEmpty || keys.last == path.last }
      report(
        isPath ? .expressionType : .numberSpelling,
        isPath
          ? "the number \(text) is in a path, where it would be '\(printed)'"
          : "\(owner) \(keys.isEmpty ? "is" : "holds") the number \(text), which is printed as '\(printed)'",
        at: tree.span(node), help: "to keep its spelling, write it in quotes: \"\(text)\"")
    }
  }
}

extension Value {
  /// True if the value is a number or contains one.
  fileprivate var holdsNumber: Bool {
    switch self {
    case .integer, .number: true
    case .array(let values): values.contains(where: \.holdsNumber)
    case .object(let members): members.contains { $0.value.holdsNumber }
    default: false
    }
  }
}

extension ValueType {
  /// True if values of the type are paths or contain paths.
  fileprivate var holdsPath: Bool {
    switch self {
    case .path: true
    case .array(let element): element.holdsPath
    case .object(let properties?): properties.contains { $0.type.holdsPath }
    default: false
    }
  }

  /// True if the type accepts values of any type, objects with any members, or lists of either.
  fileprivate var takesAnything: Bool {
    switch self {
    case .any, .object(nil): true
    case .array(let element): element.takesAnything
    default: false
    }
  }
}
