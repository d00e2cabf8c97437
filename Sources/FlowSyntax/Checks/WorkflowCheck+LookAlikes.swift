import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Reports different paths that may be the same file on another file system, because they differ only in case or
/// normalization.
extension WorkflowCheck {
  mutating func checkLookAlikes() {
    /// The first path for each lowercase, normalized form.
    var known: [String: (name: ByteName, node: NodeID)] = [:]
    for step in workflow.steps.indices where !isSettled {
      guard workflow.steps[step].hasOptions || IncludeLibrary.isFile(workflow.steps[step].uses) else { continue }
      for key in [StepKey.uses, .inputsFrom, .produces] {
        guard let node = node(key, of: step) else { continue }
        for scalar in scalars(below: node) {
          let text = tree.text(scalar)
          guard key != .uses || IncludeLibrary.isFile(text), !Template.containsExpression(text) else { continue }
          let name = ByteName(text.utf8.starts(with: "./".utf8) ? Substring(text.utf8.dropFirst(2)) : text[...])
          // Comparing strings in Swift ignores normalization.
          guard let first = known[name.text.lowercased()] else {
            known[name.text.lowercased()] = (name, scalar)
            continue
          }
          guard first.name != name else { continue }
          report(
            .lookAlikeNames,
            "'\(text)' and '\(tree.text(first.node))' are one file where file systems ignore "
              + (first.name.text == name.text ? "Unicode normalization" : "case"),
            at: tree.span(scalar), related: [.init(tree.span(first.node), "the other one is here")],
            help: "write both in the same way, or give one of them another name")
        }
      }
    }
  }

  /// Reports variables of a step, including the workflow's, whose names differ only in Unicode normalization, because
  /// some programs treat them as one variable.
  mutating func checkVariableLooks() {
    func hasLetters(_ variables: ValueObject) -> Bool { variables.contains { $0.key.utf8.contains { $0 > 0x7F } } }
    let isDoubtful = hasLetters(workflow.environment)
    for step in workflow.steps.indices where !isSettled {
      let given = workflow.steps[step].with["env"]?.objectValue
      guard given != nil || workflow.steps[step].hasOptions else { continue }
      let own = [workflow.steps[step].options.environment, given ?? [:]]
      guard isDoubtful || own.contains(where: hasLetters) else { continue }
      // Names in the same `env` that look equal are reported where that `env` is read.
      let others = workflow.environment.keys + (given?.keys ?? [])
      func hasDouble(_ name: String) -> Bool { others.contains { $0 == name && !$0.hasSameBytes(as: name) } }
      guard let name = own.flatMap(\.keys).first(where: hasDouble),
        let node = node(.env, of: step) ?? node(.with, of: step)
      else { continue }
      report(
        .invalidName, "'\(name)' differs from another variable in Unicode normalization alone", at: tree.span(node),
        help: "give one of them another name")
    }
  }

  private func scalars(below node: NodeID) -> [NodeID] {
    switch tree.kind(node) {
    case .scalar, .alias: return isString(node) ? [node] : []
    case .sequence: return tree.elements(node).flatMap { scalars(below: $0) }
    case .mapping: return tree.member("path", of: node).map { scalars(below: $0.value) } ?? []
    }
  }
}
