import FlowModel
import FlowSyntax
import Testing

@testable import FlowLanguageServer

@Suite(.timeLimit(.minutes(10))) struct AnswerTests {
  private static let text = """
    name: shop
    inputs:
      city: { type: string, default: Bern }
    events: [paid]
    deadline: { max: 2s }
    queues:
      disk: { qos: utility }
    steps:
      fetch:
        uses: storage.open
        with: { path: a.sqlite }
      publish:
        uses: flow.log
        needs: [fetch]
        after: paid
        with: { message: "${{ steps.fetch.outputs.path }} in ${{ inputs.city }}" }
        queue: disk
      last: { uses: flow.noop, needs: publish, if: "steps.fetch.outputs.created" }

    """

  private func marked(_ wanted: String, _ replacement: String) -> String {
    Self.text.replacing(wanted, with: replacement, maxReplacements: 1)
  }

  // MARK: Diagnostics

  @Test func `the language server publishes diagnostics with related locations, and removes them after a fix`() throws {
    let client = try TestClient()
    try client.open("name: a\nsteps:\n  fetch: { uses: flow.noop }\n  b: { uses: flow.noop, needs: fetchh }\n")
    let notice = try client.notice("textDocument/publishDiagnostics")
    let item = try #require(notice["diagnostics"]?.arrayValue?.first?.objectValue)
    #expect(item["code"] == "unknown-step")
    #expect(item["severity"] == 1)
    #expect(item["message"]?.stringValue?.contains("did you mean 'fetch'?") == true)
    #expect(
      item["range"] == ["start": ["line": 3, "character": 31], "end": ["line": 3, "character": 37]])
    #expect(item["relatedInformation"]?.arrayValue?.count == 1)
    try client.notify(
      "textDocument/didChange",
      [
        "textDocument": ["uri": .string(TestClient.uri), "version": 2],
        "contentChanges": [
          ["range": ["start": ["line": 3, "character": 36], "end": ["line": 3, "character": 37]], "text": ""]
        ],
      ])
    let after = try client.notice("textDocument/publishDiagnostics")
    #expect(after["version"] == 2)
    #expect(after["diagnostics"] == [])
    try client.quit()
  }

  @Test func `the language server returns diagnostics on request, or reports that they have not changed`() throws {
    let client = try TestClient()
    try client.open("name: a\n")
    let document: Value = ["textDocument": ["uri": .string(TestClient.uri)]]
    let report = try client.request("textDocument/diagnostic", document).objectValue
    #expect(report?["kind"] == "full")
    #expect(report?["items"]?.arrayValue?.first?.objectValue?["code"] == "missing-key")
    let again = try client.request(
      "textDocument/diagnostic",
      ["textDocument": ["uri": .string(TestClient.uri)], "previousResultId": report?["resultId"] ?? .null])
    #expect(again.objectValue?["kind"] == "unchanged")
    try client.quit()
  }

  @Test func `positions in a file count columns in UTF-16, or in UTF-8 if the client offers it`() throws {
    for (capabilities, column) in [([:], 21), (["general": ["positionEncodings": ["utf-8", "utf-16"]]], 23)]
      as [(Value, Int)]
    {
      let client = try TestClient(capabilities: capabilities)
      try client.open("name: a\nsteps: {}\nevents: [ok, \"😀x\", ok]\n")
      let items = try client.notice("textDocument/publishDiagnostics")["diagnostics"]?.arrayValue ?? []
      let twice = items.first { $0.objectValue?["code"] == "duplicate-key" }?.objectValue?["range"]?.objectValue
      #expect(twice?["start"]?.objectValue?["character"] == .integer(column - 1))
      try client.quit()
    }
  }

  // MARK: Completion

  @Test func `completion proposes the keys that are missing at the location, required ones first`() throws {
    let client = try TestClient()
    let root = try client.labels(at: "¦\n")
    #expect(root.prefix(2) == ["name", "steps"])
    #expect(root.contains("queues"))
    let step = try client.labels(at: marked("    queue: disk", "    re¦\n    queue: disk"))
    #expect(step.contains("retry"))
    #expect(!step.contains("uses") && !step.contains("queue"))
    #expect(try client.labels(at: marked("{ max: 2s }", "{ max: 2s, ¦ }")) == ["min"])
    #expect(try client.labels(at: marked("{ qos: utility }", "{ qos: utility, w¦ }")) == ["width"])
    try client.quit()
  }

  @Test func `completion proposes actions, inputs and their values, queues and units`() throws {
    let client = try TestClient()
    #expect(try client.labels(at: marked("uses: flow.log", "uses: flow.¦")).contains("flow.sleep"))
    #expect(try client.labels(at: marked("path: a.sqlite", "path: a.sqlite, ¦")) == ["mode", "quick"])
    #expect(try client.labels(at: marked("{ path: a.sqlite }", "{ ¦ }")).first == "path")
    #expect(try client.labels(at: marked("path: a.sqlite", "path: a, mode: ¦")) == ["create", "open"])
    #expect(try client.labels(at: marked("path: a.sqlite", "path: a, quick: ¦")) == ["true", "false"])
    #expect(try client.labels(at: marked("queue: disk", "queue: ¦")).suffix(1) == ["disk"])
    #expect(try client.labels(at: marked("max: 2s", "max: 2¦")) == ["2ms", "2s", "2m", "2h"])
    #expect(try client.labels(at: marked("queue: disk", "blocking: ¦")) == ["true", "false"])
    try client.quit()
  }

  @Test func `completion proposes events, and dependencies that do not form a cycle`() throws {
    let client = try TestClient()
    #expect(try client.labels(at: marked("needs: [fetch]", "needs: [fetch, ¦]")) == [])
    #expect(try client.labels(at: marked("needs: publish", "needs: ¦")) == ["fetch", "publish"])
    #expect(try client.labels(at: marked("with: { path: a.sqlite }", "needs: ¦")) == [])
    let events = try client.labels(at: marked("after: paid", "after: p¦"))
    #expect(events.contains("paid") && events.contains("ui.ready"))
    try client.quit()
  }

  @Test func `completion returns at most 250 proposals, those that start with the typed text first`() throws {
    let client = try TestClient()
    let steps = (0..<600).map { "  \($0 % 2 == 0 ? "" : "un")packed-\($0): { uses: flow.noop }\n" }.joined()
    let text = "name: many\nsteps:\n\(steps)  last:\n    uses: flow.noop\n    needs: "
    let all = try client.labels(at: text + "[packed-¦]\n")
    #expect(all.count == 250)
    #expect(all.allSatisfy { $0.hasPrefix("packed-") })
    let some = try client.labels(at: text + "[packed-59¦]\n")
    #expect(
      some == ["packed-590", "packed-592", "packed-594", "packed-596", "packed-598"]
        + [59, 591, 593, 595, 597, 599].map { "unpacked-\($0)" })
    let answer = try client.ask("textDocument/completion", at: text + "[packed-¦]\n")
    #expect(answer.objectValue?["isIncomplete"] == true)
    try client.quit()
  }

  @Test func `completion proposes values that an expression can read`() throws {
    let client = try TestClient()
    let names = try client.labels(at: marked("${{ inputs.city }}", "${{ ¦ }}"))
    #expect(names.contains("inputs") && names.contains("startsWith"))
    #expect(!names.contains("gate") && !names.contains("always"))
    #expect(try client.labels(at: marked("${{ inputs.city }}", "${{ inputs.¦ }}")) == ["city"])
    #expect(try client.labels(at: marked("${{ inputs.city }}", "${{ steps.¦")) == ["fetch"])
    #expect(try client.labels(at: marked("steps.fetch.outputs.path", "steps.fetch.outputs.¦")) == ["path", "created"])
    #expect(
      try client.labels(at: marked("steps.fetch.outputs.path", "steps.fetch.¦")) == [
        "outputs", "outcome", "conclusion", "products",
      ])
    let condition = try client.labels(at: marked("\"steps.fetch.outputs.created\"", "\"launch.¦"))
    #expect(condition == ["reason", "options", "first"])
    #expect(try client.labels(at: marked("\"steps.fetch.outputs.created\"", "\"a¦\"")).contains("always"))
    try client.quit()
  }

  @Test func `completion works in a file that is invalid elsewhere`() throws {
    let client = try TestClient()
    let text = Self.text + "  broken: { uses: [flow.noop\n  other:\n    uses: flow.noop\n    needs: ¦\n"
    #expect(try client.labels(at: text).contains("publish"))
    try client.quit()
  }

  @Test func `completion returns a snippet, or plain text if the client does not support snippets`() throws {
    for (capabilities, wanted) in [
      (["textDocument": ["completion": ["completionItem": ["snippetSupport": true]]]], "mode: ${1|create,open|}"),
      ([:], "mode: create"),
    ] as [(Value, String)] {
      let client = try TestClient(capabilities: capabilities)
      let answer = try client.ask("textDocument/completion", at: marked("path: a.sqlite", "path: a.sqlite, ¦"))
      let item = answer.objectValue?["items"]?.arrayValue?.first?.objectValue
      #expect(item?["textEdit"]?.objectValue?["newText"] == .string(wanted))
      try client.quit()
    }
  }

  @Test func `hover shows the durations of a step in recorded runs`() throws {
    let client = try TestClient(
      LanguageWorkspace(
        version: "1", install: { _ in InstalledActions(catalog: TestClient.Catalog.standard) },
        history: { _, step in
          StepHistory(step == "fetch" ? (1...40).map { .microseconds(1100 * $0) } : step == "last" ? [.seconds(2)] : [])
        }))
    let fetch = try hover(client, marked("  fetch:", "  fe¦tch:"))
    #expect(fetch.contains("- took 22ms in the median of 40 runs, 41.8ms at P95\n"), "\(fetch)")
    #expect(try hover(client, marked("last:", "la¦st:")).contains("took 2s in the median of 1 run, 2s at P95"))
    #expect(try !hover(client, marked("publish:", "pub¦lish:")).contains("took"))
    try client.quit()
  }

  private func hover(_ client: TestClient, _ marked: String) throws -> String {
    try client.ask("textDocument/hover", at: marked).objectValue?["contents"]?.objectValue?["value"]?.stringValue ?? ""
  }

  @Test func `hover describes actions, keys, inputs, steps, events, expressions and functions`() throws {
    let client = try TestClient()
    #expect(try hover(client, marked("storage.open", "stor¦age.open")).contains("Opens the store"))
    #expect(try hover(client, marked("after:", "af¦ter:")).contains("The event or events to wait for as well"))
    #expect(try hover(client, marked("path:", "pa¦th:")).contains("**path**: path, required"))
    let step = try hover(client, marked("publish:", "pub¦lish:"))
    #expect(
      step.contains("needs `fetch`") && step.contains("the gate waits for it") && step.contains("waits for `paid`"))
    #expect(try hover(client, marked("needs: [fetch]", "needs: [fe¦tch]")).contains("storage.open"))
    #expect(try hover(client, marked("after: paid", "after: pa¦id")).contains("(an event)"))
    #expect(
      try hover(client, marked("outputs.path", "outputs.pa¦th")) == "`steps.fetch.outputs.path`: string\n\nWhere it is")
    #expect(try hover(client, marked("${{ inputs.city }}", "${{ 1 =¦= 1 }}")).contains("Is always `true`."))
    #expect(
      try hover(client, marked("${{ inputs.city }}", "${{ starts¦With('a', 'b') }}")).contains(
        "startsWith(text, beginning)"))
    try client.quit()
  }

  private func lines(_ answer: Value) -> [Int] {
    (answer.arrayValue ?? []).compactMap {
      let range = $0.objectValue?["range"]?.objectValue ?? $0.objectValue
      return range?["start"]?.objectValue?["line"]?.integerValue
    }
  }

  @Test func `navigation finds the declaration and the uses of a name`() throws {
    let client = try TestClient()
    #expect(lines(try client.ask("textDocument/definition", at: marked("needs: [fetch]", "needs: [¦fetch]"))) == [8])
    #expect(lines(try client.ask("textDocument/definition", at: marked("inputs.city", "inputs.ci¦ty"))) == [2])
    #expect(lines(try client.ask("textDocument/definition", at: marked("after: paid", "after: ¦paid"))) == [3])
    #expect(lines(try client.ask("textDocument/definition", at: marked("queue: disk", "queue: d¦isk"))) == [6])
    let references = try client.ask("textDocument/references", at: marked("  fetch:", "  fe¦tch:"))
    #expect(lines(references) == [8, 13, 15, 17])
    let users = try client.ask(
      "textDocument/references", at: marked("  fetch:", "  fe¦tch:"), ["context": ["includeDeclaration": false]])
    #expect(lines(users) == [13, 15, 17])
    #expect(lines(try client.ask("textDocument/documentHighlight", at: marked("paid]", "pa¦id]"))) == [3, 14])
    try client.quit()
  }

  private func rename(_ client: TestClient, _ marked: String, _ name: String) throws -> String {
    let answer = try client.ask("textDocument/rename", at: marked, ["newName": .string(name)])
    let edits = answer.objectValue?["changes"]?.objectValue?[TestClient.uri]?.arrayValue ?? []
    return TestClient.apply(edits, to: TestClient.cut(marked).text)
  }

  @Test func `renaming a step, input or event changes it everywhere, including in expressions`() throws {
    let client = try TestClient()
    let step = try rename(client, marked("  fetch:", "  fe¦tch:"), "load-store")
    #expect(step == Self.text.replacing("fetch", with: "load-store"))
    let input = try rename(client, marked("inputs.city", "inputs.ci¦ty"), "town")
    #expect(input == Self.text.replacing("city", with: "town"))
    let event = try rename(client, marked("after: paid", "after: pa¦id"), "order.paid")
    #expect(event == Self.text.replacing("paid", with: "order.paid"))
    try client.quit()
  }

  @Test func `renaming changes every occurrence in multiline text`() throws {
    let text = """
      name: a
      steps:
        one: { uses: flow.noop }
        two:
          uses: flow.log
          needs: o¦ne
          with:
            message: |
              ${{ steps.one.outcome }}
              ${{ steps.one.outcome }} one
              ${{ steps.one.outcome }}

      """
    let client = try TestClient()
    let renamed = try rename(client, text, "first")
    #expect(renamed.components(of: "steps.first.outcome") == 3)
    #expect(renamed.contains("} one\n") && renamed.contains("needs: first"))
    try client.quit()
  }

  @Test(arguments: [
    ("Wrong Name", "a name is"), ("publish", "there is already a step 'publish'"),
  ])
  func `an error explains why a symbol cannot be renamed to an invalid or existing name`(name: String, reason: String)
    throws
  {
    let client = try TestClient()
    do {
      _ = try rename(client, marked("  fetch:", "  fe¦tch:"), name)
      Issue.record("\(name) was taken")
    } catch let refusal as TestClient.Refusal {
      #expect(refusal.code == -32803)
      #expect(refusal.message.contains(reason))
    }
    try client.quit()
  }

  @Test func `renaming is refused in a file with a syntax error, and for names that the file does not define`() throws {
    let client = try TestClient()
    #expect(throws: TestClient.Refusal.self) { try rename(client, "name: [a\nsteps:\n  o¦ne: {}\n", "two") }
    #expect(throws: TestClient.Refusal.self) {
      try rename(client, marked("after: paid", "after: ui.rea¦dy"), "other")
    }
    #expect(throws: TestClient.Refusal.self) { try rename(client, marked("name: shop", "na¦me: shop"), "other") }
    try client.quit()
  }

  /// Returns the text after applying the code action with this title, or nil if the action is not offered.
  private func fixed(_ client: TestClient, _ marked: String, _ title: String) throws -> String? {
    let (text, position) = TestClient.cut(marked)
    try client.open(text)
    let actions = try client.request(
      "textDocument/codeAction",
      [
        "textDocument": ["uri": .string(TestClient.uri)], "range": ["start": position, "end": position],
        "context": ["diagnostics": []],
      ])
    let action = actions.arrayValue?.first { $0.objectValue?["title"] == .string(title) }?.objectValue
    let edits = action?["edit"]?.objectValue?["changes"]?.objectValue?[TestClient.uri]?.arrayValue
    return edits.map { TestClient.apply($0, to: text) }
  }

  @Test func `a quick fix corrects a typo, adds a missing input or dependency, or defers a step`() throws {
    let client = try TestClient()
    #expect(try fixed(client, marked("needs: [fetch]", "needs: [fe¦tchh]"), "Write 'fetch'") == Self.text)
    #expect(
      try fixed(
        client, marked("    with: { path: a.sqlite }\n", "").replacing("storage.open", with: "stor¦age.open"),
        "Add the input 'path'")?
        .contains("with: { path: \"\" }") == true)
    #expect(
      try fixed(
        client, marked("{ path: a.sqlite }", "{}").replacing("storage.open", with: "stor¦age.open"),
        "Add the input 'path'")?
        .contains("with: { path: \"\" }") == true)
    #expect(
      try fixed(
        client,
        marked("    needs: [fetch]\n", "").replacing("steps.fetch.outputs.path", with: "steps.fe¦tch.outputs.path"),
        "Add 'fetch' to the dependencies of 'publish'")?
        .contains("needs: fetch\n") == true)
    let reading = """
      name: w
      steps:
        make: { run: cp a b, produces: [b] }
        use: { run: cat b, inputs-from: [¦b] }
      """
    let ordered = try fixed(client, reading, "Add 'make' to the dependencies of 'use'")
    #expect(ordered?.contains("use: { run: cat b, inputs-from: [b], needs: make }") == true, "\(ordered ?? "no fix")")
    let later = try fixed(
      client, marked("  last: {", "  la¦st: {"), "Start 'last' after the gate has opened")
    #expect(
      later?.contains("last: { uses: flow.noop, needs: publish, if: \"steps.fetch.outputs.created\", defer: true }")
        == true)
    // The dependents of a deferred step are deferred, too, so the gate does not wait for them.
    #expect(try fixed(client, marked("  fetch:", "  fe¦tch:"), "Start 'fetch' after the gate has opened") != nil)
    try client.quit()
  }

  @Test func `the language server returns the outline, folding ranges, selection ranges and, if enabled, hints`() throws
  {
    let client = try TestClient(settings: ["inlayHints": true])
    try client.open(Self.text)
    let document: Value = ["uri": .string(TestClient.uri)]
    let symbols = try client.request("textDocument/documentSymbol", ["textDocument": document]).arrayValue ?? []
    let steps = symbols.first { $0.objectValue?["name"] == "steps" }?.objectValue?["children"]?.arrayValue ?? []
    #expect(steps.map { $0.objectValue?["detail"] } == ["storage.open", "flow.log", "flow.noop"])
    let folds = try client.request("textDocument/foldingRange", ["textDocument": document]).arrayValue ?? []
    #expect(folds.contains(["startLine": 8, "endLine": 10]))
    let selections = try client.request(
      "textDocument/selectionRange",
      ["textDocument": document, "positions": [["line": 13, "character": 15]]])
    var depth = 0
    var range = selections.arrayValue?.first?.objectValue
    while let current = range {
      depth += 1
      range = current["parent"]?.objectValue
    }
    #expect(depth >= 5)
    let whole: Value = ["start": ["line": 0, "character": 0], "end": ["line": 99, "character": 0]]
    let hints = try client.request("textDocument/inlayHint", ["textDocument": document, "range": whole])
    #expect(hints.arrayValue?.map { $0.objectValue?["label"] } == [": string", ": boolean"])
    try client.quit()
    let other = try TestClient()
    try other.open(Self.text)
    #expect(try other.request("textDocument/inlayHint", ["textDocument": document, "range": whole]).isNull)
    try other.quit()
  }
}

extension String {
  /// Returns the number of occurrences of `text`.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
