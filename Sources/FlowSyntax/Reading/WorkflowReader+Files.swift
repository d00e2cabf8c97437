import FlowDiagnostics
import FlowModel

/// The files that a step says it reads and makes.
extension WorkflowReader {
  /// A list of paths with `*`, `?` and `**`, and with expressions.
  mutating func filePatterns(_ node: NodeID, _ owner: Owner) -> [String] {
    guard tree.kind(node) == .sequence, !tree.elements(node).isEmpty else {
      reportType(node, owner, expected: "a list of paths", help: "such as '[src/**/*.c, Makefile]'")
      return []
    }
    var patterns: [String] = []
    for element in tree.elements(node) {
      guard let text = string(element, .part("each path", of: owner)) else { continue }
      if text.isEmpty || text.utf8.contains(0) {
        reportType(element, owner, expected: "a path")
      } else {
        patterns.append(text)
      }
    }
    return patterns
  }
}
