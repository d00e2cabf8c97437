import FlowExpressions
import FlowModel
import Testing

struct SyntaxErrorTests {
  @Test(arguments: [
    (
      "1+1",
      "lexing Unexpected symbol: '1+1'; there is no arithmetic in expressions; numbers are written 12, -0.5, 1e3, 0xff "
        + "or 0o17"
    ),
    (
      "1 +",
      "lexing Unexpected symbol: '+'; there is no arithmetic in expressions; numbers are written 12, -0.5, 1e3, 0xff or 0o17"
    ),
    ("\"a\"", "lexing Unexpected symbol: '\"a\"'; write strings in single quotes: 'text'"),
    ("a = 1", "lexing Unexpected symbol: '='; equality is '=='"),
    ("a & b", "lexing Unexpected symbol: '&'; 'and' is '&&'"),
    ("a |b", "lexing Unexpected symbol: '|b'; 'or' is '||'"),
    ("'open", "lexing Unexpected symbol: ''open'; the string is never closed; a quote inside a string is written ''"),
    ("${{ a }}", "lexing Unexpected symbol: '${{'; inside an expression there is no ${{ }}"),
    ("a / 2", "lexing Unexpected symbol: '/'; there is no arithmetic in expressions"),
    ("a * 2", "parsing Unexpected symbol: '*'; there is no arithmetic in expressions"),
    ("a -1", "parsing Unexpected symbol: '-1'; there is no arithmetic in expressions"),
    ("'a'.b", "lexing Unexpected symbol: '.b'; numbers are written 12, -0.5, 1e3, 0xff or 0o17"),
    ("a.é", "lexing Unexpected symbol: 'é'"),
    ("a b", "parsing Unexpected symbol: 'b'"),
    ("a 'x'", "parsing Unexpected symbol: ''x''"),
    ("(a", "parsing Unexpected end of expression: 'a'; the '(' at position 1 is never closed"),
    ("a[0", "parsing Unexpected end of expression: '0'; the '[' at position 2 is never closed"),
    ("format('x'", "parsing Unexpected end of expression: ''x''; the call of 'format' is never closed"),
    ("a &&", "parsing Unexpected end of expression: '&&'"),
    ("a.", "parsing Unexpected end of expression: '.'"),
    ("!", "parsing Unexpected end of expression: '!'"),
    ("a)", "parsing Unexpected symbol: ')'"),
    ("a]", "parsing Unexpected symbol: ']'"),
    ("a,b", "parsing Unexpected symbol: ','"),
    ("(a,b)", "parsing Unexpected symbol: ','"),
    ("a[0)", "parsing Unexpected symbol: ')'"),
    ("join(a,)", "parsing Unexpected symbol: ')'"),
    ("join(,a)", "parsing Unexpected symbol: ','"),
    ("()", "parsing Unexpected symbol: ')'"),
    ("*", "parsing Unexpected symbol: '*'"),
    ("a[* == 1]", "parsing Unexpected symbol: '*'"),
    ("a[]", "parsing Unexpected symbol: ']'"),
    ("a.1", "parsing Unexpected symbol: '1'"),
    ("'x'[0]", "parsing Unexpected symbol: '['"),
    ("1 == == 2", "parsing Unexpected symbol: '=='"),
    ("inputz", "parsing Unrecognized named-value: 'inputz'; there is a"),
    ("contains", "parsing Unrecognized named-value: 'contains'; 'contains' is a function: write contains(…)"),
    ("startWith(a, a)", "parsing Unrecognized function: 'startWith'; did you mean 'startsWith'?"),
    (
      "xyzzy(1)",
      "parsing Unrecognized function: 'xyzzy'; there is contains, startsWith, endsWith, format, join, toJSON, fromJSON, "
        + "case, trim, split, replace, lines, first, last, success, failure, cancelled, always"
    ),
    ("contains(a)", "parsing Too few parameters supplied: 'contains'; 'contains' takes 2, got 1"),
    ("join()", "parsing Too few parameters supplied: 'join'; 'join' takes 1 or 2, got 0"),
    ("format()", "parsing Too few parameters supplied: 'format'; 'format' takes at least 1, got 0"),
    ("toJSON(a, a)", "parsing Too many parameters supplied: 'toJSON'; 'toJSON' takes 1, got 2"),
    ("always(1)", "parsing Too many parameters supplied: 'always'; 'always' takes 0, got 1"),
    (
      "case(true, 1, false, 2)",
      "parsing Even number of parameters supplied, requires an odd number of parameters: 'case'; "
        + "write case(condition, value, …, otherwise)"
    ),
  ])
  func `a syntax error states the problem and the remedy`(source: String, message: String) {
    #expect(failure(source, ["a": ["x"]]) == message)
  }

  @Test(arguments: [
    ("1 2", "Unexpected symbol: '2'. Located at position 3 within expression: 1 2"),
    ("'😀' ]", "Unexpected symbol: ']'. Located at position 6 within expression: '😀' ]"),
    ("true &&\n  nope", "Unrecognized named-value: 'nope'. Located at position 11 within expression: true &&\n  nope"),
  ])
  func `error positions are counted in UTF-16 units of the whole expression`(source: String, message: String) {
    #expect { try Expression(parsing: source, dialect: .init(names: [])) } throws: {
      ($0 as? ExpressionError)?.message(in: source) == message
    }
  }

  @Test func `a syntax error has its offset and length in bytes`() {
    #expect { try Expression(parsing: "'é' == inputz") } throws: {
      let error = $0 as? ExpressionError
      return error?.offset == 8 && error?.length == 6 && error?.help == "did you mean 'inputs'?"
    }
  }

  @Test func `errors of the lexer are reported before all other errors`() {
    #expect(failure("nope(@)")?.hasPrefix("lexing Unexpected symbol: '@'") == true)
  }

  @Test func `status functions are rejected if the dialect has none`() {
    let dialect = ExpressionDialect(names: ["inputs"], allowsStatusFunctions: false)
    #expect { try Expression(parsing: "success()", dialect: dialect) } throws: {
      ($0 as? ExpressionError)?.message == "Unrecognized function: 'success'"
    }
  }
}
