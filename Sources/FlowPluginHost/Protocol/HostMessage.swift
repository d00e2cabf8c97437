import FlowModel

/// Encodes the host's messages to a plugin's program, as lines of JSON-RPC 2.0.
enum HostMessage {
  static let protocolVersion = 1

  /// The id of the `initialize` request, which precedes all calls.
  static let initializeID = 0

  /// Returns the first message to a plugin's program. It contains the name and version from the manifest, for programs
  /// that do not have their own.
  static func initialize(name: String, version: String) -> [UInt8] {
    let parameters: ValueObject = [
      "protocol": .integer(protocolVersion), "name": .string(name), "version": .string(version),
    ]
    var line = Array(#"{"jsonrpc":"2.0","id":\#(initializeID),"method":"initialize","params":"#.utf8)
    JSONText.append(.object(parameters), to: &line)
    append("}\n", to: &line)
    return line
  }

  /// Returns the first message to a worker, with the protocol extensions that the host supports and the workflow's
  /// folder.
  static func initialize(worker name: String, version: String, _ terms: WorkerTerms) -> [UInt8] {
    var parameters: ValueObject = [
      "protocol": .integer(protocolVersion), "name": .string(name), "version": .string(version),
      "offers": .array(terms.offers.map { .string($0.rawValue) }), "workflowFolder": .string(terms.workflowFolder),
      "silenceMilliseconds": .integer(terms.pulse.guardSilence.nanoseconds / 1_000_000),
      "withheld": .array(terms.withheld.sorted().map { .string($0) }),
    ]
    if let scratch = terms.copies?.scratch { parameters["scratch"] = .string(scratch) }
    var line = Array(#"{"jsonrpc":"2.0","id":\#(initializeID),"method":"initialize","params":"#.utf8)
    JSONText.append(.object(parameters), to: &line)
    append("}\n", to: &line)
    return line
  }

  /// Returns a request to a worker other than a call to an action.
  static func request(id: Int, _ method: String, _ parameters: ValueObject) -> [UInt8] {
    var line = Array(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":"#.utf8)
    JSONText.append(.object(parameters), to: &line)
    append("}\n", to: &line)
    return line
  }

  /// Returns a ping, which asks a worker for a heartbeat.
  static func ping() -> [UInt8] { Array(#"{"jsonrpc":"2.0","method":"ping"}"#.utf8) + [UInt8(ascii: "\n")] }

  /// Returns a receipt, which a worker on another machine requests for a message; see ``WorkerTerms/isRemote``.
  static func receipt() -> [UInt8] { Array(#"{"jsonrpc":"2.0","method":"receipt"}"#.utf8) + [UInt8(ascii: "\n")] }

  /// Returns the part of a call's JSON text between its id and its inputs.
  static func runHead(action: String) -> [UInt8] {
    var head: [UInt8] = []
    append(#","method":"run","params":{"action":"#, to: &head)
    JSONText.append(string: action, to: &head)
    append(#","inputs":"#, to: &head)
    return head
  }

  /// Returns a call to an action.
  ///
  /// - Parameters:
  ///   - head: The result of ``runHead(action:)``.
  ///   - durations: The names of the inputs of type duration, which are also sent in milliseconds.
  ///   - key: The step's idempotency key. Like the following parameters, it is only for workers.
  ///   - workflowFolder: The step's folder, or nil if it is the one in the worker's `initialize` request.
  ///   - files: The number of the folder that contains the step's files.
  static func run(
    id: Int, head: [UInt8], inputs: ValueObject, durations: [String], environment: [String: String], attempt: Int,
    remaining: Duration?, key: String? = nil, workflowFolder: String? = nil, files: Int? = nil,
    isQuiet: Bool = false
  ) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(256)
    append(#"{"jsonrpc":"2.0","id":"#, to: &line)
    JSONText.append(integer: id, to: &line)
    line.append(contentsOf: head)
    JSONText.append(.object(inputs), to: &line)
    if !durations.isEmpty { append(milliseconds(of: durations, in: inputs), to: &line) }
    append(#","env":{"#, to: &line)
    if !environment.isEmpty { append(environment, to: &line) }
    append(#"},"attempt":"#, to: &line)
    JSONText.append(integer: attempt, to: &line)
    append(#","remainingMilliseconds":"#, to: &line)
    if let remaining {
      JSONText.append(integer: remaining.nanoseconds / 1_000_000, to: &line)
    } else {
      append("null", to: &line)
    }
    if let key {
      append(#","key":"#, to: &line)
      JSONText.append(string: key, to: &line)
    }
    if let workflowFolder {
      append(#","workflowFolder":"#, to: &line)
      JSONText.append(string: workflowFolder, to: &line)
    }
    if let files {
      append(#","files":"#, to: &line)
      JSONText.append(integer: files, to: &line)
    }
    if isQuiet { append(#","quiet":true"#, to: &line) }
    append("}}\n", to: &line)
    return line
  }

  private static func milliseconds(of names: [String], in inputs: ValueObject) -> ValueObject {
    var milliseconds = ValueObject()
    for name in names {
      guard let text = inputs[name]?.stringValue, let duration = try? DurationText.parse(text) else { continue }
      milliseconds[name] = .integer(duration.nanoseconds / 1_000_000)
    }
    return milliseconds
  }

  private static func append(_ milliseconds: ValueObject, to line: inout [UInt8]) {
    append(#","milliseconds":"#, to: &line)
    JSONText.append(.object(milliseconds), to: &line)
  }

  private static func append(_ text: StaticString, to line: inout [UInt8]) {
    line.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private static func append(_ environment: [String: String], to line: inout [UInt8]) {
    for (index, variable) in environment.sorted(by: { $0.key < $1.key }).enumerated() {
      if index > 0 { line.append(UInt8(ascii: ",")) }
      JSONText.append(string: variable.key, to: &line)
      line.append(UInt8(ascii: ":"))
      JSONText.append(string: variable.value, to: &line)
    }
  }

  /// Returns a message that asks the program to cancel a call.
  static func cancel(id: Int) -> [UInt8] {
    Array(#"{"jsonrpc":"2.0","method":"cancel","params":{"id":\#(id)}}"#.utf8) + [UInt8(ascii: "\n")]
  }

  /// Returns a message that asks the program to end. Its standard input is closed afterwards.
  static func shutdown() -> [UInt8] { Array(#"{"jsonrpc":"2.0","method":"shutdown"}"#.utf8) + [UInt8(ascii: "\n")] }
}
