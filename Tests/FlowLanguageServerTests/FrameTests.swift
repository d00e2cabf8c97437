import FlowModel
import FlowSystem
import FlowTestKit
import Testing

@testable import FlowLanguageServer

@Suite(.timeLimit(.minutes(10))) struct FrameTests {
  private func response(_ client: TestClient, _ body: String) throws -> ValueObject {
    try client.send(Array("Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8))
    return try client.receive()
  }

  @Test func `a message to the language server may arrive byte by byte`() throws {
    let client = try TestClient(initializes: false)
    let frame = TestClient.frame([
      "jsonrpc": "2.0", "id": "a", "method": "initialize", "params": ["capabilities": [:]],
    ])
    for byte in frame { try client.send([byte]) }
    #expect(try client.receive()["id"] == "a")
    #expect(try client.quit() == 0)
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\n\r\n", "{\"jsonrpc\":\"2.0\"}\n", "\u{0}\u{1}\u{2}\n", "Content-Length: many\r\n\r\n",
    "Content-Length: -1\r\n\r\n", "Content-Length: 99999999999\r\n\r\n", "Content-Type: x\r\n\r\n",
  ])
  func `the language server exits with code 1 and an explanation after bytes outside a message`(bytes: String) throws {
    let client = try TestClient()
    try client.send(Array(bytes.utf8))
    let end = try client.ended()
    #expect(end.code == 1)
    #expect(end.words.count == 1)
    #expect(end.words[0].contains("Content-Length") || end.words[0].contains("limit"))
  }

  @Test func `an invalid message is answered with an error, and the language server continues`() throws {
    let client = try TestClient()
    #expect(try response(client, "{")["error"]?.objectValue?["code"] == -32700)
    #expect(try response(client, "[]")["error"]?.objectValue?["code"] == -32600)
    #expect(try response(client, "{\"id\": 7}")["error"]?.objectValue?["code"] == -32600)
    let unknown = try response(client, "{\"id\": 8, \"method\": \"textDocument/formatting\"}")
    #expect(unknown["id"] == 8)
    #expect(unknown["error"]?.objectValue?["code"] == -32601)
    let wrong = try response(client, "{\"id\": 9, \"method\": \"textDocument/hover\", \"params\": 3}")
    #expect(wrong["error"]?.objectValue?["code"] == -32602)
    #expect(try client.quit() == 0)
  }

  @Test func `requests before initialize and after shutdown are refused`() throws {
    let client = try TestClient(initializes: false)
    let early = try response(client, "{\"id\": 1, \"method\": \"textDocument/hover\", \"params\": {}}")
    #expect(early["error"]?.objectValue?["code"] == -32002)
    _ = try client.request("initialize", ["capabilities": [:]])
    _ = try client.request("shutdown", nil)
    let late = try response(client, "{\"id\": 5, \"method\": \"textDocument/hover\", \"params\": {}}")
    #expect(late["error"]?.objectValue?["code"] == -32600)
    try client.notify("exit", nil)
    #expect(try client.ended().code == 0)
  }

  @Test func `the language server ends when its input ends, and on exit without shutdown`() throws {
    let first = try TestClient()
    try first.hangUp()
    #expect(try first.ended().code == 1)
    let second = try TestClient()
    try second.notify("exit", nil)
    #expect(try second.ended().code == 1)
  }

  @Test func `pending requests are answered even after the client has closed its side, with or without exit`() throws {
    for saysGoodbye in [true, false] {
      let client = try TestClient()
      try client.open("name: a\nsteps: {}\n")
      let hover: Value = [
        "textDocument": ["uri": .string(TestClient.uri)], "position": ["line": 0, "character": 0],
      ]
      var burst: [UInt8] = []
      for id in 100..<200 {
        burst += TestClient.frame([
          "jsonrpc": "2.0", "id": .integer(id), "method": "textDocument/hover", "params": hover,
        ])
      }
      if saysGoodbye {
        burst += TestClient.frame(["jsonrpc": "2.0", "id": 200, "method": "shutdown"])
        burst += TestClient.frame(["jsonrpc": "2.0", "method": "exit"])
      }
      try client.send(burst)
      try client.hangUp()
      for id in 100..<(saysGoodbye ? 201 : 200) { _ = try client.answer(to: id) }
      #expect(try client.ended().code == (saysGoodbye ? 0 : 1))
    }
  }

  @Test func `the language server ends within 10 s after the client's process is killed`() throws {
    var child = pid_t()
    var words: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/sleep"), strdup("60"), nil]
    defer { for word in words { free(word) } }
    #expect(posix_spawn(&child, "/bin/sleep", nil, nil, &words, environ) == 0)
    let client = try TestClient(process: Int(child))
    kill(child, SIGKILL)
    waitpid(child, nil, 0)
    let clock = ContinuousClock()
    let before = clock.now
    #expect(try client.ended().code == 1)
    #expect(clock.now - before < .seconds(10))
  }

  @Test func `a cancelled request is not executed, and a request about an outdated text is refused`()
    throws
  {
    let client = try TestClient()
    try client.open("name: a\nsteps: {}\n")
    let document: Value = ["uri": .string(TestClient.uri)]
    let hover: Value = ["textDocument": document, "position": ["line": 0, "character": 0]]
    var burst: [UInt8] = []
    func add(_ message: Value) { burst += TestClient.frame(message) }
    add(["jsonrpc": "2.0", "id": 100, "method": "textDocument/hover", "params": hover])
    add(["jsonrpc": "2.0", "id": 101, "method": "textDocument/hover", "params": hover])
    add(["jsonrpc": "2.0", "method": "$/cancelRequest", "params": ["id": 101]])
    add([
      "jsonrpc": "2.0", "method": "textDocument/didChange",
      "params": [
        "textDocument": ["uri": .string(TestClient.uri), "version": 2], "contentChanges": [["text": "name: b\n"]],
      ],
    ])
    add(["jsonrpc": "2.0", "id": 102, "method": "textDocument/hover", "params": hover])
    try client.send(burst)
    #expect(throws: TestClient.Refusal.self) { try client.answer(to: 100) }
    do {
      _ = try client.answer(to: 101)
      Issue.record("a cancelled request was answered")
    } catch let refusal as TestClient.Refusal {
      #expect(refusal.code == -32800)
    }
    _ = try client.answer(to: 102)
    #expect(try client.quit() == 0)
  }

  /// The client's own copy of the text, changed in the same way, is the reference.
  @Test func `server and client have the same text after 10,000 random edits`() throws {
    let seed = SeededGenerator.environmentSeed ?? 7
    print("seed of the edits: \(seed)")
    var random = SeededGenerator(seed: seed)
    var document = OpenDocument(uri: "u", file: "/a.yaml", version: 0, text: "name: a\nsteps: {}\n", encoding: .utf16)
    var mirror = ClientText("name: a\nsteps: {}\n")
    let pieces = [
      "\n", "\r\n", "\r", "  ", "steps:", " needs: [a]", "é", "😀", "汉字", "\u{85}", "\u{2028}", "${{ steps.a }}", "#",
      "\t",
      "-", "\u{0}", "\u{FEFF}", "", "", "a: b",
    ]
    for number in 0..<10_000 {
      var (start, end) = (mirror.location(&random), mirror.location(&random))
      if (end.line, end.column) < (start.line, start.column) { swap(&start, &end) }
      if random.below(3) > 0 { end = start }
      // Long texts are shortened, so that their size stays about the same.
      let text = mirror.units.count > 4_000 ? "" : pieces[random.below(pieces.count)]
      if mirror.units.count > 4_000 { end = (start.line + 3, 0) }
      let change: Value = [
        "range": [
          "start": ["line": .integer(start.line), "character": .integer(start.column)],
          "end": ["line": .integer(end.line), "character": .integer(end.column)],
        ],
        "text": .string(text),
      ]
      try document.change([change], version: number)
      mirror.replace(start, end, with: text)
      if number % 50 == 0 || number == 9_999 { #expect(String(decoding: document.bytes, as: UTF8.self) == mirror.text) }
    }
  }

  @Test func `random edits and requests, some split or cancelled, never crash or block the language server`() throws {
    let seed = SeededGenerator.environmentSeed ?? 7
    print("seed of the session: \(seed)")
    var random = SeededGenerator(seed: seed)
    let client = try TestClient()
    let start =
      "name: fuzz\nevents: [e]\nsteps:\n  a: { uses: flow.noop }\n  b:\n    uses: flow.log\n    needs: [a]\n    with: { message: \"${{ steps.a.outcome }}\" }\n"
    try client.open(start)
    var mirror = ClientText(start)
    let methods = [
      "completion", "hover", "definition", "references", "documentHighlight", "prepareRename", "documentSymbol",
      "foldingRange", "diagnostic",
    ]
    let pieces = ["\n", "  ", ":", "steps", "[", "{", "}", "'", "\"", "${{", "}}", "😀", "- a", "|", "needs: [b]", "x"]
    for number in 0..<600 {
      let (from, to) = (mirror.location(&random), mirror.location(&random))
      let isInOrder = (from.line, from.column) <= (to.line, to.column)
      let (start, end) = random.below(4) == 0 && isInOrder ? (from, to) : (from, from)
      let text = pieces[random.below(pieces.count)]
      mirror.replace(start, end, with: text)
      var bytes = TestClient.frame([
        "jsonrpc": "2.0", "method": "textDocument/didChange",
        "params": [
          "textDocument": ["uri": .string(TestClient.uri), "version": .integer(number + 2)],
          "contentChanges": [
            [
              "range": [
                "start": ["line": .integer(start.line), "character": .integer(start.column)],
                "end": ["line": .integer(end.line), "character": .integer(end.column)],
              ],
              "text": .string(text),
            ]
          ],
        ],
      ])
      let location = mirror.location(&random)
      bytes += TestClient.frame([
        "jsonrpc": "2.0", "id": .integer(1_000 + number),
        "method": .string("textDocument/" + methods[random.below(methods.count)]),
        "params": [
          "textDocument": ["uri": .string(TestClient.uri)], "context": [:],
          "position": ["line": .integer(location.line), "character": .integer(location.column)],
        ],
      ])
      if random.below(5) == 0 {
        bytes += TestClient.frame([
          "jsonrpc": "2.0", "method": "$/cancelRequest", "params": ["id": .integer(1_000 + number)],
        ])
      }
      let cut = random.below(bytes.count)
      try client.send(Array(bytes[..<cut]))
      try client.send(Array(bytes[cut...]))
      _ = try? client.answer(to: 1_000 + number)
      if mirror.units.count > 3_000 {
        mirror = ClientText("name: a\n")
        try client.notify(
          "textDocument/didChange",
          [
            "textDocument": ["uri": .string(TestClient.uri), "version": .integer(number + 2)],
            "contentChanges": [["text": "name: a\n"]],
          ])
      }
    }
    #expect(try client.quit() == 0)
  }
}

/// A document as an editor stores it, in UTF-16.
private struct ClientText {
  private(set) var units: [UInt16]

  init(_ text: String) { units = Array(text.utf16) }

  var text: String { String(decoding: units, as: UTF16.self) }

  /// The range of each line without its line break.
  private var lines: [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = 0
    var position = 0
    while position < units.count {
      let unit = units[position]
      if unit == 10 || unit == 13 {
        lines.append(start..<position)
        if unit == 13, position + 1 < units.count, units[position + 1] == 10 { position += 1 }
        start = position + 1
      }
      position += 1
    }
    lines.append(start..<units.count)
    return lines
  }

  /// Returns a random position that is not inside a character.
  func location(_ random: inout SeededGenerator) -> (line: Int, column: Int) {
    let lines = lines
    let line = random.below(lines.count)
    var column = random.below(lines[line].count + 1)
    let unit = lines[line].lowerBound + column
    if unit < units.count, units[unit] & 0xFC00 == 0xDC00 { column -= 1 }
    return (line, column)
  }

  private func index(_ location: (line: Int, column: Int)) -> Int {
    let lines = lines
    guard location.line < lines.count else { return units.count }
    return min(lines[location.line].lowerBound + location.column, lines[location.line].upperBound)
  }

  mutating func replace(_ start: (line: Int, column: Int), _ end: (line: Int, column: Int), with text: String) {
    let (from, to) = (index(start), index(end))
    units.replaceSubrange(from..<max(from, to), with: text.utf16)
  }
}

extension SeededGenerator {
  fileprivate mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
