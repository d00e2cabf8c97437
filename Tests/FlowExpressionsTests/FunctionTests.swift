import FlowModel
import FlowTestKit
import Testing

struct FunctionTests {
  private let contexts: ValueObject = ["list": ["a", 1, nil, [1]], "map": ["a": 1], "empty": []]

  @Test(arguments: [
    ("contains('Hello', 'ELL')", true), ("contains('Hello', '')", true), ("contains('a', 'ab')", false),
    ("contains(1234, 23)", true), ("contains('ΑΣ', 'ς')", true), ("contains('aaab', 'aab')", true),
    ("contains(list, 'A')", true), ("contains(list, '1')", true), ("contains(list, '')", true),
    ("contains(list, 'x')", false), ("contains(list, list[3])", true), ("contains(list, fromJSON('[1]'))", false),
    ("contains(empty, '')", false), ("contains(map, 'a')", false), ("contains('Array', list)", false),
    ("startsWith('Hello', 'hE')", true), ("startsWith('Hello', '')", true), ("startsWith('a', 'ab')", false),
    ("startsWith(null, null)", true), ("startsWith(list, 'A')", false), ("startsWith('Array', list)", false),
    ("endsWith('Hello', 'LO')", true), ("endsWith('Hello', 'Hello!')", false), ("endsWith(12.5, .5)", false),
    ("endsWith('😀', '😀')", true), ("CONTAINS('a', 'a')", true), ("startswith ('a', 'a')", true),
  ])
  func `strings are searched ignoring case, and arrays by equality`(source: String, expected: Bool) throws {
    #expect(try evaluate(source, contexts) == .boolean(expected))
  }

  @Test(arguments: [
    ("format('{0}{1}{0}', 'a', 2)", "a2a"), ("format('{{0}} {{{0}}}', 1)", "{0} {1}"), ("format('none')", "none"),
    ("format('{0:}', 1)", "1"), ("format('{0} {1} {2}', null, true, list)", " true Array"), ("format(12)", "12"),
    ("format('{01}', 'a', 'b')", "b"), ("format('{0}', '{1}')", "{1}"), ("format('é{0}ü', 'ö')", "éöü"),
    ("join(list)", "a,1,,Array"), ("join(list, ' - ')", "a - 1 -  - Array"), ("join(list, empty)", "a,1,,Array"),
    ("join(list, null)", "a1Array"), ("join('x', '-')", "x"), ("join(map)", ""), ("join(empty)", ""),
  ])
  func `format inserts its arguments, and join concatenates list elements`(source: String, expected: String) throws {
    #expect(try evaluate(source, contexts) == .string(expected))
  }

  @Test(arguments: [
    ("format('{')", "The following format string is invalid: {"),
    ("format('}')", "The following format string is invalid: }"),
    ("format('{a}', 1)", "The following format string is invalid: {a}"),
    ("format('{0', 1)", "The following format string is invalid: {0"),
    ("format('{-1}', 1)", "The following format string is invalid: {-1}"),
    ("format('{256}', 1)", "The following format string is invalid: {256}"),
    ("format('{1}', 1)", "The following format string references more arguments than were supplied: {1}"),
    ("format('{0:x}', 1)", "The format specifiers 'x' are not valid here"),
    ("case('yes', 1, 2)", "case predicate must evaluate to a boolean value"),
    ("fromJSON('')", "Error parsing fromJSON: expected a value, found the end of the text (line 1, column 1)"),
    ("fromJSON('{\"a\":1,}')", "Error parsing fromJSON: expected a key after ',', found '}' (line 1, column 8)"),
  ])
  func `functions report invalid arguments`(source: String, message: String) {
    #expect(failure(source)?.hasPrefix("evaluation \(message)") == true, "\(failure(source) ?? "no error")")
  }

  @Test func `toJSON indents by two spaces per level`() throws {
    let value: ValueObject = ["x": ["a": [1, 1.5, true, nil], "b": [:], "c": [], "d": "\"\\\n/é\u{1}"]]
    #expect(
      try evaluate("toJSON(x)", value)
        == """
        {
          "a": [
            1,
            1.5,
            true,
            null
          ],
          "b": {},
          "c": [],
          "d": "\\"\\\\\\n/é\\u0001"
        }
        """)
    #expect(try evaluate("join(x.*, '|')", ["x": ["toJSON"]]) == "toJSON")
    #expect(try evaluate("format('{0} {1} {2}', toJSON(-0), toJSON(NaN), toJSON('a''b'))") == "0 null \"a'b\"")
  }

  @Test func `fromJSON keeps the last of equal keys and the first of keys that differ only in case`() throws {
    #expect(try evaluate("fromJSON('{\"a\":1,\"b\":2,\"a\":3}')") == ["a": 3, "b": 2])
    #expect(try evaluate("fromJSON('{\"a\":1,\"A\":2}')") == ["a": 1])
    #expect(try evaluate("fromJSON(' 1e2 ')") == 100)
  }

  @Test(
    arguments: [
      ("case(true, 1, 2)", 1), ("case(false, 1, 2)", 2), ("case(false, 1, 1 == 1, 2, 3)", 2),
      ("case(false, 1, false, 2, 'x')", "x"), ("Case(!0, 'a', 'b')", "a"),
    ] as [(String, Value)])
  func `case returns the value of the first true condition`(source: String, expected: Value) throws {
    #expect(try evaluate(source) == expected)
  }

  @Test(.timeLimit(.minutes(10))) func `fromJSON restores every value that toJSON wrote`() throws {
    for seed in seeds(500) {
      var random = SeededGenerator(seed: seed)
      let value = random.value(depth: 3).withKeysUniqueWithoutCase
      #expect(try evaluate("fromJSON(toJSON(x))", ["x": value]) == value, "seed \(seed)")
    }
  }
}
