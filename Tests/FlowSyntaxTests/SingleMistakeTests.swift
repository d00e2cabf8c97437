import FlowDiagnostics
import FlowModel
import Testing

@testable import FlowSyntax

/// One mistake gives one error: every line of a sound workflow is broken in every usual way.
@Suite struct `A single mistake` {
  private static let lines = """
    name: nightly
    description: Builds and publishes
    deadline: { min: 1s, max: 20s }
    inputs:
      region:
        type: string
        default: eu
      retries: { type: integer, default: 3 }
    steps:
      fetch:
        uses: flow.set
        with:
          values:
            count: 3
            url: "https://example.org/a?b=c"
      transform:
        uses: flow.log
        needs: fetch
        with:
          message: "got ${{ steps.fetch.outputs.count }} from ${{ inputs.region }}"
        retry:
          attempts: 3
          delay: 100ms
      open:
        uses: storage.open
        needs: transform
        with: { path: a.sqlite }
      publish:
        uses: flow.log
        needs: [fetch, transform]
        if: ${{ steps.fetch.outputs.count > 2 }}
        with: { message: 'done: all', level: info }
      read:
        uses: storage.trips
        needs: open
      clean-up:
        uses: flow.noop
        needs:
          - publish
          - fetch
        defer: true
    outputs:
      count: ${{ steps.fetch.outputs.count }}
    """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)

  private static let catalog = TestCatalog(
    declarations: TestCatalog.standard.declarations + [
      ActionDeclaration(
        name: "flow.log", summary: "Logs",
        inputs: [FieldDeclaration("message", .string), FieldDeclaration("level", .string, isRequired: false)]),
      ActionDeclaration(name: "storage.trips", summary: "Reads", requires: ["database"]),
    ])

  /// How a line, or the block that it begins, is broken.
  private enum Slip: String, CaseIterable {
    case noColon, noSpaceBehindColon, noQuote, noBracket, tabbedLine, tabbedBlock
    case lineOneIn, lineTwoIn, lineOneOut, lineTwoOut, blockOneIn, blockTwoIn, blockOneOut, blockTwoOut

    var shift: (columns: Int, isBlock: Bool)? {
      switch self {
      case .lineOneIn: (1, false)
      case .lineTwoIn: (2, false)
      case .lineOneOut: (-1, false)
      case .lineTwoOut: (-2, false)
      case .blockOneIn: (1, true)
      case .blockTwoIn: (2, true)
      case .blockOneOut: (-1, true)
      case .blockTwoOut: (-2, true)
      default: nil
      }
    }
  }

  private static func indentation(_ line: String) -> Int { line.prefix { $0 == " " }.count }

  private static func tabbed(_ line: String) -> String {
    String(repeating: "\t", count: indentation(line) / 2) + line.drop { $0 == " " }
  }

  /// The text with one slip at one line; nil where the line cannot be broken that way.
  private static func broken(_ number: Int, _ slip: Slip) -> String? {
    var lines = lines
    let line = lines[number]
    var end = number + 1
    while end < lines.count, indentation(lines[end]) > indentation(line) { end += 1 }
    func without(_ characters: String) -> String? {
      line.lastIndex { characters.contains($0) }.map { String(line[..<$0] + line[line.index(after: $0)...]) }
    }
    switch slip {
    case .noColon: lines[number].remove(at: line.firstIndex(of: ":") ?? line.endIndex)
    case .noSpaceBehindColon:
      guard let place = line.firstRange(of: ": ") else { return nil }
      lines[number].replaceSubrange(place, with: ":")
    case .noQuote:
      guard let cut = without("\"'") else { return nil }
      lines[number] = cut
    case .noBracket:
      guard let cut = without("[]{}") else { return nil }
      lines[number] = cut
    case .tabbedLine, .tabbedBlock:
      guard indentation(line) > 0 else { return nil }
      for index in number..<(slip == .tabbedLine ? number + 1 : end) { lines[index] = tabbed(lines[index]) }
    default:
      guard let (columns, isBlock) = slip.shift, indentation(line) + columns >= 0 else { return nil }
      if isBlock, end == number + 1 { return nil }
      for index in number..<(isBlock ? end : number + 1) {
        lines[index] =
          String(repeating: " ", count: indentation(lines[index]) + columns) + lines[index].drop { $0 == " " }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test func `gives one error, or none where the workflow still makes sense`() {
    let loader = WorkflowLoader(catalog: Self.catalog)
    #expect(
      loader.load(bytes: Array((Self.lines.joined(separator: "\n") + "\n").utf8), file: "sound.yaml").graph != nil)
    var tried = 0
    for number in Self.lines.indices {
      for slip in Slip.allCases {
        guard slip != .noColon || Self.lines[number].contains(":"), let text = Self.broken(number, slip) else {
          continue
        }
        tried += 1
        let result = loader.load(bytes: Array(text.utf8), file: "\(slip.rawValue)-\(number + 1).yaml")
        #expect(result.diagnostics.count(where: \.isError) <= 1, "\(result.rendered())")
      }
    }
    #expect(tried > 300)
  }

  @Test(arguments: [10, 16, 24]) func `of a step moved into another says so once`(line: Int) throws {
    let result = WorkflowLoader(catalog: Self.catalog).load(
      bytes: Array(try #require(Self.broken(line - 1, .blockTwoOut)).utf8), file: "moved.yaml")
    #expect(result.diagnostics.count(where: \.isError) == 1)
  }
}

@Suite struct `Several mistakes` {
  @Test func `two cycles apart from one another are both told`() {
    let text = """
      name: cycles
      steps:
        a: { uses: flow.noop, needs: b }
        b: { uses: flow.noop, needs: a }
        c: { uses: flow.noop, needs: [d, a] }
        d: { uses: flow.noop, needs: e }
        e: { uses: flow.noop, needs: c }
        f: { uses: flow.noop, needs: f }
      """
    let result = WorkflowLoader(catalog: TestCatalog.standard).load(bytes: Array(text.utf8), file: "cycles.yaml")
    #expect(
      result.diagnostics.map(\.message) == [
        "these steps need one another: a → b → a", "these steps need one another: c → d → e → c",
        "step 'f' needs itself",
      ])
  }

  @Test func `the search for cycles ends soon in a file of many`() {
    var text = "name: cycles\nsteps:\n"
    for number in 0..<20_000 {
      text +=
        "  a\(number): { uses: flow.noop, needs: b\(number) }\n  b\(number): { uses: flow.noop, needs: a\(number) }\n"
    }
    let start = ContinuousClock.now
    let result = WorkflowLoader(catalog: TestCatalog.standard).load(bytes: Array(text.utf8), file: "cycles.yaml")
    #expect(result.diagnostics.count > 1)
    #expect(ContinuousClock.now - start < .seconds(30))
  }
}

@Suite struct `A byte-order mark` {
  @Test func `before a workflow changes nothing, and takes no column`() {
    let loader = WorkflowLoader(catalog: TestCatalog.standard)
    let mark = "\u{FEFF}"
    let text = "name: marked\nsteps:\n  a: { uses: flow.noop }\n  b: { uses: flow.noop, needs: a }\n"
    #expect(loader.load(bytes: Array((mark + text).utf8), file: "a.yaml").graph?.workflow.steps.count == 2)
    for broken in [
      "name: 5\nsteps:\n  a: { uses: flow.nop }\n", "name: \"é\nsteps: x\n", "na me\nsteps:\n  A: 1\n", "name: \u{1}\n",
    ] {
      let without = loader.load(bytes: Array(broken.utf8), file: "a.yaml").rendered()
      #expect(loader.load(bytes: Array((mark + broken).utf8), file: "a.yaml").rendered() == without)
    }
  }
}
