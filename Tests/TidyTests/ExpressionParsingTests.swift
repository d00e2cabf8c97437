import Testing

struct ExpressionParsingTests {
  /// The only file outside of FlowExpressions that may parse expressions. Those of `flowrun eval` are not in a
  /// workflow.
  private static let others = ["Sources/FlowCLI/Eval/EvalAnswer.swift"]

  @Test func `only FlowExpressions and flowrun eval parse expressions`() throws {
    var parsing: [String] = []
    for file in ["Sources", "plugins"].flatMap({ Repository.files(below: $0, ending: ".swift") })
    where !file.hasPrefix("Sources/FlowExpressions/") {
      let text = try Repository.text(file)
      let calls = ["Template(parsing:", "Expression(parsing:", "Expression.condition("]
      if calls.contains(where: text.contains) { parsing.append(file) }
    }
    #expect(parsing == Self.others)
  }
}
