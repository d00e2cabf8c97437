import FlowDiagnostics
import Testing

struct RenderingTests {
  /// Returns the text of a diagnostic at the first occurrence of `part`.
  private func render(
    _ text: String, at part: String, related: [(String, String)] = [], help: String? = nil, color: Bool = false
  ) -> String {
    let source = SourceText(text, file: "test.yaml")
    let diagnostic = Diagnostic(
      .unknownStep, "it is wrong", at: span(of: part, in: text),
      related: related.map { .init(span(of: $0.0, in: text), $0.1) }, help: help)
    return DiagnosticRenderer(source, usesColor: color).render(diagnostic)
  }

  private func span(of part: String, in text: String) -> TextSpan {
    let bytes = Array(text.utf8)
    let wanted = Array(part.utf8)
    let start = bytes.indices.first { bytes[$0...].starts(with: wanted) }!
    return TextSpan(start, start + wanted.count)
  }

  @Test func `a diagnostic shows the line, the carets, the related location and the help`() {
    let text = "name: x\nsteps:\n  fetch:\n    uses: a.b\n  publish:\n    needs: [fetchh, transform]\n"
    #expect(
      render(text, at: "fetchh", related: [("fetch", "'fetch' is defined here")], help: "did you mean 'fetch'?") == """
        test.yaml:6:13: error: it is wrong [unknown-step]
           |
         3 |   fetch:
           |   ----- 'fetch' is defined here
           ⋮
         6 |     needs: [fetchh, transform]
           |             ^^^^^^
           = help: did you mean 'fetch'?

        """)
  }

  @Test func `a tab advances to the next multiple of four columns`() {
    #expect(
      render("a:\tb\t# c", at: "# c") == """
        test.yaml:1:6: error: it is wrong [unknown-step]
           |
         1 | a:  b   # c
           |         ^^^

        """)
  }

  @Test func `wide characters occupy two columns, and combining characters occupy none`() {
    #expect(
      render("名: e\u{301} 🎉 x", at: "x") == """
        test.yaml:1:9: error: it is wrong [unknown-step]
           |
         1 | 名: e\u{301} 🎉 x
           |          ^

        """)
  }

  @Test func `a line that ends with CRLF is shown without its line break`() {
    #expect(
      render("a: 1\r\nb: 2\r\nc: 3\r\n", at: "2") == """
        test.yaml:2:4: error: it is wrong [unknown-step]
           |
         2 | b: 2
           |    ^

        """)
  }

  @Test func `an error at the end of the file is marked on the empty last line`() {
    let source = SourceText("a: 1\n", file: "test.yaml")
    let diagnostic = Diagnostic(.yamlSyntax, "something is missing", at: TextSpan(at: 5))
    #expect(
      DiagnosticRenderer(source).render(diagnostic) == """
        test.yaml:2:1: error: something is missing [yaml-syntax]
           |
         2 |
           | ^

        """)
  }

  @Test func `only the part of a long line around the location is shown`() {
    let text = String(repeating: "a", count: 5_000) + "WRONG" + String(repeating: "b", count: 5_000)
    let lines = render(text, at: "WRONG").split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0] == "test.yaml:1:5001: error: it is wrong [unknown-step]")
    #expect(lines[2].count <= 170)
    #expect(lines[2].contains("…aaa") && lines[2].contains("aWRONGb") && lines[2].hasSuffix("b…"))
    let column = lines[2].range(of: "WRONG")!.lowerBound
    #expect(
      lines[3].distance(from: lines[3].startIndex, to: lines[3].range(of: "^^^^^")!.lowerBound)
        == lines[2].distance(from: lines[2].startIndex, to: column))
  }

  @Test func `only the first line of a span that covers several lines is marked`() {
    #expect(
      render("a: [1,\n  2]\n", at: "[1,\n  2]") == """
        test.yaml:1:4: error: it is wrong [unknown-step]
           |
         1 | a: [1,
           |    ^^^

        """)
  }

  @Test func `characters that move the cursor or change the reading direction are shown as symbols or escapes`() {
    #expect(
      render("a: \u{1B}[31m\u{202E}x", at: "x") == """
        test.yaml:1:10: error: it is wrong [unknown-step]
           |
         1 | a: ␛[31m\\u{202E}x
           |                 ^

        """)
  }

  @Test func `diagnostics have colors only on request`() {
    #expect(!render("a: 1", at: "1").contains("\u{1B}"))
    let colored = render("a: 1", at: "1", help: "write 2", color: true)
    #expect(colored.contains("\u{1B}[1;31merror: \u{1B}[0m"))
    #expect(colored.contains("\u{1B}[1;31m^\u{1B}[0m"))
  }
}

extension StringProtocol {
  fileprivate func range(of part: String) -> Range<Index>? { firstRange(of: part) }
}
