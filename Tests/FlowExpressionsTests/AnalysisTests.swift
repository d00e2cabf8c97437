import FlowExpressions
import FlowModel
import Testing

struct AnalysisTests {
  private func references(_ source: String) throws -> [String] {
    try Expression(parsing: source).references.map {
      "\(([$0.name] + $0.path).joined(separator: "."))\($0.isWhole ? "" : "…")\($0.hasFallback ? " ||" : "")"
        + " \($0.offset)+\($0.length)"
    }
  }

  @Test(arguments: [
    ("steps.a.outputs.b", ["steps.a.outputs.b 0+17"]),
    ("STEPS['a'].Outputs", ["steps.a.Outputs 0+18"]),
    ("'é' && inputs", ["inputs 8+6"]),
    ("steps.a.outputs.list[0].x", ["steps.a.outputs.list… 0+20"]),
    ("steps[inputs.id].outputs", ["steps… 0+5", "inputs.id 6+9"]),
    ("steps.*.outcome", ["steps… 0+5"]),
    ("format('{0}', env.A, !env.B)", ["env.A 14+5", "env.B 22+5"]),
    ("steps.a.outputs.x || inputs.y", ["steps.a.outputs.x || 0+17", "inputs.y 21+8"]),
    ("(env.A && env.B || env.C) || env.D", ["env.A || 1+5", "env.B || 10+5", "env.C || 19+5", "env.D 29+5"]),
    ("format('{0}', env.A) || 'x'", ["env.A 14+5"]), ("env.A == env.B || 'x'", ["env.A 0+5", "env.B 9+5"]),
    ("env.A[0] || 'x'", ["env.A… || 0+5"]), ("fromJSON(env.A).b.c", ["env.A 9+5"]), ("success() && 1", []), ("", []),
  ])
  func `each reference includes the constant part of its path, its location and whether it has a fallback`(
    source: String, expected: [String]
  ) throws {
    #expect(try references(source) == expected)
  }

  private static let types: [String: ValueType] = [
    "inputs.text": .string, "inputs.count": .integer, "inputs.flag": .boolean, "inputs.for": .duration,
    "inputs.words": .array(of: .string), "inputs.place": .object(properties: [FieldDeclaration("x", .number)]),
    "inputs.color": .enumeration(["red", "blue"], of: .string),
  ]

  @Test(
    arguments: [
      ("inputs.text", .string, true), ("inputs.text", .integer, false), ("inputs.count", .number, true),
      ("inputs.count", .string, false), ("'5s'", .duration, true), ("'5'", .duration, false), ("12", .integer, true),
      ("1.5", .integer, false), ("inputs.flag && '2s' || '0s'", .duration, true),
      ("inputs.flag && '2s' || '0'", .duration, false), ("inputs.flag && 'x'", .string, false),
      ("inputs.text || 'x'", .string, true), ("inputs.text && 1", .string, false), ("inputs.words", .string, false),
      ("inputs.words[0]", .string, true), ("inputs.words[0]", .boolean, false),
      ("inputs.words.*", .array(of: .any), true),
      ("inputs.place['x']", .number, true), ("format('{0}', inputs.count)", .integer, false),
      ("inputs.count == 1", .boolean, true), ("inputs.count > 1", .string, false), ("fromJSON('1')", .boolean, true),
      ("case(inputs.flag, 'red', 'blue')", .enumeration(["red", "blue"], of: .string), true),
      ("case(inputs.flag, 'red', 'green')", .enumeration(["red", "blue"], of: .string), false),
      ("inputs.color", .string, true), ("inputs.color", .enumeration(["green"], of: .string), false),
      ("inputs.unknown", .boolean, true), ("null", .integer, true), ("toJSON(inputs.place)", .string, true),
      ("inputs.for", .path(base: .data), true), ("'x' || inputs.count", .string, true),
      ("inputs.words || 'x'", .string, false),
      ("!inputs.text", .boolean, true), ("contains(inputs.words, 'a')", .number, false),
    ] as [(String, ValueType, Bool)])
  func `an expression is checked against a type before evaluation`(source: String, type: ValueType, fits: Bool) throws {
    let mismatch = try Expression(parsing: source).mismatch(with: type) {
      Self.types[([$0.name] + $0.path).joined(separator: ".")]
    }
    #expect((mismatch == nil) == fits, "\(String(describing: mismatch))")
  }

  @Test func `a type mismatch describes the expected type and the found value`() throws {
    let mismatch = try Expression(parsing: "inputs.flag && 'soon' || '5s'").mismatch(with: .duration) { _ in .boolean }
    #expect(mismatch?.description == "expected a duration such as 250ms or 1m30s, found \"soon\"")
  }
}
