import Testing

@testable import FlowBuild

struct SwiftNamesTests {
  @Test(arguments: [
    ("map.first-use", "mapFirstUse"), ("a/b_c", "aB_c"), ("default", "`default`"), ("2x", "_2x"), ("x-2", "x2"),
    ("", "empty"), ("Ready", "Ready"), ("?", "empty"),
  ])
  func `the names in a workflow are converted to Swift names`(_ name: String, _ expected: String) {
    #expect(SwiftNames.member(name) == expected)
  }

  @Test func `names in a workflow that would collide in Swift keep their separators or get a number`() {
    #expect(SwiftNames.members(["a-b", "c", "a.b"]) == ["a_b", "c", "a_b_2"])
    #expect(SwiftNames.members(["a-1b", "a1b"]) == ["a_1b", "a1b"])
    #expect(SwiftNames.members(["in", "for"]) == ["`in`", "`for`"])
    #expect(SwiftNames.types(["a-1", "a1"]) == ["A_1", "A1"])
  }

  @Test func `a name in a workflow that is reserved in Swift gets an underscore`() {
    #expect(SwiftNames.members(["init", "self"]) == ["init_", "self_"])
    #expect(SwiftNames.types(["type", "self"]) == ["Type_", "Self_"])
    #expect(SwiftNames.members(["values", "value"], besides: ["values"]) == ["values_", "value"])
  }

  @Test func `a Swift literal escapes quotes, backslashes and control characters`() {
    #expect(SwiftText.literal("a\"b\\c\nd\u{7}\\(x)") == #""a\"b\\c\nd\u{7}\\(x)""#)
  }
}
