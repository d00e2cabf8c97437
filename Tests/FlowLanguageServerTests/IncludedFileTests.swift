import FlowDiagnostics
import FlowModel
import Testing

@testable import FlowLanguageServer

/// Editor features for workflows that include others.
@Suite(.timeLimit(.minutes(10))) struct IncludedFileTests {
  private static let main = """
    name: main
    steps:
      build: { uses: ./part.yaml, with: { targt: app } }

    """
  private static let part = """
    name: part
    inputs: { target: { type: string } }
    steps: { a: { uses: flow.noop } }

    """
  private static let broken = "name: part\nsteps: { a: { uses: flow.nop } }\n"

  /// Starts a server that reads included files from `files` in place of the disk.
  private func client(_ files: [String: String]) throws -> TestClient {
    try TestClient(
      LanguageWorkspace(
        version: "1",
        install: { _ in
          InstalledActions(catalog: TestClient.Catalog.standard) { result, _ in
            ([], result.included.map { .init(source: $0.source, diagnostics: $0.diagnostics) })
          }
        },
        files: { files[$0].map { Array($0.utf8) } },
        names: { folder in
          let start = folder == "/" ? "/" : folder + "/"
          let below = files.keys.filter { $0.hasPrefix(start) }.map { $0.dropFirst(start.utf8.count) }
          return Set(below.map { path in path.firstIndex(of: "/").map { String(path[...$0]) } ?? String(path) })
            .sorted()
        }), folders: ["/project"])
  }

  private func codes(_ client: TestClient, of uri: String) throws -> [Value] {
    while true {
      let notice = try client.notice("textDocument/publishDiagnostics")
      guard notice["uri"] == .string(uri) else { continue }
      return notice["diagnostics"]?.arrayValue?.compactMap { $0.objectValue?["code"] } ?? []
    }
  }

  @Test func `inputs are checked against the included file, whose own errors appear in both files`() throws {
    let client = try client(["/project/part.yaml": Self.part])
    try client.open(Self.main)
    #expect(try codes(client, of: TestClient.uri) == ["unknown-input"])
    try client.quit()

    let other = try self.client(["/project/part.yaml": Self.broken])
    try other.open("name: main\nsteps:\n  build: { uses: ./part.yaml }\n")
    #expect(try codes(other, of: "file:///project/part.yaml") == ["unknown-action"])
    #expect(try codes(other, of: TestClient.uri) == ["unknown-action"])
    try other.quit()
  }

  @Test func `an open included file is read from the editor, and definitions in it are found`() throws {
    let client = try client(["/project/part.yaml": Self.part])
    let text = "name: main\nsteps:\n  build: { uses: ./part.yaml }\n"
    try client.open(text)
    #expect(try codes(client, of: TestClient.uri) == ["missing-input"])
    try client.notify(
      "textDocument/didOpen",
      [
        "textDocument": [
          "uri": "file:///project/part.yaml", "languageId": "yaml", "version": 1,
          "text": "name: part\nsteps: { a: { uses: flow.noop } }\n",
        ]
      ])
    #expect(try codes(client, of: TestClient.uri) == [])
    let found = try client.request(
      "textDocument/definition",
      ["textDocument": ["uri": .string(TestClient.uri)], "position": ["line": 2, "character": 20]])
    #expect(found.arrayValue?.first?.objectValue?["uri"] == "file:///project/part.yaml")
    try client.quit()
  }

  private static let project = [
    "/project/lib/part.yaml": """
    name: part
    inputs:
      target: { type: string }
      goal: { type: string, default: x }
    outputs:
      path: "${{ inputs.target }}"
      other: "${{ inputs.TARGET }}"
    steps:
      a: { uses: flow.post, with: { event: done } }

    """,
    "/project/lib/middle.yaml": """
    name: middle
    outputs: { target: "${{ steps.part.outputs['path'] }}" }
    steps:
      part: { uses: ./part.yaml, with: { target: m } }
      last: { uses: flow.noop, after: part/done }

    """,
    "/project/test.yaml": """
    name: main
    steps:
      one: { uses: lib/part.yaml, with: { target: a, goal: b } }
      two: { uses: ./lib/middle.yaml }
      three:
        uses: flow.log
        needs: [one, two]
        after: [two/part/done, one/done]
        with: { message: "${{ steps.one.outputs.PATH }} ${{ steps.two.outputs.target }} ${{ steps.one.outputs.other }}" }

    """,
    "/project/unrelated.yaml": "name: u\nsteps: { a: { uses: flow.log, with: { message: target part.yaml } } }\n",
    "/project/notes.txt": "part.yaml target",
  ]

  /// Returns the files after renaming the name at `¦` in one of them. The files in `open` are open in the editor.
  private func renamed(
    _ location: String, in file: String, to name: String, files: [String: String] = project, open: [String] = []
  ) throws -> [String: String] {
    let client = try client(files)
    defer { _ = try? client.quit() }
    let parts = location.split(separator: "¦", omittingEmptySubsequences: false)
    let text = try #require(files[file])
    let start = try #require(text.firstRange(of: parts.joined())?.lowerBound)
    let before = text[..<start] + parts[0]
    let line = before.count(where: { $0 == "\n" })
    let column = before.split(separator: "\n", omittingEmptySubsequences: false).last!.utf16.count
    for path in Set(open + [file]) { try client.open(files[path]!, uri: "file://\(path)") }
    let position: Value = ["line": .integer(line), "character": .integer(column)]
    let document: Value = ["uri": .string("file://\(file)")]
    _ = try client.request("textDocument/prepareRename", ["textDocument": document, "position": position])
    let answer = try client.request(
      "textDocument/rename", ["textDocument": document, "position": position, "newName": .string(name)])
    var result = files
    for (uri, edits) in answer.objectValue?["changes"]?.objectValue ?? [:] {
      let path = FileURI.path(of: uri)
      result[path] = TestClient.apply(edits.arrayValue ?? [], to: files[path] ?? "")
    }
    return result
  }

  /// Returns the files of the project with some words replaced.
  private func project(_ changes: [(file: String, old: String, new: String)]) -> [String: String] {
    var files = Self.project
    for (file, old, new) in changes {
      #expect(files["/project/" + file]!.contains(old), "\(old)")
      files["/project/" + file] = files["/project/" + file]!.replacing(old, with: new)
    }
    return files
  }

  @Test func `renaming an input of a file changes the files that include it, whether or not they are open`() throws {
    let expected = project([
      ("lib/part.yaml", "target:", "aim:"), ("lib/part.yaml", "inputs.target", "inputs.aim"),
      ("lib/part.yaml", "inputs.TARGET", "inputs.aim"), ("lib/middle.yaml", "{ target: m }", "{ aim: m }"),
      ("test.yaml", "{ target: a", "{ aim: a"),
    ])
    #expect(try renamed("tar¦get: {", in: "/project/lib/part.yaml", to: "aim") == expected)
    #expect(
      try renamed("inputs.tar¦get", in: "/project/lib/part.yaml", to: "aim", open: ["/project/test.yaml"]) == expected)
    // A rename that starts in an including file has the same result.
    #expect(try renamed("{ tar¦get: a", in: "/project/test.yaml", to: "aim") == expected)
  }

  @Test func `renaming an output of a file changes the expressions that read it in other files`() throws {
    let expected = project([
      ("lib/part.yaml", "path: \"", "place: \""), ("lib/middle.yaml", "outputs['path']", "outputs['place']"),
      ("test.yaml", "outputs.PATH", "outputs.place"),
    ])
    #expect(try renamed("pa¦th: \"", in: "/project/lib/part.yaml", to: "place") == expected)
    #expect(try renamed("outputs.PA¦TH", in: "/project/test.yaml", to: "place") == expected)
  }

  @Test func `renaming an event, or the step that passes it on, changes waiting steps in all including files`() throws {
    let event = project([
      ("lib/part.yaml", "event: done", "event: ready"), ("lib/middle.yaml", "part/done", "part/ready"),
      ("test.yaml", "part/done", "part/ready"), ("test.yaml", "one/done", "one/ready"),
    ])
    #expect(try renamed("event: do¦ne", in: "/project/lib/part.yaml", to: "ready") == event)
    #expect(try renamed("one/do¦ne", in: "/project/test.yaml", to: "ready") == event)
    let step = project([
      ("lib/middle.yaml", "steps.part", "steps.piece"), ("lib/middle.yaml", "part:", "piece:"),
      ("lib/middle.yaml", "part/done", "piece/done"), ("test.yaml", "two/part/done", "two/piece/done"),
    ])
    #expect(try renamed("par¦t: {", in: "/project/lib/middle.yaml", to: "piece") == step)
  }

  @Test func `renaming is refused if the new name is already used or an including file has a syntax error`() throws {
    #expect(throws: TestClient.Refusal.self) {
      try renamed("{ tar¦get: a", in: "/project/test.yaml", to: "goal")
    }
    var broken = Self.project
    broken["/project/lib/middle.yaml"]! += "  broken: [\n"
    do {
      _ = try renamed("tar¦get: {", in: "/project/lib/part.yaml", to: "aim", files: broken)
      Issue.record("it was renamed")
    } catch let refusal as TestClient.Refusal {
      #expect(refusal.message.contains("middle.yaml' includes the file and has a syntax error"))
    }
  }

  @Test(arguments: [
    ("{ tar¦get: a", "/project/lib/part.yaml", 2), ("outputs.PA¦TH", "/project/lib/part.yaml", 5),
    ("one/do¦ne", "/project/lib/part.yaml", 8), ("lib/pa¦rt.yaml", "/project/lib/part.yaml", 0),
    ("two/part/do¦ne", "/project/lib/middle.yaml", 3),
  ])
  func `go to definition finds the declaration in the included file`(location: String, file: String, line: Int) throws {
    let client = try client(Self.project)
    let text = Self.project["/project/test.yaml"]!
    let parts = location.split(separator: "¦").map(String.init)
    let found = try client.ask(
      "textDocument/definition", at: text.replacing(parts.joined(), with: location, maxReplacements: 1))
    let location = found.arrayValue?.first?.objectValue
    #expect(location?["uri"] == .string("file://" + file))
    #expect(location?["range"]?.objectValue?["start"]?.objectValue?["line"] == .integer(line))
    try client.quit()
  }

  @Test func `find references returns the uses of an input in all files that include its file`() throws {
    let client = try client(Self.project)
    try client.open(Self.project["/project/lib/part.yaml"]!, uri: "file:///project/lib/part.yaml")
    let found = try client.request(
      "textDocument/references",
      ["textDocument": ["uri": "file:///project/lib/part.yaml"], "position": ["line": 2, "character": 4]])
    let locations = (found.arrayValue ?? []).compactMap(\.objectValue).map {
      "\($0["uri"]!.stringValue!.split(separator: "/").last!):\($0["range"]!.objectValue!["start"]!.objectValue!["line"]!.integerValue!)"
    }
    #expect(locations == ["part.yaml:2", "part.yaml:5", "part.yaml:6", "middle.yaml:3", "test.yaml:2"])
    try client.quit()
  }

  @Test func `completion proposes folders and files that can be included`() throws {
    var files = Self.project
    files["/project/broken.yaml"] = "name: b\nsteps: { a: { uses: flow.nop } }\n"
    files["/project/around.yaml"] = "name: r\nsteps: { a: { uses: ./test.yaml } }\n"
    files["/project/compose.yaml"] = "services: {}\n"
    files["/project/notes.sync.yaml"] = "schema: n\n"
    let client = try client(files)
    func labels(_ uses: String) throws -> [String] {
      try client.labels(at: "name: main\nsteps:\n  a: { uses: flow.noop }\n  b:\n    uses: \(uses)\n")
    }
    #expect(try labels("./¦") == ["./broken.yaml", "./unrelated.yaml", "./lib/"])
    #expect(try labels("./lib/¦") == ["./lib/middle.yaml", "./lib/part.yaml"])
    #expect(try labels("../pro¦") == ["../project/"])
    #expect(try labels("¦").suffix(2) == ["./unrelated.yaml", "./lib/"])
    #expect(try labels("flow.¦").allSatisfy { $0.contains(".") && !$0.contains("/") })
    try client.quit()
  }

  @Test func `a record schema has its own diagnostics but no other editor features, as it is not a workflow`()
    throws
  {
    let client = try TestClient(
      LanguageWorkspace(
        version: "1", install: { _ in InstalledActions(catalog: TestClient.Catalog.standard) },
        pluginFileCheck: { bytes, file in
          guard file.hasSuffix(".sync.yaml") else { return nil }
          return .init(
            source: SourceText(bytes, file: file),
            diagnostics: [Diagnostic(.unknownKey, "there is no such rule", at: TextSpan(0, 5))])
        }))
    let uri = "file:///project/notes.sync.yaml"
    try client.notify(
      "textDocument/didOpen",
      ["textDocument": ["uri": .string(uri), "languageId": "yaml", "version": 1, "text": "notes: {}\n"]])
    #expect(try codes(client, of: uri) == ["unknown-key"])
    let hover = try client.request(
      "textDocument/hover", ["textDocument": ["uri": .string(uri)], "position": ["line": 0, "character": 1]])
    #expect(hover == .null)
    try client.quit()
  }
}
