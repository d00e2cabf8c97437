import FlowModel
import FlowTestKit
import Testing

@testable import FlowExpressions

/// Expressions that read outputs of which flowrun keeps only the beginning and the end.
struct `A truncated output` {
  private static let half = (1...200).map { "line \($0)\n" }.joined()
  private static let cut = half + LeftOut.line(bytes: 5000) + half

  private let contexts: ValueObject = [
    "steps": [
      "list": ["outputs": ["stdout": .string(cut), "status": 0, "stderr": "short"]],
      "fan": ["outputs": ["stdout": ["a", .string(cut)]]],
    ],
    "inputs": ["text": .string(cut)],
    "launch": ["options": ["text": .string(cut)]],
  ]

  @Test(arguments: [
    "steps.list.outputs.stdout", "lines(steps.list.outputs.stdout)", "contains(steps.list.outputs.stdout, 'ERROR')",
    "steps.list.outputs.stdout == 'a'", "steps.list.outputs.stdout && 'a'", "steps['list'].outputs['stdout']",
    "steps.list.outputs", "toJSON(steps.list.outputs)", "toJSON(steps)", "steps.*.outputs.stdout",
    "steps.fan.outputs.stdout[1]", "join(steps.fan.outputs.stdout, ',')", "first(trim(steps.list.outputs.stdout), 1)",
    "first(steps.list.outputs.stdout, 200)", "last(steps.list.outputs.stdout, 200)", "inputs.text",
  ])
  func `an expression that reads a truncated output fails`(source: String) {
    #expect(failure(source, contexts)?.hasPrefix("output-too-large") == true, "\(failure(source, contexts) ?? "none")")
  }

  @Test(
    arguments: [
      ("steps.list.outputs.status", 0), ("steps.list.outputs.stderr", "short"), ("steps.fan.outputs.stdout[0]", "a"),
      ("false && steps.list.outputs.stdout", false), ("first(steps.list.outputs.stdout, 2)", "line 1\nline 2"),
      ("last(steps.list.outputs.stdout, 2)", "line 199\nline 200"), ("first(steps.list.outputs.stdout, 0)", ""),
    ] as [(String, Value)])
  func `an expression succeeds if it reads only intact lines or other outputs`(source: String, expected: Value) throws {
    #expect(try evaluate(source, contexts) == expected)
  }

  @Test func `the error for a truncated output states the step, the size and the remedy`() {
    let message = failure("steps.list.outputs.stdout", contexts) ?? ""
    let whole = 2 * Self.half.utf8.count + 5000
    #expect(message.contains("steps.list.outputs.stdout is cut: step 'list' wrote \(whole) bytes"), "\(message)")
    #expect(message.contains("output-limit") && message.contains("FLOWRUN_OUTPUT"), "\(message)")
  }

  @Test func `a truncated output is recognized only by a line in its middle`() throws {
    let line = LeftOut.line(bytes: 12)
    for text in [line, line + Self.half + Self.half, Self.half + Self.half + line, Self.half + "x" + line + Self.half] {
      #expect(LeftOut.cut(in: text) == nil)
    }
    #expect(LeftOut.cut(in: Self.cut)?.wholeBytes == 2 * Self.half.utf8.count + 5000)
  }
}
