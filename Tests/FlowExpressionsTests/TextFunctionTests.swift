import FlowModel
import FlowTestKit
import Testing

@testable import FlowExpressions

/// Functions of flowrun that GitHub's dialect does not have.
struct TextFunctionTests {
  private let contexts: ValueObject = [
    "text": "one\ntwo\r\n\n three \n", "list": ["a"], "map": ["a": 1], "wide": "\u{3000}x\u{A0}",
    "mark": "a,e\u{301},b",
  ]

  @Test(arguments: [
    ("trim('  a b ')", "a b"), ("trim('')", ""), ("trim('   ')", ""), ("trim(null)", ""), ("trim(1.5)", "1.5"),
    ("trim(wide)", "x"), ("TRIM(text)", "one\ntwo\r\n\n three"), ("replace('a-b-c', '-', '+')", "a+b+c"),
    ("replace('aaa', 'aa', 'b')", "ba"), ("replace('abc', 'x', 'y')", "abc"), ("replace('aA', 'a', '')", "A"),
    ("replace('', 'a', 'b')", ""), ("replace(mark, ',', ';')", "a;e\u{301};b"), ("replace('10', 0, 1)", "11"),
    ("replace('a', 'a', null)", ""),
  ])
  func `trim removes outer whitespace, and replace changes every occurrence`(source: String, expected: String) throws {
    #expect(try evaluate(source, contexts) == .string(expected))
  }

  @Test(arguments: [
    ("split('a,b,,c', ',')", ["a", "b", "", "c"]), ("split('abc', ',')", ["abc"]), ("split('', ',')", [""]),
    ("split(',', ',')", ["", ""]), ("split('a => b => c', ' => ')", ["a", "b", "c"]),
    ("split('aXbxc', 'x')", ["aXb", "c"]),
    ("lines(text)", ["one", "two", "", " three "]), ("lines('')", []), ("lines('one')", ["one"]),
    ("lines(null)", []), ("split(mark, ',')", ["a", "e\u{301}", "b"]),
  ])
  func `split divides a string at a separator, and lines at line breaks`(source: String, expected: [String]) throws {
    #expect(try evaluate(source, contexts) == .array(expected.map { .string($0) }))
  }

  @Test(arguments: [
    ("first(text, 1)", "one"), ("first(text, 2)", "one\ntwo"), ("first(text, 0)", ""), ("first('', 3)", ""),
    ("last('a\nb\n', 1)", "b"), ("last('a\nb', 5)", "a\nb"), ("last('', 3)", ""), ("first('a\r\nb', 1)", "a"),
  ])
  func `first and last return lines from the beginning and end of a text`(source: String, expected: String) throws {
    #expect(try evaluate(source, contexts) == .string(expected))
  }

  @Test(arguments: [
    ("trim(list)", "trim() expects a string, found an array"),
    ("lines(map)", "lines() expects a string, found an object"),
    ("split('a', '')", "split() cannot search for an empty string"),
    ("replace('a', null, 'b')", "replace() cannot search for an empty string"),
    ("replace('a', 'a', list)", "replace() expects a string, found an array"),
  ])
  func `text functions report invalid arguments`(source: String, message: String) {
    #expect(
      failure(source, contexts)?.hasPrefix("evaluation \(message)") == true,
      "\(failure(source, contexts) ?? "no error")")
  }

  @Test func `text functions reject a wrong number of arguments`() {
    for source in ["trim()", "trim('a', 'b')", "split('a')", "replace('a', 'b')", "lines('a', 'b')"] {
      #expect(failure(source)?.hasPrefix("parsing") == true, "\(source)")
    }
  }

  @Test func `replace and split have the same results as a simple reference implementation`() throws {
    for seed in seeds(200) {
      var random = SeededGenerator(seed: seed)
      func text(_ longest: Int) -> String {
        String(
          (0..<Int.random(in: 0...longest, using: &random)).map { _ in "abé".randomElement(using: &random) ?? "a" })
      }
      let (whole, part, other) = (text(30), text(2), text(3))
      let contexts: ValueObject = ["w": .string(whole), "p": .string(part), "o": .string(other)]
      guard !part.isEmpty else { continue }
      let pieces = whole.split(separator: part, omittingEmptySubsequences: false).map { Value.string(String($0)) }
      #expect(try evaluate("split(w, p)", contexts) == .array(pieces), "seed \(seed)")
      #expect(
        try evaluate("replace(w, p, o)", contexts) == .string(whole.replacing(part, with: other)), "seed \(seed)")
      #expect(try evaluate("join(split(w, p), p)", contexts) == .string(whole), "seed \(seed)")
    }
  }

  @Test func `text functions fail only if their new values exceed the memory limit`() {
    let contexts: ValueObject = [
      "long": .string(String(repeating: "a", count: 400_000)),
      "part": .string(String(repeating: "a", count: 200_000) + "b"),
      "lines": .string(String(repeating: "\n", count: 200_000)),
    ]
    #expect(failure("split(long, part)", contexts) == nil)
    for source in ["replace(long, 'a', 'bbb')", "split(long, 'a')", "lines(lines)"] {
      #expect(failure(source, contexts)?.contains("memory") == true, "\(source)")
    }
    // Values that an expression only reads do not count toward the limit.
    let large: ValueObject = ["text": .string(String(repeating: "a ", count: 1 << 20))]
    #expect(failure("trim(text)", large) == nil)
  }

  @Test func `text functions are listed separately from GitHub's functions`() {
    #expect(FunctionPage.all.filter(\.isOwn).map(\.name) == ["trim", "split", "replace", "lines", "first", "last"])
    #expect(FunctionPage.all.filter(\.isOwn).allSatisfy { $0.text.contains("GitHub Actions does not have it") })
  }
}
