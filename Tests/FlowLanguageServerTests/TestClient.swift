import FlowModel
import FlowSystem
import Synchronization

@testable import FlowLanguageServer

/// An editor that is connected to a language server in this process, over pipes as in real use.
final class TestClient {
  struct ClientProblem: Error, CustomStringConvertible {
    let description: String
  }

  /// The actions that are available to the server.
  struct Catalog: ActionCatalog {
    var declarations: [ActionDeclaration]
    func declaration(named name: String) -> ActionDeclaration? { declarations.first { $0.name == name } }
    func problems(with input: LiteralInput, of action: String) -> [InputProblem] { [] }

    static let standard = Catalog(declarations: [
      ActionDeclaration(
        name: "flow.log", summary: "Writes a line", inputs: [FieldDeclaration("message", .string)]),
      ActionDeclaration(name: "flow.noop", summary: "Does nothing"),
      ActionDeclaration(
        name: "flow.post", summary: "Posts an event", inputs: [FieldDeclaration("event", .string)],
        eventFromInput: "event"),
      ActionDeclaration(
        name: "flow.set", summary: "Gives back its values",
        inputs: [FieldDeclaration("values", .object(properties: nil))], outputsFromInput: "values"),
      ActionDeclaration(name: "flow.sleep", summary: "Waits", inputs: [FieldDeclaration("for", .duration)]),
      ActionDeclaration(
        name: "storage.open", summary: "Opens the store",
        inputs: [
          FieldDeclaration("path", .path(base: .data)),
          FieldDeclaration("mode", .enumeration(["create", "open"], of: .string), default: "create"),
          FieldDeclaration("quick", .boolean, default: false),
        ],
        outputs: [FieldDeclaration("path", .string, summary: "Where it is"), FieldDeclaration("created", .boolean)]),
    ])
  }

  static let uri = "file:///project/test.yaml"

  private let toServer: Descriptor
  private let fromServer: Descriptor
  private var received: [UInt8] = []
  private var nextID = 1
  /// The notifications that the server has sent, oldest first.
  private(set) var notices: [(method: String, parameters: ValueObject)] = []
  private let end = Mutex<(code: Int32?, words: [String])>((nil, []))

  /// Starts a server and, unless `initializes` is false, initializes it with these settings.
  init(
    _ workspace: LanguageWorkspace? = nil, capabilities: Value = [:], settings: Value = [:], process: Int? = nil,
    folders: [String] = [],
    initializes: Bool = true
  ) throws {
    let there = try Descriptor.pipe()
    let back = try Descriptor.pipe()
    let input = dup(there.reading.number)
    let output = dup(back.writing.number)
    toServer = there.takeWriting()
    fromServer = back.takeReading()
    let workspace =
      workspace
      ?? LanguageWorkspace(version: "1", install: { _ in InstalledActions(catalog: Catalog.standard) })
    // The server may end while the client is sending data.
    signal(SIGPIPE, SIG_IGN)
    let client = Unowned(self)
    try DetachedThread.start {
      let server = LanguageServer(workspace, input: input, output: output) { words in
        client.value.end.withLock { $0.words.append(words) }
      }
      let code = server.run()
      client.value.end.withLock { $0.code = code }
      close(output)
      close(input)
    }
    guard initializes else { return }
    _ = try request(
      "initialize",
      [
        "processId": process.map { .integer($0) } ?? .null, "rootUri": .null, "capabilities": capabilities,
        "initializationOptions": settings,
        "workspaceFolders": folders.isEmpty
          ? .null : .array(folders.map { ["uri": .string("file://\($0)"), "name": .string($0)] }),
      ])
    try notify("initialized", [:])
  }

  /// Makes the client accessible to the server's thread without retaining the client. Each test waits for the server's
  /// end before it releases the client.
  ///
  /// Proof of safety: everything in `Unowned` that the server's thread accesses is protected by a Mutex.
  private struct Unowned: @unchecked Sendable {
    let value: TestClient
    init(_ value: TestClient) { self.value = value }
  }

