import FlowDiagnostics
import FlowModel
import FlowSyntax
import FlowPlatform

/// A language server for workflows, which communicates over two file descriptors (Language Server Protocol 3.17).
///
/// It runs on one thread, which reads and answers messages in order. It does not wait for other threads and does not
/// start plugins. Between two answers it reads further messages, so that cancelled requests are not executed.
package final class LanguageServer {
  /// A message that has been read but not handled.
  struct Message {
    var id: Value?
    var method: String
    var parameters: ValueObject
    var uri: String?
    var isCancelled = false
  }

  /// The capabilities of the client, as received with `initialize`.
  struct Client {
    var hasSnippets = false
    var hasDocumentChanges = false
    var pullsDiagnostics = false
    var process: Int32?
    /// The paths of the folders that are open in the client.
    var folders: [String] = []
  }

  enum Phase { case fresh, running, shutDown }

  let workspace: LanguageWorkspace
  private let input: CInt
  private let output: CInt
  private var reader = FrameReader()
  private var queue: [Message] = []
  private var unsent: [UInt8] = []
  private var sent = 0
  private var exitCode: Int32?
  /// True if the client has closed its side of the connection. Pending requests are still answered.
  private var isInputEnded = false
  private let explain: (String) -> Void

  var phase = Phase.fresh
  var client = Client()
  var encoding = PositionEncoding.utf16
  var hasHints = false
  var documents: [String: OpenDocument] = [:]
  /// The installed actions for the files of each folder.
  var installations: [String: (stamp: String, actions: InstalledActions)] = [:]
  /// The URIs of documents whose diagnostics the client requests itself.
  var pulled: Set<String> = []
  /// The diagnostics last published for files that are not open, by the document through which they were found.
  var foreign: [String: [String: [Value]]] = [:]
  private var told: Set<String> = []

  /// The maximum number of queued messages, the maximum number of unsent bytes, and the time without progress after
  /// which the server ends (60 s).
  private static let queueLimit = 1_000
  private static let unsentLimit = 64 << 20
  private static let patienceMilliseconds: Int32 = 60_000
  /// The interval at which the client's process and the manifests are checked, in milliseconds.
  private static let lookMilliseconds: Int32 = 4_000

  /// Creates a server that reads from one descriptor and writes to another. `explain` shows a message to the user if
  /// the server ends unexpectedly.
  package init(
    _ workspace: LanguageWorkspace, input: Int32 = 0, output: Int32 = 1, explain: @escaping (String) -> Void
  ) {
    self.workspace = workspace
    self.input = input
    self.output = output
    self.explain = explain
  }

  /// Handles the client's messages until the client disconnects. Returns the exit code: 0 if the client has sent
  /// `shutdown`, otherwise 1.
  package func run() -> Int32 {
    while exitCode == nil {
      if isInputEnded, queue.isEmpty { return finish() }
      if queue.isEmpty { publishChanges() }
      receive(waits: queue.isEmpty)
      if exitCode == nil, !queue.isEmpty { answer(queue.removeFirst()) }
    }
    flush()
    return exitCode ?? 1
  }

  /// Sends the remaining bytes to a client that has closed its side, and returns the exit code.
  private func finish() -> Int32 {
    flush()
    return phase == .shutDown ? 0 : 1
  }

  /// Sends as much as is possible without blocking, and receives at most 64 KiB. If `waits` is true, first waits until
  /// either is possible or it is time to check the client and the files on disk.
  private func receive(waits: Bool) {
    let mayRead = queue.count < Self.queueLimit
    var watched = [
      pollfd(fd: isInputEnded ? -1 : input, events: mayRead ? Int16(POLLIN) : 0, revents: 0),
      pollfd(fd: unsent.isEmpty ? -1 : output, events: Int16(POLLOUT), revents: 0),
    ]
    let limit =
      unsent.isEmpty
      ? (client.process == nil && documents.isEmpty ? -1 : Self.lookMilliseconds) : Self.patienceMilliseconds
    let count = poll(&watched, 2, waits ? limit : 0)
    if count == 0, waits {
      if !unsent.isEmpty { return end("the client has taken nothing for \(Self.patienceMilliseconds / 1000) s") }
      endWithoutClient()
      return lookAround()
    }
    if watched[1].revents != 0 { send() }
    guard watched[0].revents != 0, exitCode == nil else { return }
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
      let count = SystemCall.read(input, buffer)
      if count > 0 {
        reader.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        takeMessages()
      } else if count == 0 {
        isInputEnded = true
        if phase != .shutDown, !reader.isBetweenMessages { explain("the input ended inside of a message") }
      } else if errno != EAGAIN {
        end("cannot read: \(String(cString: strerror(errno)))")
      }
    }
  }

  private func endWithoutClient() {
    if let process = client.process, kill(process, 0) != 0, errno == ESRCH { end(nil) }
  }

  /// Ends the server. `reason` is shown to the user, unless it is nil because the client has ended.
  private func end(_ reason: String?) {
    if let reason { explain(reason) }
    exitCode = exitCode ?? 1
  }

  private func takeMessages() {
    do throws(FrameReader.FrameProblem) {
      while let bytes = try reader.next() { handle(bytes) }
    } catch {
      end(error.description)
    }
  }

  /// Sends a piece that is small enough not to block when the pipe is writable.
  private func send() {
    let piece = min(unsent.count - sent, 4096)
    let written = unsent.withUnsafeBytes {
      SystemCall.write(output, UnsafeRawBufferPointer(rebasing: $0[sent..<sent + piece]))
    }
    if written < 0 {
      if errno != EAGAIN { end(errno == EPIPE ? nil : "cannot write: \(String(cString: strerror(errno)))") }
      return
    }
    sent += written
    if sent == unsent.count {
      unsent.removeAll(keepingCapacity: unsent.capacity <= 1 << 20)
      sent = 0
    }
  }

  /// Sends the remaining bytes before the server ends. Gives up if the client reads nothing for 2 s.
  private func flush() {
    while !unsent.isEmpty {
      var watched = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
      guard poll(&watched, 1, 2_000) > 0, watched.revents & Int16(POLLOUT) != 0 else { return }
      let before = unsent.count - sent
      send()
      if unsent.count - sent == before { return }
    }
  }

  /// Queues a message that will be sent to the client.
  func write(_ message: ValueObject) {
    var message = message
    message["jsonrpc"] = "2.0"
    let bytes = JSONText.bytes(of: .object(message))
    if unsent.count + bytes.count > Self.unsentLimit { return end("the client does not read") }
    unsent += Array("Content-Length: \(bytes.count)\r\n\r\n".utf8) + bytes
  }

  func notify(_ method: String, _ parameters: Value) {
    write(["method": .string(method), "params": parameters])
  }

  /// Shows a message to the user. Each message is shown only once.
  func tell(_ text: String) {
    guard told.insert(text).inserted else { return }
    notify("window/showMessage", ["type": 2, "message": .string(text)])
  }

  private func handle(_ bytes: [UInt8]) {
    let value: Value
    do throws(JSONProblem) {
      value = try JSONText.parse(bytes, rules: JSONText.Rules(isLenient: true))
    } catch {
      return respond(.null, .failure(.parseError("\(error)")))
    }
    guard let object = value.objectValue else {
      return respond(.null, .failure(.invalidRequest("a message must be an object")))
    }
    guard let method = object["method"]?.stringValue else {
      // This is a response, although the server sends no requests.
      if object["id"] != nil, object["result"] != nil || object["error"] != nil { return }
      return respond(object["id"] ?? .null, .failure(.invalidRequest("a message must have a 'method'")))
    }
    let parameters = object["params"]?.objectValue ?? [:]
    if method == "$/cancelRequest" {
      for index in queue.indices where queue[index].id != nil && queue[index].id == parameters["id"] {
        queue[index].isCancelled = true
      }
      return
    }
    queue.append(
      Message(
        id: object["id"], method: method, parameters: parameters,
        uri: parameters["textDocument"]?.objectValue?["uri"]?.stringValue))
  }

  private func answer(_ message: Message) {
    guard let id = message.id else {
      if phase == .running || message.method == "exit" { notice(message) }
      return
    }
    let isOutdated = message.uri.map { uri in
      queue.contains { $0.method == "textDocument/didChange" && $0.uri == uri }
    }
    if message.isCancelled {
      respond(id, .failure(.cancelled))
    } else if phase == .fresh, message.method != "initialize" {
      respond(id, .failure(.notInitialized))
    } else if phase == .shutDown {
      respond(id, .failure(.invalidRequest("the server has been shut down")))
    } else if isOutdated == true {
      respond(id, .failure(.contentModified))
    } else {
      do throws(RPCProblem) {
        respond(id, .success(try result(of: message)))
      } catch {
        respond(id, .failure(error))
      }
    }
  }

  private func respond(_ id: Value, _ result: Result<Value, RPCProblem>) {
    switch result {
    case .success(let value): write(["id": id, "result": value])
    case .failure(let problem): write(["id": id, "error": problem.value])
    }
  }

  /// Ends the server because the client has sent `exit`.
  func exit() { exitCode = phase == .shutDown ? 0 : 1 }
}
