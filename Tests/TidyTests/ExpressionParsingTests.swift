import Testing

/// The strings of a workflow are parsed in one place, which keeps the results.
struct ExpressionParsingTests {
  /// The only file outside of FlowExpressions that parses expressions: those of `flowrun eval` are in no workflow.
  private static let others = ["Sources/FlowCLI/Eval/EvalAnswer.swift"]

  @Test func `the strings of a workflow are parsed only by WorkflowTexts`() throws {
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