  func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { SystemCall.write(toServer.number, $0) }
      guard count > 0 else { throw ClientProblem(description: "the server takes nothing") }
      rest = rest.dropFirst(count)
    }
  }

  static func frame(_ message: Value) -> [UInt8] {
    let bytes = JSONText.bytes(of: message)
    return Array("Content-Length: \(bytes.count)\r\n\r\n".utf8) + bytes
  }

  func notify(_ method: String, _ parameters: Value) throws {
    try send(Self.frame(["jsonrpc": "2.0", "method": .string(method), "params": parameters]))
  }

  /// Sends a request and returns its id without waiting for the response.
  func ask(_ method: String, _ parameters: Value) throws -> Int {
    let id = nextID
    nextID += 1
    try send(
      Self.frame(["jsonrpc": "2.0", "id": .integer(id), "method": .string(method), "params": parameters]))
    return id
  }

  /// Closes the writing end of the pipe, so that the server reads the end of its input.
  func hangUp() throws {
    let null = try Descriptor.null()
    dup2(null.number, toServer.number)
  }

  /// Returns the next message that the server sends.
  func receive(seconds: Int32 = 20) throws -> ValueObject {
    while true {
      if let message = try takeMessage() { return message }
      var watched = pollfd(fd: fromServer.number, events: Int16(POLLIN), revents: 0)
      guard poll(&watched, 1, seconds * 1_000) > 0 else { throw ClientProblem(description: "the server is empty") }
      var count = 0
      let piece = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, initialized in
        count = SystemCall.read(fromServer.number, UnsafeMutableRawBufferPointer(buffer))
        initialized = max(0, count)
      }
      guard count > 0 else { throw ClientProblem(description: "the server is gone") }
      received += piece
    }
  }

  private func takeMessage() throws -> ValueObject? {
    guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let header = String(decoding: received[..<end.lowerBound], as: UTF8.self)
    guard let length = Int(header.dropFirst("Content-Length: ".count)) else {
      throw ClientProblem(description: "a wrong header: \(header)")
    }
    guard received.count >= end.upperBound + length else { return nil }
    let body = Array(received[end.upperBound..<end.upperBound + length])
    received.removeSubrange(..<(end.upperBound + length))
    return try JSONText.parse(body).objectValue
  }

  /// Returns the result of a request, or throws the error in the response.
  func answer(to id: Int) throws -> Value {
    while true {
      let message = try receive()
      if let method = message["method"]?.stringValue {
        notices.append((method, message["params"]?.objectValue ?? [:]))
      } else if message["id"] == .integer(id) {
        if let error = message["error"]?.objectValue { throw Refusal(error) }
        return message["result"] ?? .null
      }
    }
  }

  /// The error in a response of the server.
  struct Refusal: Error {
    let code: Int
    let message: String
    init(_ error: ValueObject) {
      code = error["code"]?.integerValue ?? 0
      message = error["message"]?.stringValue ?? ""
    }
  }

  func request(_ method: String, _ parameters: Value) throws -> Value {
    try answer(to: try ask(method, parameters))
  }

  /// Returns the next notification with this method.
  func notice(_ method: String) throws -> ValueObject {
    while true {
      if let index = notices.firstIndex(where: { $0.method == method }) { return notices.remove(at: index).parameters }
      let message = try receive()
      if let name = message["method"]?.stringValue { notices.append((name, message["params"]?.objectValue ?? [:])) }
    }
  }

  /// Ends the server as an editor does, and returns its exit code.
  @discardableResult
  func quit() throws -> Int32 {
    _ = try? request("shutdown", nil)
    try? notify("exit", nil)
    return try ended().code
  }

  /// Waits until the server has ended. Returns its exit code and the messages that it has shown to the user.
  func ended() throws -> (code: Int32, words: [String]) {
    while true {
      do { _ = try receive() } catch is ClientProblem { break }
    }
    for _ in 0..<2_000 {
      let (code, words) = end.withLock { ($0.code, $0.words) }
      if let code { return (code, words) }
      var pause = timespec(tv_sec: 0, tv_nsec: 5_000_000)
      nanosleep(&pause, nil)
    }
    throw ClientProblem(description: "the server does not end")
  }

  func open(_ text: String, uri: String = TestClient.uri) throws {
    try notify(
      "textDocument/didOpen",
      ["textDocument": ["uri": .string(uri), "languageId": "yaml", "version": 1, "text": .string(text)]])
  }

  /// Removes the cursor `¦` from `marked`. Returns the text and the position of the cursor.
  static func cut(_ marked: String) -> (text: String, position: Value) {
    let parts = marked.split(separator: "¦", maxSplits: 1, omittingEmptySubsequences: false)
    let before = parts[0].split(separator: "\n", omittingEmptySubsequences: false)
    return (
      marked.replacing("¦", with: ""),
      ["line": .integer(before.count - 1), "character": .integer(before.last!.utf16.count)]
    )
  }

  /// Opens a document and returns the response to a request at its cursor `¦`.
  func ask(_ method: String, at marked: String, _ more: ValueObject = [:]) throws -> Value {
    let (text, position) = Self.cut(marked)
    try open(text)
    var parameters: ValueObject = ["textDocument": ["uri": .string(Self.uri)], "position": position]
    for member in more { parameters[member.key] = member.value }
    return try request(method, .object(parameters))
  }

  /// Returns the labels of the completions at the cursor `¦`.
  func labels(at marked: String) throws -> [String] {
    try ask("textDocument/completion", at: marked).objectValue?["items"]?.arrayValue?.compactMap {
      $0.objectValue?["label"]?.stringValue
    } ?? []
  }

  /// Returns the text after applying the edits of a response, whose positions are in UTF-16 code units.
  static func apply(_ edits: [Value], to text: String) -> String {
    let source = TextPositions(.init(text, file: ""), .utf16)
    var bytes = Array(text.utf8)
    let spans = edits.compactMap { edit in
      source.span(edit.objectValue?["range"]).map { ($0, edit.objectValue?["newText"]?.stringValue ?? "") }
    }
    for (span, new) in spans.sorted(by: { $0.0 > $1.0 }) {
      bytes.replaceSubrange(span.start..<span.end, with: new.utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
