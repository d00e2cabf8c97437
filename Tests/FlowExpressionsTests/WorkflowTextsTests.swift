import FlowExpressions
import FlowModel
import Testing

/// The strings that a workflow keeps in parsed form.
struct `The strings of a workflow` {
  private static func texts(isFromFile: Bool) -> WorkflowTexts {
    var workflow = Workflow(name: "test", steps: [])
    if isFromFile { workflow.parsedExpressions = ExpressionTable() }
    return workflow.texts
  }

  private func value(_ text: String, _ texts: WorkflowTexts) throws -> Value {
    try texts.template(text).evaluate(in: FixedContext(["inputs": ["a": 1]]))
  }

  @Test(arguments: [true, false]) func `a parsed string has the same value each time`(isFromFile: Bool) throws {
    let texts = Self.texts(isFromFile: isFromFile)
    for _ in 0..<2 {
      #expect(try value("${{ inputs.a }}", texts) == 1)
      #expect(try value("a is ${{ inputs.a }}", texts) == "a is 1")
      #expect(try value("plain", texts) == "plain")
      #expect(try texts.condition("${{ inputs.a }}").offset == 4)
      #expect(try texts.condition("inputs.a").offset == 0)
    }
  }

  @Test(arguments: [true, false]) func `an invalid string causes the same error each time`(isFromFile: Bool) {
    let texts = Self.texts(isFromFile: isFromFile)
    for _ in 0..<2 {
      let inTemplate = #expect(throws: ExpressionError.self) { try texts.template("a ${{ inputs. }}") }
      #expect(inTemplate?.offset == 12)
      let inCondition = #expect(throws: ExpressionError.self) { try texts.condition("inputs.") }
      #expect(inCondition?.offset == 6)
    }
  }

  @Test func `the same string is parsed separately as a template, as a condition and as a resource`() throws {
    let texts = Self.texts(isFromFile: true)
    #expect(try texts.template("${{ attempt * 2 }}", dialect: .resources).isSingleExpression)
    #expect(throws: ExpressionError.self) { try texts.template("${{ attempt * 2 }}") }
    #expect(try texts.template("${{ success() }} ${{ inputs.a }}").expressions.count == 2)
    #expect(throws: ExpressionError.self) { try texts.condition("${{ success() }} ${{ inputs.a }}") }
  }

  @Test func `strings that are equal only after Unicode normalization are parsed separately`() throws {
    let texts = Self.texts(isFromFile: true)
    for accented in ["\u{E9}", "e\u{301}"] {
      let value = try value("\(accented)${{ inputs.a }}", texts).stringValue ?? ""
      #expect(Array(value.utf8) == Array("\(accented)1".utf8))
    }
  }

  @Test func `each of thousands of strings has its own parsed expression`() throws {
    let texts = Self.texts(isFromFile: true)
    for _ in 0..<2 {
      for number in 0..<1_000 {
        #expect(try value("\(number) ${{ inputs.a }}", texts) == .string("\(number) 1"))
        #expect(try texts.condition("inputs.a == \(number)").expression.source == "inputs.a == \(number)")
      }
    }
  }
}
