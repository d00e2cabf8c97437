import RouterCore
import Testing

struct RoutePatternTests {
  @Test func `reads every kind of segment`() throws {
    let pattern = try RoutePattern("app://shop/:id<int>/*/:kind<enum(new,used)>/caf%C3%A9/**")
    #expect(pattern.scheme == "app")
    #expect(
      pattern.segments == [
        .literal("shop"), .parameter(name: "id", type: .integer, isOptional: false), .any,
        .parameter(name: "kind", type: .enumeration(["new", "used"]), isOptional: false), .literal("café"), .rest,
      ])
    #expect(pattern.firstLiteral == "shop")
  }

  @Test func `parses the host of a pattern and ignores a leading slash`() throws {
    #expect(try RoutePattern("https://*.Example.com/a").host == HostPattern("*.example.com"))
    #expect(try RoutePattern("https://*.Example.com/a").segments == [.literal("a")])
    #expect(try RoutePattern("/a/:b?").segments == RoutePattern("a/:b?").segments)
    #expect(try RoutePattern("app://").segments.isEmpty)
  }

  @Test(
    arguments: [
      ("", 0, "a pattern is empty", "write 'app://page/:id'"),
      ("a//b", 2, "a pattern has an empty segment", "remove the extra '/'"),
      ("a/:b?/c", 4, "only the last segment may be optional", "remove the '?'"),
      ("a/**/b/**", 7, "'**' may appear only once in a pattern", "use '*'"),
      ("a/***", 2, "'*' and '**' fill a whole segment", "use ':name' and check it there"),
      ("a/*.jpg", 2, "'*' and '**' fill a whole segment", "use ':name' and check it there"),
      ("a/:b<itn>", 5, "'itn' is not a type", "did you mean 'int'?"),
      (
        "a/:b<enum()>", 5, "the words of an enum are 1 to 64 texts of letters, digits, '.', '_' and '-'",
        "write 'enum(new,used)'"
      ),
      ("a/:b/:b", 5, "the name ':b' appears twice", nil),
      ("a/:b<enum(x,x)>", 5, "a word of the enum comes twice", nil),
      ("a/:", 3, "a parameter's name is up to 64 letters, digits, '_' and '-', not beginning with a digit", nil),
      ("a/:1", 3, "a parameter's name is up to 64 letters, digits, '_' and '-', not beginning with a digit", nil),
      ("a/:b<int", 4, "a parameter fills a whole segment: ':name', ':name<type>' or ':name?'", nil),
      ("a/b:c", 3, "a parameter or a wildcard fills a whole segment", nil),
      ("a?b=c", 1, "a pattern has neither query nor fragment", "query items reach the page without being declared"),
      ("a/..", 2, "'.' and '..' are not allowed in a link", nil),
      ("a/%zz", 2, "'%' must be followed by two hexadecimal digits", nil),
      ("a/%ff", 2, "a literal must be UTF-8 without control characters", nil),
      ("u@h/a", 1, "'@' is not allowed in a link", nil),
      ("a/**/:b?", 5, "an optional segment cannot follow '**'", "remove the '?'"),
      ("https:///a", 8, "'' is not a host", "write 'https://example.com/page'"),
      ("1a://b", 0, "'1a' is not a scheme", "begin with 'app://' or without a scheme"),
    ] as [(String, Int, String, String?)])
  func `reports the position of an error in a pattern, and how to correct it`(
    text: String, offset: Int, message: String, help: String?
  ) {
    let error = #expect(throws: RoutePatternError.self) { try RoutePattern(text) }
    #expect(error?.offset == offset)
    #expect(error?.message == message)
    #expect(error?.help == help)
  }

  @Test func `accepts at most 64 segments, 64 words in a list and 64 letters in a name`() throws {
    let name = String(repeating: "n", count: 64)
    #expect(throws: Never.self) { try RoutePattern(":" + name) }
    #expect(throws: RoutePatternError.self) { try RoutePattern(":n" + name) }
    let segments = Array(repeating: "a", count: 64).joined(separator: "/")
    #expect(throws: Never.self) { try RoutePattern(segments) }
    #expect(throws: RoutePatternError.self) { try RoutePattern(segments + "/a") }
    let words = (1...64).map { "w\($0)" }.joined(separator: ",")
    #expect(throws: Never.self) { try RoutePattern(":n<enum(\(words))>") }
    #expect(throws: RoutePatternError.self) { try RoutePattern(":n<enum(\(words),w)>") }
  }
}
