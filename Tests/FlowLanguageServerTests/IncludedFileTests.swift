import FlowDiagnostics
import FlowModel
import Testing

@testable import FlowLanguageServer

/// Workflows that include others, as an editor shows them.
@Suite(.timeLimit(.minutes(1))) struct IncludedFileTests {
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

  /// A server to which the files beside the open one are what `files` says.
  private func client(_ files: [String: String]) throws -> TestClient {
    try TestClient(
      LanguageWorkspace(
        version: "1",
        install: { _ in
          InstalledActions(catalog: TestClient.Catalog.standard) { result, _ in
            ([], result.included.map { .init(source: $0.source, diagnostics: $0.diagnostics) })
          }
        },
        files: { files[$0].map { Array($0.utf8) } }))
  }

  private func codes(_ client: TestClient, of uri: String) throws -> [Value] {
    while true {
      let notice = try client.notice("textDocument/publishDiagnostics")
      guard notice["uri"] == .string(uri) else { continue }
      return notice["diagnostics"]?.arrayValue?.compactMap { $0.objectValue?["code"] } ?? []
    }
  }

  @Test func `inputs are those of the file, and its own mistakes are shown in it`() throws {
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

  @Test func `a file that is open counts as it is in the editor, and leads to where it is`() throws {
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

  @Test func `a schema of records is no workflow: it has its own diagnostics, and nothing else is said of it`() throws {
    let client = try TestClient(
      LanguageWorkspace(
        version: "1", install: { _ in InstalledActions(catalog: TestClient.Catalog.standard) },
        schemaCheck: { bytes, file in
          guard file.hasSuffix(".sync.yaml") else { return nil }
          return .init(
            source: SourceText(bytes, file: file),
            diagnostics: [Diagnostic(.unknownKey, "there is no such rule", at: Span(0, 5))])
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
