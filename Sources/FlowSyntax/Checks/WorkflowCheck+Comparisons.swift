import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Reports comparisons that have the same result in every run, for example because one side is a word that never
/// occurs.
extension WorkflowCheck {
  mutating func checkComparisons(_ expression: Expression, at offset: Int, _ site: ExpressionSite) {
    let constant = expression.constantComparisons { Self.words(of: $0) ?? self.type(of: $0, site) }
    for comparison in constant where !isSettled {
      let text = String(
        decoding: Array(expression.source.utf8)[comparison.offset..<comparison.offset + comparison.length],
        as: UTF8.self)
      report(
        .constantComparison,
        "'\(text)' \(comparison.result ? "always holds" : "never holds"): '\(comparison.side)' is "
          + comparison.type.expectation,
        at: span(site, offset: offset + comparison.offset, length: comparison.length, of: expression.source),
        help: Self.help(for: comparison))
    }
  }

  private static func help(for comparison: ConstantComparison) -> String? {
    guard let text = comparison.value?.stringValue else { return nil }
    switch comparison.type {
    case .boolean where text.lowercased() == "true" || text.lowercased() == "false":
      let isNegated = (text.lowercased() == "false") != comparison.result
      return "write \(isNegated ? "!" : "")\(comparison.side); true and false are not strings"
    case .enumeration(let values, _):
      return Correction(text, among: values.compactMap(\.stringValue)).map { "write '\($0.word)'" }
    default: return nil
    }
  }

  /// Returns the words that flowrun may set as the value of a reference, or nil if its values are not limited to such
  /// words.
  private static func words(of reference: ContextReference) -> ValueType? {
    let path = reference.path.map { $0.lowercased() }
    switch (reference.name.lowercased(), path.count) {
    case ("steps", 2) where path[1] == "outcome" || path[1] == "conclusion":
      return words(["success", "failure", "timed-out", "cancelled", "skipped"])
    case ("run", 1) where path[0] == "conclusion": return words(["success", "partial", "failure", "cancelled"])
    case ("gate", 1) where path[0] == "outcome": return words(["ready", "timed-out", "failed", "cancelled"])
    case ("launch", 1) where path[0] == "reason": return words(LaunchReason.allCases.map(\.rawValue))
    default: return nil
    }
  }

  private static func words(_ words: [String]) -> ValueType {
    .enumeration(words.map { .string($0) }, of: .string)
  }
}
