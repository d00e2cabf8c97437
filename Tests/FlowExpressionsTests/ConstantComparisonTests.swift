import FlowModel
import Testing

@testable import FlowExpressions

/// Comparisons that have the same result in every run.
struct `A comparison` {
  private static let types: [String: ValueType] = [
    "fast": .boolean, "level": .enumeration(["low", "high"], of: .string), "count": .integer, "name": .string,
    "list": .array(of: .string), "size": .enumeration([1, 2], of: .integer),
  ]

  private func constants(_ text: String) throws -> [ConstantComparison] {
    try Expression(parsing: text).constantComparisons { $0.path.first.flatMap { Self.types[$0] } }
  }

  @Test(
    arguments: [
      ("inputs.fast == 'true'", false), ("'False' == inputs.fast", false), ("inputs.fast != 'true'", true),
      ("inputs.level == 'hgih'", false), ("inputs.level != 'medium'", true), ("success() == 'ok'", false),
      ("inputs.count == 'ok'", false), ("inputs.list == 'a'", false), ("inputs.size == 3", false),
      ("inputs.fast == 2", false),
    ])
  func `a comparison that always has the same result is reported`(text: String, result: Bool) throws {
    let found = try constants(text)
    #expect(found.count == 1 && found.first?.result == result, "\(text): \(found)")
    #expect(found.first?.offset == 0 && found.first?.length == text.utf8.count)
  }

  @Test(
    arguments: [
      "inputs.fast == true", "inputs.fast == 1", "inputs.fast == '1'", "inputs.fast == ''", "inputs.level == 'HIGH'",
      "inputs.level == ''", "inputs.level == inputs.name", "inputs.level == inputs.fast", "inputs.count == '3'",
      "inputs.count == ' 3 '",
      "inputs.count == 0", "inputs.name == 'x'", "inputs.name == true", "inputs.unknown == 'x'", "inputs.size == '2'",
      "inputs.level < 'x'", "inputs.fast == (inputs.count == 3)", "(inputs.level || 'other') == 'other'", "'a' == 'b'",
    ])
  func `a varying comparison is not reported`(text: String) throws { #expect(try constants(text).isEmpty, "\(text)") }

  @Test func `a comparison is found inside a longer expression`() throws {
    let text = "success() && contains('a', inputs.level == 'x')"
    let found = try constants(text)
    #expect(found.map(\.side) == ["inputs.level"] && found.map(\.value) == ["x"])
    #expect(found.first.map { String(text.dropFirst($0.offset).prefix($0.length)) } == "inputs.level == 'x'")
  }

  @Test func `a key that is computed from an input finds a member of env`() throws {
    struct Variables: ExpressionContext {
      func value(named name: String) -> Value? { name == "inputs" ? ["which": "B"] : [:] }
      func member(_ key: String, of name: String) -> ContextMember {
        name == "env" ? (key == "B" ? .value("found") : .missing) : .inWhole
      }
      func status(_ function: StatusFunction) -> Bool { true }
    }
    #expect(try Expression(parsing: "env[inputs.which]").evaluate(in: Variables()) == "found")
    #expect(try Expression(parsing: "env['A']").evaluate(in: Variables()) == .null)
  }
}
