import FlowModel
import Testing

struct LiteralTests {
  @Test(
    arguments: [
      ("null", nil), ("true", true), ("false", false), ("''", ""), ("'it''s'", "it's"), ("''''", "'"),
      ("'a''''b'", "a''b"), ("'${{ x }}'", "${{ x }}"), ("'línea\n2'", "línea\n2"), ("", nil), (" \t\r\n ", nil),
      ("\u{A0}true\u{3000}", true),
    ] as [(String, Value)])
  func `null, booleans and strings are parsed`(source: String, expected: Value) throws {
    #expect(try evaluate(source) == expected)
  }

  @Test(
    arguments: [
      ("0", 0), ("12", 12), ("+12", 12), ("-12", -12), ("007", 7), ("1.", 1), (".5", 0.5), ("-.5", -0.5), ("+.5", 0.5),
      ("1e3", 1000), ("1E+3", 1000), ("25e-1", 2.5), ("0xff", 255), ("0xFF", 255), ("0xffffffffff", 1_099_511_627_775),
      ("0o17", 15), ("Infinity", .infinity), ("+Infinity", .infinity), ("-Infinity", -.infinity), ("1e999", .infinity),
    ] as [(String, Double)])
  func `numbers are parsed in every format`(source: String, expected: Double) throws {
    #expect(try evaluate(source).numberValue == expected)
  }

  @Test func `NaN and the sign of zero are preserved`() throws {
    #expect(try evaluate("NaN").numberValue?.isNaN == true)
    #expect(try evaluate("-0").numberValue?.sign == .minus)
  }

  @Test(arguments: ["1e", "1e+", "0x", "0o8", "0xg", "-0xff", "+0o7", "1.2.3", "1_000", "--1", "-", "+", "-Inf", "1-2"])
  func `text that only resembles a number is rejected`(source: String) {
    #expect(failure(source)?.hasPrefix("lexing Unexpected symbol: '\(source)'; ") == true)
  }

  @Test(arguments: ["True", "NULL", "nan", "infinity", "INFINITY"])
  func `literals such as null and NaN are case-sensitive`(source: String) {
    #expect(failure(source)?.hasPrefix("parsing Unrecognized named-value: '\(source)'") == true)
  }
}
