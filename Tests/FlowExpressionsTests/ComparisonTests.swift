import FlowModel
import Testing

struct ComparisonTests {
  @Test(arguments: [
    ("1 == 1.0", true), ("'a' == 'A'", true), ("'é' == 'É'", true), ("'Σ' == 'ς'", true), ("'ß' == 'SS'", false),
    ("'ı' == 'I'", false), ("'İ' == 'i'", false), ("'ſ' == 'S'", false), ("'\u{E9}' == 'e\u{301}'", false),
    ("'ᾳ' == 'ᾼ'", true), ("'10' == 10", true), ("'ten' == 10", false), ("null == ''", true), ("null == false", true),
    ("null == 'null'", false), ("true == '1'", true), ("true == 'true'", false), ("NaN == NaN", false),
    ("Infinity == Infinity", true), ("0 == -0", true), ("list == list", true), ("list == other", false),
    ("list == ''", false), ("map == map", true), ("map == 'Object'", false), ("map == list", false),
  ])
  func `== and != compare values of any types`(source: String, expected: Bool) throws {
    let contexts: ValueObject = ["list": [], "other": [], "map": [:]]
    #expect(try evaluate(source, contexts) == .boolean(expected))
    let unequal = source.replacing("==", with: "!=")
    #expect(try evaluate(unequal, contexts) == .boolean(!expected))
  }

  @Test(arguments: [
    ("1 < 2", true), ("2 < 1", false), ("1 < 1", false), ("'a' < 'B'", true), ("'Z' < '['", true), ("'b' < 'A'", false),
    ("'a' < 'ab'", true), ("'9' < '10'", false), ("'9' < 10", true), ("false < true", true), ("true < false", false),
    ("null < 1", true), ("NaN < 1", false), ("1 < NaN", false), ("list < list", false), ("map < 1", false),
    ("'\u{FF5E}' < '😀'", false),
  ])
  func `< and > order numbers, booleans and strings`(source: String, expected: Bool) throws {
    let contexts: ValueObject = ["list": [], "map": [:]]
    #expect(try evaluate(source, contexts) == .boolean(expected))
    let parts = source.split(separator: " < ")
    #expect(try evaluate("\(parts[1]) > \(parts[0])", contexts) == .boolean(expected))
  }

  @Test func `arrays and objects are compared by identity, not by content`() throws {
    let contexts: ValueObject = ["a": ["x": [[1], [1]], "y": ["k": [:]]]]
    for source in [
      "a.x == a['X']", "a.x[0] == a.x[0]", "a.x.*[0] != a.x.*[0]", "contains(a.x, a.x[1])", "contains(a.*, a.y)",
      "a.y == (false || a.y)", "a.y == case(true, a.y, null)", "a.x[0] != a.x[1]", "fromJSON('[]') != fromJSON('[]')",
      "contains(a.x.*, a.x[0])",
    ] {
      #expect(try evaluate(source, contexts) == true, "\(source)")
    }
  }

  @Test(
    arguments: [
      ("!2 < 3", true), ("!(2 < 3)", false), ("3 < 2 < 1", true), ("2 == 2 == 1", true), ("1 < 2 == true", true),
      ("1 == (1 < 2)", true), ("false && 1 || 2", 2), ("1 || 0 && 0", 1), ("1 == 1 && 'b'", "b"), ("(1 || 2) && 3", 3),
      ("!m.k", true), ("!m.k == true", true), ("1 > 0 >= 1", true),
    ] as [(String, Value)])
  func `operators have the documented precedence`(source: String, expected: Value) throws {
    #expect(try evaluate(source, ["m": ["k": nil]]) == expected)
  }

  @Test(
    arguments: [
      ("0 || '' || 'x' || 'y'", "x"), ("false || null", nil), ("1 && 'a'", "a"), ("1 && 0 && 'a'", 0),
      ("null && 1", nil),
      ("m && 1", 1), ("'' || m.none || 'else'", "else"),
    ] as [(String, Value)])
  func `&& and || return one of their operands`(source: String, expected: Value) throws {
    #expect(try evaluate(source, ["m": [:]]) == expected)
  }

  @Test func `operands that cannot change the result are not evaluated`() throws {
    for source in [
      "true || fromJSON('broken')", "!(false && fromJSON('broken'))", "case(true, true, fromJSON('broken'))",
      "case(false, fromJSON('broken'), true)", "format('{0}', 'a', fromJSON('broken')) == 'a'",
    ] {
      #expect(try evaluate(source) == true, "\(source)")
    }
  }
}
