import FlowModel
import FlowTestKit
import Testing

struct JSONTextTests {
  @Test func `the reader reads every kind of value and keeps the order of members`() throws {
    let text =
      #" { "b" : [ 1 , -2.5e3 , true , false , null ] , "a" : "x\n\u00e9\ud83d\ude00\/" , "e" : { } , "f" : [ ] } "#
    let value = try JSONText.parse(text)
    #expect(
      value == ["b": [1, -2500.0, true, false, nil], "a": "x\né😀/", "e": [:], "f": []])
    #expect(value.objectValue?.keys == ["b", "a", "e", "f"])
  }

  @Test func `whole numbers of up to 64 bits are read as integers and all others as doubles`() throws {
    func kind(_ text: String) throws -> String { try JSONText.parse(text).kindName }
    #expect(try JSONText.parse("9223372036854775807").integerValue == .max)
    #expect(try JSONText.parse("-9223372036854775808").integerValue == .min)
    #expect(try kind("-9223372036854775808") == "integer")
    #expect(try kind("9223372036854775808") == "number")
    #expect(try kind("1.0") == "number")
    #expect(try kind("1e2") == "number")
    #expect(try JSONText.parse("-0").numberValue?.sign == .minus)
  }

  @Test(
    arguments: [
      ("0.1", 0.1), ("123456789012345678901234567890", 1.2345678901234568e29), ("1e-400", 0),
      ("5e-324", .leastNonzeroMagnitude),
      ("2.2250738585072014e-308", .leastNormalMagnitude), ("0.000001", 1e-6),
      ("9007199254740993.0", 9_007_199_254_740_992),
      ("1.7976931348623157e308", .greatestFiniteMagnitude), ("1E+2", 100), ("-0.0", 0),
    ] as [(String, Double)])
  func `a number is read as the nearest double`(text: String, expected: Double) throws {
    #expect(try JSONText.parse(text).numberValue == expected)
  }

  @Test(arguments: [
    ("", "line 1, column 1: expected a value, found the end of the text"),
    ("  ", "line 1, column 3: expected a value, found the end of the text"),
    ("[1,\n 2,\n é]", "line 3, column 2: expected a value, found 'é'"),
    ("[1 2]", "line 1, column 4: expected ',' or ']' after an element, found '2'"),
    (
      "{\n  \"a\": [1,\n  2",
      "line 3, column 4: expected ',' or ']' after an element, found the end of the text; "
        + "the '[' of line 2, column 8 is open"
    ),
    ("[1,]", "line 1, column 4: expected a value after ',', found ']'; remove the last comma"),
    (#"{"a":1,}"#, "line 1, column 8: expected a key after ',', found '}'; remove the last comma"),
    ("{a:1}", "line 1, column 2: expected a key in double quotes, found 'a'"),
    (#"{"a" 1}"#, "line 1, column 6: expected ':' after the key 'a', found '1'"),
    (#"{"a":1,"b":2,"a":3}"#, "line 1, column 14: the key 'a' appears twice"),
    ("'x'", "line 1, column 1: expected a value, found a single quote; write JSON strings in double quotes"),
    ("True", "line 1, column 1: expected a value, found 'T'"),
    ("truest", "line 1, column 1: 'truest' is not a JSON value; the only words are true, false and null"),
    ("nul", "line 1, column 1: 'nul' is not a JSON value; the only words are true, false and null"),
    ("01", "line 1, column 1: a number starts with a superfluous zero"),
    ("-", "line 1, column 2: expected a digit after '-', found the end of the text"),
    ("1.", "line 1, column 3: expected a digit after the decimal point, found the end of the text"),
    ("1e+", "line 1, column 4: expected a digit in the exponent, found the end of the text"),
    ("1e999", "line 1, column 1: the number is too large for a double"),
    (#""abc"#, "line 1, column 1: the string is never closed"),
    ("\"a\tb\"", #"line 1, column 3: a string contains a control character; write \t"#),
    (
      #""\x""#,
      #"line 1, column 2: '\x' is not an escape; the escapes are \" \\ \/ \b \f \n \r \t and \u with four hex digits"#
    ),
    (#""\u12g4""#, #"line 1, column 2: expected four hex digits after \u, found 'g'"#),
    (#""\ud800""#, "line 1, column 2: half a surrogate pair is not a character"),
    ("1 2", "line 1, column 3: expected the end of the text, found '2'"),
  ])
  func `a JSON error states the problem and its location`(text: String, message: String) {
    #expect { try JSONText.parse(text) } throws: { "\($0)" == message }
  }

  @Test func `the first byte that is not valid UTF-8 is reported`() {
    let bytes: [UInt8] = Array("[\"ab".utf8) + [0xC3, 0x28] + Array("\"]".utf8)
    #expect { try JSONText.parse(bytes) } throws: { ($0 as? JSONProblem)?.offset == 4 }
  }

  @Test func `the lenient reader reads duplicate keys, lone surrogates and huge numbers as JavaScript does`() throws {
    let rules = JSONText.Rules(isLenient: true)
    #expect(try JSONText.parse(#"{"a":1,"b":2,"a":3}"#, rules: rules) == ["a": 3, "b": 2])
    #expect(try JSONText.parse(#""\ud800x""#, rules: rules) == "\u{FFFD}x")
    #expect(try JSONText.parse("-1e999", rules: rules).numberValue == -.infinity)
  }

  @Test func `JSON at the limits for depth and size is accepted, and JSON beyond them is rejected`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try JSONText.parse(nested(Limits.jsonDepth))
    #expect { try JSONText.parse(nested(Limits.jsonDepth + 1)) } throws: {
      "\($0)" == "line 1, column 129: arrays and objects nest deeper than 128"
    }
    #expect(try JSONText.parse("12345", rules: .init(bytes: 5)) == 12345)
    #expect { try JSONText.parse("123456", rules: .init(bytes: 5)) } throws: {
      "\($0)" == "line 1, column 1: the text has 6 bytes; at most 5 are read"
    }
  }

  @Test func `the writer writes a single line, or indents by two spaces per level`() {
    let value: Value = ["a": [1, 2.5, "q\"\\\u{1}\n"], "b": [:], "c": [], "d": nil]
    #expect(JSONText.write(value) == #"{"a":[1,2.5,"q\"\\\u0001\n"],"b":{},"c":[],"d":null}"#)
    #expect(
      JSONText.write(value, layout: .indented) == """
        {
          "a": [
            1,
            2.5,
            "q\\"\\\\\\u0001\\n"
          ],
          "b": {},
          "c": [],
          "d": null
        }
        """)
  }

  @Test func `control characters up to U+009F are escaped, or only those below U+0020 in JavaScript's form`()
    throws
  {
    for code in Array(0...0x1F) + Array(0x7F...0x9F) as [UInt32] {
      let text = "a\(Unicode.Scalar(code)!)é"
      let written = JSONText.write(.object([text: .string(text)]))
      #expect(!written.unicodeScalars.contains { $0.properties.generalCategory == .control }, "U+\(code)")
      #expect(try JSONText.parse(written) == .object([text: .string(text)]))
    }
    #expect(JSONText.write("\u{7F}\u{9B}2J\u{A0}£\u{7FF}") == "\"\\u007f\\u009b2J\u{A0}£\u{7FF}\"")
    #expect(JSONText.write("\u{7F}\u{9B}\u{1}", numbers: .javaScript) == "\"\u{7F}\u{9B}\\u0001\"")
  }

  @Test(
    arguments: [
      (3, "3"), (-0.0, "-0.0"), (0.1, "0.1"), (1e300, "1e+300"), (9_007_199_254_740_992, "9007199254740992"),
      (.nan, "\"NaN\""), (.infinity, "\"Infinity\""), (-.infinity, "\"-Infinity\""),
    ] as [(Double, String)])
  func `a number is written with the fewest digits from which it can be restored`(number: Double, text: String) {
    #expect(JSONText.write(.number(number)) == text)
  }

  @Test(.timeLimit(.minutes(10))) func `the reader restores every value from both layouts`() throws {
    for seed in UInt64(1)...2_000 {
      var generator = SeededGenerator(seed: seed)
      let value = generator.value(depth: 4)
      for layout in [JSONText.Layout.compact, .indented] {
        let text = JSONText.write(value, layout: layout)
        let again = try JSONText.parse(text)
        #expect(again == value, "seed \(seed), \(layout): \(text)")
        #expect(JSONText.write(again, layout: layout) == text, "seed \(seed)")
      }
    }
  }

  @Test(.timeLimit(.minutes(10))) func `any bytes are parsed or cause an error with a location inside the text`() {
    let alphabet =
      Array(#"{}[]",:\u0123456789abcdefnulltruefalse-+.eE \#n\#t'é"#.utf8) + [0x00, 0x7F, 0x80, 0xC3, 0xED, 0xF4]
    for seed in UInt64(1)...20_000 {
      var generator = SeededGenerator(seed: seed)
      let bytes = (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
      }
      do throws(JSONProblem) {
        let value = try JSONText.parse(bytes)
        #expect((try? JSONText.parse(JSONText.write(value))) == value, "seed \(seed)")
      } catch {
        #expect((0...bytes.count).contains(error.offset), "seed \(seed): \(error)")
      }
    }
  }
}
