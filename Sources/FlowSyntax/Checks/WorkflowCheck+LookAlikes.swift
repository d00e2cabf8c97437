import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Finds paths that are different files here but the same on another file system: they differ only in case or
/// normalization.
extension WorkflowCheck {
  mutating func checkLookAlikes() {
    /// The first path for each form without case and normalization.
    var known: [String: (name: ByteName, node: NodeID)] = [:]
    for step in workflow.steps.indices where !isSettled {
      guard workflow.steps[step].hasOptions || IncludeLibrary.isFile(workflow.steps[step].uses) else { continue }
      for key in [StepKey.uses, .inputsFrom, .produces] {
        guard let node = node(key, of: step) else { continue }
        for scalar in scalars(below: node) {
          let text = tree.text(scalar)
          guard key != .uses || IncludeLibrary.isFile(text), !Template.containsExpression(text) else { continue }
          let name = ByteName(text.hasPrefix("./") ? String(text.dropFirst(2)) : text)
          // Swift's string comparison ignores normalization.
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

  private func scalars(below node: NodeID) -> [NodeID] {
    switch tree.kind(node) {
    case .scalar, .alias: return isString(node) ? [node] : []
    case .sequence: return tree.elements(node).flatMap { scalars(below: $0) }
    case .mapping: return tree.member("path", of: node).map { scalars(below: $0.value) } ?? []
    }
  }
}
