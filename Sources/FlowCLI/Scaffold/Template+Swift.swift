extension PluginTemplate {
  /// What is written for a plugin in Swift besides its manifest and its cases; `NAME` stands for the plugin's name.
  static let swiftFiles = [
    "main.swift": swiftActions, "Protocol.swift": swiftProtocol, "JSON.swift": swiftJSON, "Codable.swift": swiftCodable,
  ]

  private static let swiftActions = #"""
    // The actions of this plugin: edit, save, run. flowrun compiles what has changed.

    /// What a step gives under `with`, as plugin.yaml declares it.
    struct TextInput: Decodable {
      var text: String
    }

    /// What dependants read under `outputs`.
    struct TextOutput: Encodable {
      var text: String
    }

    var plugin = PluginProgram(name: "NAME", version: "1.0.0")

    plugin.action("NAME.text") { (input: TextInput, call) in
      if input.text.isEmpty { throw PluginError("nothing-to-say", "text is empty; give it a word") }
      call.log("saying it louder")
      // What takes long asks `call.isCancelled` now and then, and waits with `call.wait(milliseconds:)`.
      return TextOutput(text: input.text.uppercased() + "!")
    }

    plugin.serve()

    """#

  private static let swiftProtocol = #"""
    // Speaks flowrun's protocol on standard input and output: JSON-RPC 2.0, one message a line. Nothing here needs editing;
    // the actions are in main.swift. Standard output belongs to the protocol: write everything else to standard error.

    #if canImport(Darwin)
      import Darwin
    #elseif canImport(Glibc)
      import Glibc
    #elseif canImport(Musl)
      import Musl
    #endif

    /// An error with a word for programs and a sentence for people.
    struct PluginError: Error {
      var code: String
      var message: String
      /// Whether another try may succeed; nil: what the manifest says.
      var isRetryable: Bool?

      init(_ code: String, _ message: String, isRetryable: Bool? = nil) {
        self.code = code
        self.message = message
        self.isRetryable = isRetryable
      }
    }

    /// Thrown by what is to be given up.
    struct Cancelled: Error {}

    /// The call that an action answers.
    struct PluginCall {
      let id: Int
      /// Which try this is; the first is 1.
      let attempt: Int
      /// The variables that the workflow gives this step.
      let environment: [String: String]
      /// The inputs of type duration in milliseconds; among the inputs they are text, such as `1m30s`.
      let milliseconds: [String: Int]
      /// What is read of standard input while the action works.
      let messages: Messages

      /// Whether the call is to be given up; whoever works long asks now and then, and returns.
      var isCancelled: Bool { messages.isCancelled(id) }

      /// Sleeps; throws as soon as the call is to be given up.
      func wait(milliseconds: Int) throws {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while !isCancelled {
          let rest = (end - .now) / .milliseconds(1)
          if rest <= 0 { return }
          messages.look(milliseconds: Int32(min(rest.rounded(.up), 1_000_000)))
        }
        throw Cancelled()
      }

      /// Writes a line to the run's log; the levels are debug, info, warning and error.
      func log(_ message: String, level: String = "info") {
        notify("log", [("level", .string(level)), ("message", .string(message))])
      }

      /// Tells how far the action is, from 0 to 1.
      func progress(_ fraction: Double, _ message: String = "") {
        notify("progress", [("fraction", .number(fraction)), ("message", .string(message))])
      }

      /// Posts an event that the manifest declares.
      func post(_ event: String) { notify("post", [("event", .string(event))]) }

      private func notify(_ method: String, _ parameters: [(key: String, value: JSON)]) {
        send([("method", .string(method)), ("params", .object([("id", .integer(id))] + parameters))])
      }
    }

    /// A plugin's program: its actions, and the loop that answers calls until flowrun is done.
    struct PluginProgram {
      let name: String
      let version: String
      private var actions: [(name: String, run: (JSON, PluginCall) throws -> JSON)] = []

      init(name: String, version: String) {
        self.name = name
        self.version = version
      }

      /// Adds an action: a function from the inputs that the manifest declares to its outputs.
      mutating func action<Input: Decodable, Output: Encodable>(
        _ name: String, _ body: @escaping (Input, PluginCall) throws -> Output
      ) {
        actions.append(
          (name, { inputs, call in try JSONEncoding.json(body(JSONDecoding.decode(Input.self, from: inputs), call)) }))
      }

      /// Answers calls, one after the other, until standard input ends.
      func serve() {
        let messages = Messages()
        while let message = messages.next() {
          let id = message["id"] ?? .null
          switch message["method"]?.text {
          case "initialize":
            let names = JSON.array(actions.map { .string($0.name) })
            answer(id, .object([("name", .string(name)), ("version", .string(version)), ("actions", names)]))
          case "run": run(id, message["params"] ?? .null, messages)
          case "shutdown": return
          default: break
          }
        }
      }

      private func run(_ id: JSON, _ parameters: JSON, _ messages: Messages) {
        let name = parameters["action"]?.text ?? ""
        guard let action = actions.first(where: { $0.name == name }) else {
          return fail(id, PluginError("unknown-action", "there is no action '\(name)'"))
        }
        let number = id.integer ?? 0
        defer { messages.forget(number) }
        do {
          if messages.isCancelledSoFar(number) { throw Cancelled() }
          let environment = try JSONDecoding.decode([String: String].self, from: parameters["env"] ?? .object([]))
          let milliseconds = try JSONDecoding.decode(
            [String: Int].self, from: parameters["milliseconds"] ?? .object([]))
          let call = PluginCall(
            id: number, attempt: parameters["attempt"]?.integer ?? 1, environment: environment,
            milliseconds: milliseconds, messages: messages)
          answer(id, .object([("outputs", try action.run(parameters["inputs"] ?? .object([]), call))]))
        } catch let error as PluginError {
          fail(id, error)
        } catch is Cancelled {
          fail(id, PluginError("cancelled", "the call was cancelled"))
        } catch DecodingError.dataCorrupted(let context) {
          fail(id, PluginError("failed", "the inputs do not fit the action: \(context.debugDescription)"))
        } catch {
          fail(id, PluginError("failed", "\(error)"))
        }
      }
    }

    /// The messages that come, one after the other, also while an action works.
    final class Messages {
      private var begun: [UInt8] = []
      private var waiting: [JSON] = []
      private var cancelled: Set<Int> = []
      private var isOpen = true

      /// The next message that is no cancellation; nil at the end.
      func next() -> JSON? {
        while waiting.isEmpty, isOpen { read() }
        return waiting.isEmpty ? nil : waiting.removeFirst()
      }

      /// Takes what has come, after waiting for it so long.
      func look(milliseconds: Int32 = 0) {
        var interest = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        if isOpen, poll(&interest, 1, milliseconds) > 0 { read() }
      }

      /// Whether a call is to be given up, as one is when nobody is there any more to hear its answer.
      func isCancelled(_ id: Int) -> Bool {
        look()
        return isCancelledSoFar(id) || !isOpen
      }

      /// Whether a call is to be given up by what has been read.
      func isCancelledSoFar(_ id: Int) -> Bool { cancelled.contains(id) }

      /// Forgets a call that has been answered.
      func forget(_ id: Int) { if !cancelled.isEmpty { cancelled.remove(id) } }

      private func read() {
        let count = withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
          let count = readInput(buffer)
          if count > 0 { take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
          return count
        }
        if count == 0 || count < 0 && errno != EINTR { isOpen = false }
      }

      private func take(_ piece: UnsafeRawBufferPointer) {
        var rest = piece[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          let line = begun + rest[..<end]
          begun.removeAll(keepingCapacity: true)
          rest = rest[(end + 1)...]
          guard let message = try? ValueReader.read(String(decoding: line, as: UTF8.self)) else { continue }
          if message["method"]?.text == "cancel" {
            if let id = message["params"]?["id"]?.integer { cancelled.insert(id) }
          } else {
            waiting.append(message)
          }
        }
        begun += rest
      }
    }

    private func readInput(_ buffer: UnsafeMutableRawBufferPointer) -> Int { read(0, buffer.baseAddress, buffer.count) }

    private func answer(_ id: JSON, _ result: JSON) { send([("id", id), ("result", result)]) }

    private func fail(_ id: JSON, _ error: PluginError) {
      var members: [(key: String, value: JSON)] = [("code", .string(error.code)), ("message", .string(error.message))]
      if let isRetryable = error.isRetryable { members.append(("data", .object([("retryable", .boolean(isRetryable))]))) }
      send([("id", id), ("error", .object(members))])
    }

    private func send(_ members: [(key: String, value: JSON)]) {
      var line: [UInt8] = []
      JSON.object([("jsonrpc", .string("2.0"))] + members).write(to: &line)
      line.append(UInt8(ascii: "\n"))
      var sent = 0
      while sent < line.count {
        let count = line.withUnsafeBytes { write(1, $0.baseAddress! + sent, $0.count - sent) }
        if count > 0 { sent += count } else if errno != EINTR { exit(1) }
      }
    }

    """#
}
