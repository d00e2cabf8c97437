import FlowDiagnostics
import FlowModel
import TestSupport
import Testing

@testable import FlowSyntax

/// Diagnostics that cannot be tested with text files in a folder, because they require invalid bytes or large files.
struct OtherDiagnosticTests {
  static let codes: [DiagnosticCode] = [
    .invalidUTF8, .fileTooLarge, .tooManySteps, .tooManyDiagnostics, .inputRejected, .inputDoubtful,
    .gateWaitsForFinally, .environmentFile, .subcommandName,
  ]

  private func rendered(_ bytes: [UInt8]) -> String {
    WorkflowLoader(catalog: TestCatalog.standard).load(bytes: bytes, file: "test.yaml").rendered()
  }

  @Test func `invalid UTF-8 is reported as an error with its location`() {
    #expect(
      rendered(Array("name: caf".utf8) + [0xE9] + Array("\n".utf8)) == """
        test.yaml:1:10: error: the byte 0xE9 is not valid UTF-8 [invalid-utf8]
           |
         1 | name: caf\u{FFFD}
           |          ^
           = help: save the file as UTF-8

        """)
  }

  @Test func `a file in UTF-16 is reported as UTF-16`() {
    #expect(rendered([0xFF, 0xFE, 0x6E, 0x00]).contains("the file seems to be UTF-16; save it as UTF-8"))
  }

  @Test func `a workflow file can have 64 MiB, but not one more byte`() {
    let head = Array("name: large\nsteps: { a: { uses: flow.noop } }\n#".utf8)
    let fitting = head + [UInt8](repeating: UInt8(ascii: "x"), count: Limits.fileBytes - head.count)
    #expect(rendered(fitting) == "")
    #expect(
      rendered(fitting + [0x0A]) == """
        test.yaml:1:1: error: the file has 67108865 bytes, more than the limit of 67108864 [file-too-large]
           |
         1 | name: large
           | ^
           = help: split the workflow, or generate fewer steps

        """)
  }

  @Test(.enabled(if: TestExtent.isFull), .timeLimit(.minutes(10)))
  func `a workflow can have a million steps, but no more`() {
    func steps(_ count: Int) -> [UInt8] {
      var bytes = Array("name: many\nsteps:\n".utf8)
      bytes.reserveCapacity(count * 26)
      for index in 0..<count { bytes += Array("  s\(index): {uses: flow.noop}\n".utf8) }
      return bytes
    }
    #expect(rendered(steps(Limits.steps)) == "")
    #expect(
      rendered(steps(Limits.steps + 1)) == """
        test.yaml:1000003:3: error: the workflow has more than 1000000 steps [too-many-steps]
                |
        1000003 |   s1000000: {uses: flow.noop}
                |   ^^^^^^^^
                = help: split it into several workflows

        """)
  }

  @Test func `at most a thousand problems are shown`() throws {
    var text = "name: many\nsteps:\n"
    for index in 0..<2_000 { text += "  s\(index): { uses: flow.nop }\n" }
    let result = load(text)
    #expect(result.diagnostics.count == Limits.diagnostics + 1)
    let last = try #require(result.diagnostics.last)
    #expect(
      DiagnosticRenderer(result.source).render(last) == """
        test.yaml:1002:17: warning: more than 999 problems; the others are not shown [too-many-diagnostics]
             |
        1002 |   s999: { uses: flow.nop }
             |                 ^^^^^^^^
             = help: fix these first

        """)
  }

  @Test func `a problem with a part of an input is shown at the location of that part`() {
    var catalog = TestCatalog.standard
    catalog.check = { action, input in
      guard action == "flow.set", case .object(let values)? = input["values"] else { return [] }
      return values["routes"] == nil
        ? []
        : [
          InputProblem(
            "values.routes[1].pattern", "the pattern '/user/:id' stands twice", help: "remove one",
            related: .init("values.routes[0].pattern", "the same pattern is declared here")),
          InputProblem("values.routes[2]", "this route is never reached", isWarning: true),
        ]
    }
    let result = load(
      """
      name: routes
      steps:
        routes:
          uses: flow.set
          with:
            values:
              routes:
                - pattern: /user/:id
                - pattern: /user/:id
                - pattern: /x
      """, catalog: catalog)
    #expect(
      result.rendered() == """
        test.yaml:9:22: error: the pattern '/user/:id' stands twice [input-rejected]
           |
         8 |           - pattern: /user/:id
           |                      --------- the same pattern is declared here
         9 |           - pattern: /user/:id
           |                      ^^^^^^^^^
           = help: remove one

        test.yaml:10:13: warning: this route is never reached [input-doubtful]
           |
        10 |           - pattern: /x
           |             ^^^^^^^^^^^

        """)
  }

  @Test func `each broken expression is reported at its own location, even if several have the same text`() {
    let steps = (0..<50).map { number in
      "  s\(number):\n    uses: flow.sleep\n    if: inputs.a ==\n    with: { for: \"${{ 'x }}\" }\n"
    }
    let result = load("name: test\ninputs: { a: { type: string } }\nsteps:\n" + steps.joined())
    let syntax = result.diagnostics.filter { $0.code == .expressionSyntax }
    #expect(syntax.count == 100)
    #expect(Set(syntax.map(\.span)).count == 100)
    #expect(Set(syntax.map(\.message)).count == 2)
  }
}
