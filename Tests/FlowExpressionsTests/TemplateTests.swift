import FlowExpressions
import FlowModel
import Testing

struct TemplateTests {
  private let context = FixedContext(["inputs": ["n": 3, "t": "x", "list": [1], "none": nil, "flag": true]])

  @Test(
    arguments: [
      ("${{ inputs.n }}", 3), ("${{inputs.list}}", [1]), ("${{ inputs.none }}", nil), ("${{ '}}' }}", "}}"),
      ("${{ inputs.flag }}", true), ("", ""), ("plain", "plain"), (" ${{ inputs.n }}", " 3"),
      ("${{ inputs.n }}${{ inputs.t }}", "3x"), ("a ${{ inputs.none }} b", "a  b"), ("é${{ inputs.t }}é", "éxé"),
      ("$ {{ no }} $${{ 1 }}", "$ {{ no }} $1"), ("${{ 'it''s }}' }} }}", "it's }} }}"), ("a${{\n1.50\n}}", "a1.5"),
    ] as [(String, Value)])
  func `a template results in a string, but a single expression keeps its type`(text: String, expected: Value) throws {
    let value = try Template(parsing: text).evaluate(in: context)
    #expect(value == expected)
    #expect(value.kindName == expected.kindName)
  }

  @Test(arguments: [
    ("a ${{ inputs.list }}", 6, "An array cannot be part of a longer string"),
    ("a ${{ fromJSON('x') }}", 6, "Error parsing fromJSON: expected a value, found 'x' (line 1, column 1)"),
    ("ab ${{ 1", 3, "The expression is never closed"), ("${{ 'x }}", 0, "The expression is never closed"),
    ("${{ }}", 0, "An expression was expected"), ("é ${{ 1 }} ${{ inputz }}", 16, "Unrecognized named-value: 'inputz'"),
  ])
  func `a template reports an error with its offset in the whole text`(text: String, offset: Int, message: String) {
    #expect { try Template(parsing: text).evaluate(in: context) } throws: {
      let error = $0 as? ExpressionError
      return error?.message == message && error?.offset == offset
    }
  }

  @Test func `text that contains an expression is recognized`() {
    #expect(Template.containsExpression("a ${{ b }}"))
    #expect(Template.containsExpression("a ${{ b }}".dropFirst(2)))
    #expect(!Template.containsExpression("a ${ b } $ {{"))
    #expect(!Template.containsExpression("${"))
  }

  @Test func `a template lists its expressions with their locations`() throws {
    let template = try Template(parsing: "é ${{  inputs.n  }} and ${{ env.X }}")
    #expect(template.expressions.map(\.offset) == [8, 29])
    #expect(template.expressions.map(\.expression.source) == ["inputs.n", "env.X"])
  }
}
