import FlowExpressions
import FlowModel
import Testing

/// Tests each limit of expressions with values at the limit and beyond it.
struct LimitTests {
  private func depthError(_ source: String) -> String? { failure(source, ["a": nil]) }
  private let tooDeep = "parsing Exceeded max expression depth 50; compute parts of it in steps of their own"

  @Test(arguments: [
    (String(repeating: "!", count: 49) + "a", String(repeating: "!", count: 50) + "a"),
    ("a" + String(repeating: ".b", count: 49), "a" + String(repeating: ".b", count: 50)),
    ("a" + String(repeating: "[0]", count: 49), "a" + String(repeating: "[0]", count: 50)),
    ("a" + String(repeating: ".*", count: 49), "a" + String(repeating: ".*", count: 50)),
    (
      "1" + String(repeating: " == 1", count: 49), "1" + String(repeating: " == 1", count: 50)
    ),
    (
      String(repeating: "join(", count: 49) + "a" + String(repeating: ")", count: 49),
      String(repeating: "join(", count: 50) + "a" + String(repeating: ")", count: 50)
    ),
    (
      String(repeating: "(a || ", count: 24) + "!a" + String(repeating: " && 1)", count: 24),
      String(repeating: "(a || ", count: 25) + "!a" + String(repeating: " && 1)", count: 25)
    ),
  ])
  func `an expression can nest 50 levels deep, but no deeper`(fits: String, isTooDeep: String) {
    #expect(depthError(fits) == nil)
    #expect(depthError(isTooDeep) == tooDeep)
  }

  @Test func `parentheses and long chains do not count as depth`() throws {
    let parentheses = String(repeating: "(", count: 5_000) + "1" + String(repeating: ")", count: 5_000)
    #expect(try evaluate(parentheses) == 1)
    #expect(try evaluate("1" + String(repeating: " && 1", count: 4_000)) == 1)
    #expect(try evaluate("0" + String(repeating: " || (0 || 0)", count: 1_500)) == 0)
  }

  @Test func `an expression can have 21,000 characters, but no more`() throws {
    #expect(try evaluate("'" + String(repeating: "é", count: 20_998) + "'").stringValue?.count == 20_998)
    #expect(
      failure("'" + String(repeating: "é", count: 20_999) + "'")
        == "lexing Exceeded max expression length 21000; compute parts of it in steps of their own")
  }

  @Test func `a call can have 255 arguments, but no more`() throws {
    let most = "format('{254}'" + String(repeating: ", 1", count: 254) + ")"
    #expect(failure(most)?.contains("references more arguments") == true)
    #expect(try evaluate(most.replacing("{254}", with: "{253}")) == "1")
    let more = "format('x'" + String(repeating: ", 1", count: 255) + ")"
    #expect(failure(more)?.hasPrefix("parsing Too many parameters supplied: 'format'") == true)
  }

  @Test func `a result is limited to 1 MiB, counted as two bytes per character`() throws {
    // A string of 2^19 characters takes 1 MiB plus 26 bytes.
    func text(_ count: Int) -> ValueObject { ["x": .string(String(repeating: "x", count: count))] }
    let most = (1 << 19) - 13
    #expect(try evaluate("format('{0}', x)", text(most)).stringValue?.count == most)
    #expect(failure("format('{0}', x)", text(most + 1))?.hasPrefix(Self.tooMuch) == true)
    #expect(failure("join(x.*, '')", ["x": .array([text(most)["x"]!, "yyyy"])])?.hasPrefix(Self.tooMuch) == true)
    #expect(failure("toJSON(x)", text(most))?.hasPrefix(Self.tooMuch) == true)
    #expect(failure("format('{0}', x) == format('{0}', x)", text(most))?.hasPrefix(Self.tooMuch) == true)
  }

  @Test func `only new values count toward the memory limit, and intermediate ones are released`() throws {
    let big: ValueObject = ["x": .string(String(repeating: "x", count: 2 << 20))]
    #expect(try evaluate("x", big).stringValue?.utf8.count == 2 << 20)
    let half: ValueObject = ["x": .string(String(repeating: "x", count: 300_000))]
    let once = "contains(format('{0}', x), 'x')"
    #expect(try evaluate("\(once) && \(once) && \(once)", half) == true)
  }

  private static let tooMuch = "evaluation The maximum allowed memory size was exceeded"

  @Test(.timeLimit(.minutes(10))) func `a search in a long repetitive text ends within ten minutes`() throws {
    let contexts: ValueObject = [
      "x": .string(String(repeating: "a", count: 500_000)), "y": .string(String(repeating: "a", count: 200_000) + "b"),
    ]
    #expect(try evaluate("contains(x, y)", contexts) == false)
  }
}
